#pragma once
/// What API descriptions say of a provider's resource types, over all of its API versions.

#include <re2/re2.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/resource_type.hpp"
#include "schema/document.hpp"

namespace acceptd::types::declared {

/// Something about a description: a file and a JSON pointer into it.
struct Finding {
  std::string file, pointer, reason;
  auto operator<=>(const Finding&) const = default;
};
/// "folder/openapi.json#/paths/~1a: reason"
std::string to_string(const Finding& finding);

/// What names a resource may have.
struct NameRule {
  std::optional<std::size_t> length_least, length_most;
  std::shared_ptr<const re2::RE2> pattern;  ///< nullptr = any
  std::set<std::string> allowed;            ///< lower case; empty = any
  bool allows(std::string_view name) const;
};

struct ActionShape {
  std::string name;
  const schema::Schema* parameters = nullptr;  ///< nullptr: none
  engine::Answered answered = engine::Answered::as_accepted;
  bool answers_body = false;
};

/// A type in one API version.
struct TypeShape {
  const schema::Schema* request = nullptr;  ///< body of a PUT; nullptr: there is no PUT
  const schema::Schema* answer = nullptr;   ///< the resource as it is read
  const schema::Schema* patch = nullptr;    ///< body of a PATCH; nullptr: that of a PUT, merged
  engine::Verbs verbs;
  NameRule names;
  std::map<std::string, ActionShape> actions;  ///< by lower-case name
};

struct TypeDescription {
  std::string name;        ///< "Contoso.Network/appliances/rules"
  std::string parent_key;  ///< "" for top-level types
  bool in_group = false, in_subscription = false;
  bool tracked = false, location_required = false;
  std::map<std::string, TypeShape> versions;

  std::string key() const { return model::to_lower(name); }
};

/// One document of one API version.
struct Source {
  std::string api_version;
  std::string file;  ///< as findings name it
  schema::Document document;
};

/// Immutable and thread-safe.
struct Description {
  std::string provider;  ///< namespace
  std::string statuses_type = "operationStatuses", results_type = "operationResults";
  std::vector<TypeDescription> types;  ///< parents before children
  std::vector<Finding> notes;          ///< what is not served, in order
  std::vector<Source> sources;         ///< own the schemas

  const TypeDescription* type(std::string_view key) const;
};

/// Works out the types. Problems: what contradicts itself, and a provider without any type. `problems` empty = good.
Description describe(std::string provider, std::vector<Source> sources, std::vector<Finding>& problems);

}  // namespace acceptd::types::declared
