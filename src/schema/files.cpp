#include "schema/files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "model/json.hpp"

namespace acceptd::schema {

namespace {

constexpr std::size_t kMaxFileDepth = 64;

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0) {
      out += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

Place Place::operator/(std::string_view key) const {
  Place inner{file, pointer + '/'};
  for (const char c : key) {
    if (c == '~')
      inner.pointer += "~0";
    else if (c == '/')
      inner.pointer += "~1";
    else
      inner.pointer += c;
  }
  return inner;
}

Place Files::resolve(const Place& from, std::string_view reference) const {
  const std::size_t hash = reference.find('#');
  const std::string_view path = reference.substr(0, hash);
  Place place{from.file, hash == std::string_view::npos ? "" : percent_decoded(reference.substr(hash + 1))};
  if (!path.empty())
    place.file = (std::filesystem::path(from.file).parent_path() / percent_decoded(path)).lexically_normal().generic_string();
  if (!name_.empty() && place.file == name_) place.file.clear();
  return place;
}

const json::value* Files::at(const Place& place, const Place& from) {
  const json::value* root = file(place.file, from);
  if (!root) return nullptr;
  boost::system::error_code error;
  const json::value* found = root->find_pointer(place.pointer, error);
  if (!found) problems_.add(from, fmt::format("the reference '{}#{}' names nothing", place.file, place.pointer));
  return found;
}

const json::value* Files::add(const Place& from, const std::string& file, std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  auto parsed = model::parse_json(text, {}, kMaxFileDepth);
  std::optional<json::value>& kept = files_[file];
  if (!parsed)
    problems_.add(from, fmt::format("'{}' is not JSON: {} at byte {}", file, parsed.error().reason, parsed.error().offset));
  else if (!parsed->is_object())
    problems_.add(from, fmt::format("'{}' is not a JSON object", file));
  else
    kept = std::move(*parsed);
  return kept ? &*kept : nullptr;
}

const json::value* Files::file(const std::string& name, const Place& from) {
  if (const auto known = files_.find(name); known != files_.end()) return known->second ? &*known->second : nullptr;
  const auto text = loader_ && files_.size() < kMaxFiles ? loader_(name) : std::nullopt;
  if (text) return add(from, name, *text);
  files_[name] = std::nullopt;
  problems_.add(from, files_.size() >= kMaxFiles ? fmt::format("more than {} files", kMaxFiles)
                                                 : fmt::format("the file '{}' is not there", name));
  return nullptr;
}

}  // namespace acceptd::schema
