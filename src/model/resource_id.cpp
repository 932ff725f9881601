#include "model/resource_id.hpp"

#include <algorithm>

namespace acceptd::model {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The segments between slashes; nullopt unless `text` starts with '/' and no segment is empty.
std::optional<std::vector<std::string_view>> split(std::string_view text) {
  if (text.size() < 2 || text.front() != '/') return std::nullopt;
  std::vector<std::string_view> parts;
  std::size_t start = 1;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find('/', start), text.size());
    if (end == start) return std::nullopt;
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

}  // namespace

std::string to_lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<ResourceId> ResourceId::parse(std::string_view text) {
  const auto parts = split(text);
  if (!parts || parts->size() < 2 || !equals_ignoring_case((*parts)[0], "subscriptions")) return std::nullopt;
  ResourceId id;
  id.subscription_ = (*parts)[1];
  std::size_t next = 2;
  if (parts->size() > 3 && equals_ignoring_case((*parts)[2], "resourceGroups")) {
    id.resource_group_ = (*parts)[3];
    next = 4;
  }
  if (parts->size() < next + 4 || !equals_ignoring_case((*parts)[next], "providers")) return std::nullopt;
  id.provider_ = (*parts)[next + 1];
  next += 2;
  if ((parts->size() - next) % 2 != 0) return std::nullopt;
  for (; next < parts->size(); next += 2) id.segments_.push_back({std::string((*parts)[next]), std::string((*parts)[next + 1])});
  id.text_ = text;
  id.key_ = to_lower(text);
  return id;
}

std::string ResourceId::type_key() const {
  std::string key = to_lower(provider_);
  for (const Segment& segment : segments_) key += "/" + to_lower(segment.type);
  return key;
}

std::optional<ResourceId> ResourceId::parent() const {
  if (segments_.size() < 2) return std::nullopt;
  const std::size_t last = segments_.back().type.size() + segments_.back().name.size() + 2;
  return parse(std::string_view(text_).substr(0, text_.size() - last));
}

}  // namespace acceptd::model
