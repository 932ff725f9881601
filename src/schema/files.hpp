#pragma once
/// The document and the files that its references name, read once each.

#include <boost/json.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/document.hpp"

namespace acceptd::schema {

/// A place in a file.
struct Place {
  std::string file;
  std::string pointer;
  auto operator<=>(const Place&) const = default;
  Place operator/(std::string_view key) const;
};

/// Collects what is wrong, at most kMaxProblems.
class Problems {
 public:
  void add(const Place& place, std::string reason) {
    if (all_.size() < kMaxProblems) all_.push_back({place.file, place.pointer, std::move(reason)});
  }
  bool empty() const { return all_.empty(); }
  std::vector<Problem> take() { return std::move(all_); }

 private:
  std::vector<Problem> all_;
};

class Files {
 public:
  /// `name`: path by which other files refer to the document itself.
  Files(const Loader& loader, Problems& problems, std::string name = {})
      : loader_(loader), problems_(problems), name_(std::move(name)) {}

  /// The document itself. nullptr (and a problem) if it is not a JSON object.
  const json::value* add_root(std::string_view text) { return add({}, "", text); }
  /// What `reference` ("#/definitions/X", "../common/types.json#/definitions/X") means when it stands at `from`.
  Place resolve(const Place& from, std::string_view reference) const;
  /// The value at a place, loading its file if need be. nullptr (and a problem at `from`) if it is not there.
  const json::value* at(const Place& place, const Place& from);

 private:
  const json::value* add(const Place& from, const std::string& file, std::string_view text);
  const json::value* file(const std::string& name, const Place& from);

  const Loader& loader_;
  Problems& problems_;
  std::string name_;
  std::map<std::string, std::optional<json::value>> files_;
};

}  // namespace acceptd::schema
