#pragma once
/// What a path of an API description names, in the terms of Azure Resource Manager.

#include <string>
#include <string_view>
#include <vector>

namespace acceptd::types::declared {

struct PathSegment {
  std::string text;        ///< without braces
  bool parameter = false;  ///< "{text}"
};

struct Path {
  enum class Kind {
    foreign,     ///< not served; `reason` says why
    built_in,    ///< served for every provider: its list of operations, checks of names, the operations' statuses and results
    resource,    ///< …/{type}/{name}
    collection,  ///< …/{type}: a list, or an action of what stands before it
  };
  Kind kind = Kind::foreign;
  std::string reason;
  bool in_group = false;              ///< below a resource group; otherwise right below a subscription
  std::vector<PathSegment> segments;  ///< of resource and collection: after the provider
  std::string operations_type;        ///< of built_in: how the statuses or results are called; "" = the list of operations

  /// Lower-case key of the type that the segments up to `count` name.
  std::string type_key(std::string_view provider, std::size_t count) const;
  std::string type_name(std::string_view provider, std::size_t count) const;
};

Path parse_path(std::string_view path, std::string_view provider);

}  // namespace acceptd::types::declared
