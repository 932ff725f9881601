#include "types/declared/path.hpp"

#include <algorithm>

#include "model/resource_id.hpp"

namespace acceptd::types::declared {

namespace {

using model::equals_ignoring_case;
using Segments = std::vector<PathSegment>;

constexpr std::string_view kCheckName = "checkNameAvailability";

Segments split(std::string_view path) {
  Segments out;
  while (!path.empty()) {
    path.remove_prefix(path.starts_with('/') ? 1 : 0);
    const std::string_view text = path.substr(0, path.find('/'));
    path.remove_prefix(text.size());
    if (text.empty()) continue;  // a slash at the end
    if (text.size() > 2 && text.starts_with('{') && text.ends_with('}'))
      out.push_back({std::string(text.substr(1, text.size() - 2)), true});
    else
      out.push_back({std::string(text), false});
  }
  return out;
}

bool is_word(const PathSegment& segment, std::string_view word) {
  return !segment.parameter && equals_ignoring_case(segment.text, word);
}

Path foreign(std::string reason) { return {.kind = Path::Kind::foreign, .reason = std::move(reason)}; }

/// locations/{location}/…Status(es)/{id} and …Results/{id}, as providers call them.
bool names_operations(std::string_view type) {
  const std::string lower = model::to_lower(type);
  return lower.contains("operation") && (lower.contains("status") || lower.contains("result"));
}

std::string refuse(const Segments& left) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (is_word(left[i], "providers")) return "resources of or on another provider's resources are not served";
    if (i % 2 == 0 && left[i].parameter) return "a type that is a parameter is not served";
  }
  return {};
}

}  // namespace

std::string Path::type_name(std::string_view provider, std::size_t count) const {
  std::string name(provider);
  for (std::size_t i = 0; i < count; i += 2) name.append("/").append(segments[i].text);
  return name;
}

std::string Path::type_key(std::string_view provider, std::size_t count) const {
  return model::to_lower(type_name(provider, count));
}

Path parse_path(std::string_view path, std::string_view provider) {
  const Segments all = split(path.substr(0, path.find('?')));
  if (all.size() == 3 && is_word(all[0], "providers") && is_word(all[1], provider) && is_word(all[2], "operations"))
    return {.kind = Path::Kind::built_in};
  if (all.size() < 2 || !is_word(all[0], "subscriptions") || !all[1].parameter)
    return foreign("only paths below a subscription are served");
  const bool in_group = all.size() > 3 && is_word(all[2], "resourceGroups") && all[3].parameter;
  const std::size_t scope = in_group ? 4 : 2;
  if (all.size() < scope + 3 || !is_word(all[scope], "providers")) return foreign("names no provider's type");
  if (!is_word(all[scope + 1], provider)) return foreign("belongs to another provider");
  Path found{.kind = Path::Kind::resource, .in_group = in_group};
  found.segments.assign(all.begin() + static_cast<std::ptrdiff_t>(scope) + 2, all.end());
  const Segments& left = found.segments;
  if (is_word(left[0], "locations")) {
    if (left.size() == 3 && is_word(left[2], kCheckName)) return {.kind = Path::Kind::built_in};
    if (left.size() == 4 && left[3].parameter && names_operations(left[2].text))
      return {.kind = Path::Kind::built_in, .operations_type = left[2].text};
    return foreign("paths below a location are not served, but for the operations' statuses and results");
  }
  if (!in_group && left.size() == 1 && is_word(left[0], kCheckName)) return {.kind = Path::Kind::built_in};
  if (std::string reason = refuse(left); !reason.empty()) return foreign(std::move(reason));
  if (left.size() % 2 == 1) {
    if (left.back().parameter) return foreign("a type or an action that is a parameter is not served");
    found.kind = Path::Kind::collection;
  }
  return found;
}

}  // namespace acceptd::types::declared
