#pragma once
/// An API description: Swagger 2.0 or OpenAPI 3, compiled as a whole when it is loaded.

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/operations.hpp"
#include "schema/schema.hpp"

namespace acceptd::schema {

/// Why a document cannot be used: a start-up error.
struct Problem {
  std::string file;     ///< "" is the document itself
  std::string pointer;  ///< JSON pointer into it
  std::string reason;
};

/// Text of a file that a $ref names; the path is relative to the folder of the document itself, without "." and "..".
using Loader = std::function<std::optional<std::string>(std::string_view path)>;

struct Options {
  /// Objects that declare members and say nothing of additional ones accept no others (what ARM means; JSON Schema does not).
  bool closed_objects = true;
  /// An enum marked x-ms-enum.modelAsString accepts other values too.
  bool open_enums = false;
  /// What is asserted and not supported is left unchecked and noted, instead of being a Problem. For descriptions that
  /// others wrote.
  bool lenient = false;
  /// apply_defaults() makes absent objects of their members' defaults. Where descriptions refer to whole resources from others,
  /// nobody means that.
  bool fill_absent_objects = true;
  /// Path of the document itself as other files refer to it, "network.json"; "" = none refers to it.
  std::string name;
};

inline constexpr std::size_t kMaxFiles = 256;       // ARM's largest descriptions have about 100
inline constexpr std::size_t kMaxSchemas = 50'000;  // ARM's largest descriptions have about 10,000
inline constexpr std::size_t kMaxProblems = 50;
inline constexpr std::size_t kMaxNotes = 1'000;

/// Immutable and thread-safe once loaded. Schemas live as long as the Document (or a copy of it) does.
class Document {
 public:
  /// Compiles every definition, request body and response body. Anything that asserts something and is not supported
  /// (a keyword, a format's type, a pattern that RE2 refuses) is a Problem unless lenient; annotations are ignored.
  static std::expected<Document, std::vector<Problem>> load(std::string_view text, const Loader& loader = {},
                                                            const Options& options = {});

  /// By name in "definitions" or "components/schemas"; nullptr if there is none.
  const Schema* definition(std::string_view name) const;
  /// Body of a request; path as written in the document, method in lower case.
  const Schema* request_body(std::string_view path, std::string_view method) const;
  /// Body of an answer, e.g. status "200" or "default".
  const Schema* response_body(std::string_view path, std::string_view method, std::string_view status) const;
  /// In the order of the document.
  const std::vector<Operation>& operations() const;
  /// What a lenient load left unchecked.
  const std::vector<Problem>& notes() const;
  /// "info.version"; "" if absent.
  std::string_view version() const;

 private:
  struct Compiled;
  explicit Document(std::shared_ptr<const Compiled> compiled);
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace acceptd::schema
