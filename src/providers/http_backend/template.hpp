#pragma once
/// Texts and JSON values with places for what a call is about: "/widgets/{id.name}", {"size": "$desired/size"}.

#include <boost/json.hpp>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/provider.hpp"

namespace acceptd::providers::http_backend {

namespace json = boost::json;

/// What a name in braces stands for.
enum class Name : std::uint8_t {
  id,  ///< the whole resource ID
  id_name,
  id_type,  ///< "widgets", as in the request's path
  id_group,
  id_subscription,
  parent_name,
  operation,    ///< the same for all attempts of one request
  incarnation,  ///< the same for all requests about one object
  internal_id,
  parent_internal_id,
  location,
  tenant,
  action,
  callback,  ///< where the backend may report how this operation goes
};

struct Values {
  const engine::Target& target;
  std::string callback;
  const json::value* answer = nullptr;  ///< of templates over an answer
};

/// A text with names in braces; "{{" and "}}" are braces. "{+internalId}" keeps the slashes of a path in a URL.
class Text {
 public:
  /// The error says what is wrong with the text.
  static std::expected<Text, std::string> compile(std::string_view text);
  /// A path with or without a query. No name may be part of a segment's structure, and the literal parts must be a URL's.
  static std::expected<Text, std::string> compile_url(std::string_view text);

  bool uses(std::initializer_list<Name> names) const;
  bool empty() const { return parts_.empty(); }

  /// The values as they are.
  std::string plain(const Values& values) const;
  /// Percent-encoded. Error: a value that is needed in the path is not known, or would change the path's structure.
  std::expected<std::string, std::string> url(const Values& values) const;
  /// Error: the result holds a character that a header field must not hold.
  std::expected<std::string, std::string> header(const Values& values) const;

 private:
  struct Part {
    std::string literal;
    std::optional<Name> name;
    bool path = false;  ///< "+": a path, not a segment
  };
  std::vector<Part> parts_;
};

/// Strings that are exactly "$desired", "$tags", "$identity" or "$answer", with or without a JSON pointer after it, become that
/// value; a member or item whose value does not exist is left out. "$$" at the beginning is "$". Other strings are Texts.
class Json {
 public:
  enum class Over : std::uint8_t { target, answer };
  static std::expected<Json, std::string> compile(json::value value, Over over);

  bool uses(std::initializer_list<Name> names) const;
  /// nullopt if the whole of it does not exist.
  std::optional<json::value> make(const Values& values) const;

 private:
  json::value value_;
};

/// A place in an answer: a JSON pointer, "" = all of it.
struct Pointer {
  std::string text;
  static std::expected<Pointer, std::string> compile(std::string_view text);
  const json::value* find(const json::value& in) const;
  /// A string, or a number or boolean as text; nullopt if there is none of these.
  std::optional<std::string> text_in(const json::value& in) const;
};

}  // namespace acceptd::providers::http_backend
