#include "runtime/config/section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace acceptd::config {

namespace {

struct Unit {
  std::string_view suffix;
  std::chrono::milliseconds length;
};
constexpr std::array kUnits{Unit{"ms", std::chrono::milliseconds(1)}, Unit{"d", std::chrono::days(1)},
                            Unit{"h", std::chrono::hours(1)}, Unit{"m", std::chrono::minutes(1)},
                            Unit{"s", std::chrono::seconds(1)}};

constexpr std::size_t kMaxShown = 60;
std::string shown(const YAML::Node& node) {
  if (node.IsNull()) return "nothing";
  if (node.IsMap()) return "a mapping";
  if (node.IsSequence()) return "a list";
  std::string text = node.Scalar();
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + "…";
  return fmt::format("\"{}\"", text);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr std::size_t kMaxJsonDepth = 32;

/// What JSON would read of an unquoted scalar; a text otherwise.
boost::json::value json_scalar(const YAML::Node& node) {
  if (node.IsNull()) return nullptr;
  const std::string& text = node.Scalar();
  const bool plain = node.Tag() == "?";
  const bool literal =
      text == "true" || text == "false" || (!text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9')));
  boost::system::error_code failed;
  if (plain && literal)
    if (auto value = boost::json::parse(text, failed); !failed) return value;
  return boost::json::value(text);
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const auto count = whole_number(text.substr(0, text.size() - unit.suffix.size()));
    constexpr std::int64_t kMost = std::chrono::milliseconds(std::chrono::days(36'500)).count();
    if (!count || *count < 0 || *count > kMost / unit.length.count()) return std::nullopt;
    return *count * unit.length;
  }
  return std::nullopt;
}

std::string format_duration(std::chrono::milliseconds duration) {
  if (duration.count() == 0) return "0s";
  const Unit* best = &kUnits[0];
  for (const Unit& unit : kUnits)
    if (duration % unit.length == std::chrono::milliseconds::zero() && unit.length > best->length) best = &unit;
  return fmt::format("{}{}", duration / best->length, best->suffix);
}

std::string to_string(const Problem& problem, std::string_view file) {
  std::string out(file);
  if (problem.line != 0) out += fmt::format(":{}:{}", problem.line, problem.column);
  if (!problem.key.empty()) out += ": " + problem.key;
  return out + ": " + problem.reason;
}

Section::Section(YAML::Node node, std::string path, Problems& problems)
    : node_(std::move(node)), path_(std::move(path)), problems_(problems) {
  if (!node_.IsDefined() || node_.IsNull()) {
    node_.reset(YAML::Node(YAML::NodeType::Undefined));
    return;
  }
  if (node_.IsMap()) return;
  complain_at(node_, "", fmt::format("expected keys and values, got {}", shown(node_)));
  node_.reset(YAML::Node(YAML::NodeType::Undefined));
}

std::string Section::path_of(const std::string& key) const {
  if (key.empty()) return path_;
  return path_.empty() ? key : path_ + "." + key;
}

void Section::complain_at(const YAML::Node& node, const std::string& key, std::string reason) {
  Problem problem{.key = path_of(key), .reason = std::move(reason)};
  if (node.IsDefined() && node.Mark().line >= 0) {
    problem.line = static_cast<std::size_t>(node.Mark().line) + 1;
    problem.column = static_cast<std::size_t>(node.Mark().column) + 1;
  }
  problems_.push_back(std::move(problem));
}

void Section::complain(const std::string& key, std::string reason) {
  const YAML::Node found = key.empty() ? node_ : find(key);
  complain_at(found.IsDefined() ? found : node_, key, std::move(reason));
}

YAML::Node Section::find(const std::string& key) {
  known_.insert(key);
  if (node_.IsDefined())
    for (const auto& member : node_)
      if (member.first.IsScalar() && member.first.Scalar() == key) return member.second;
  return YAML::Node(YAML::NodeType::Undefined);
}

Section Section::child(const std::string& key) { return Section(find(key), path_of(key), problems_); }

std::optional<Section> Section::optional_child(const std::string& key) {
  YAML::Node found = find(key);
  if (!found.IsDefined() || found.IsNull()) return std::nullopt;
  return Section(std::move(found), path_of(key), problems_);
}

std::optional<std::string> Section::scalar(const std::string& key, std::string_view expected) {
  const YAML::Node found = find(key);
  if (!found.IsDefined()) return std::nullopt;
  if (found.IsScalar() && !found.Scalar().empty()) return found.Scalar();
  complain_at(found, key, fmt::format("expected {}, got {}", expected, shown(found)));
  return std::nullopt;
}

void Section::text(const std::string& key, std::string& value) {
  if (auto read = scalar(key, "a text")) value = std::move(*read);
}

void Section::required_text(const std::string& key, std::string& value) {
  if (!find(key).IsDefined()) return complain(key, "is required; add it");
  text(key, value);
}

void Section::texts(const std::string& key, std::vector<std::string>& values) {
  const YAML::Node found = find(key);
  if (!found.IsDefined()) return;
  if (!found.IsSequence()) return complain_at(found, key, fmt::format("expected a list of texts, got {}", shown(found)));
  values.clear();
  for (const YAML::Node& item : found) {
    if (item.IsScalar())
      values.push_back(item.Scalar());
    else
      complain_at(item, key, fmt::format("expected a text, got {}", shown(item)));
  }
}

void Section::boolean(const std::string& key, bool& value) {
  if (const auto read = choice(key, {"false", "true"})) value = *read == 1;
}

std::vector<std::string> Section::keys() const {
  std::vector<std::string> names;
  if (node_.IsDefined())
    for (const auto& member : node_)
      if (member.first.IsScalar()) names.push_back(member.first.Scalar());
  return names;
}

std::optional<boost::json::value> Section::json(const std::string& key) {
  const YAML::Node found = find(key);
  if (!found.IsDefined()) return std::nullopt;
  return json_of(found, key, 0);
}

std::optional<boost::json::value> Section::json_of(const YAML::Node& node, const std::string& key, std::size_t depth) {
  if (depth > kMaxJsonDepth) {
    complain_at(node, key, "is nested too deeply");
    return std::nullopt;
  }
  if (node.IsSequence()) {
    boost::json::array array;
    for (const YAML::Node& item : node)
      if (auto value = json_of(item, key, depth + 1)) array.push_back(std::move(*value));
    return array;
  }
  if (!node.IsMap()) return json_scalar(node);
  boost::json::object object;
  for (const auto& member : node) {
    const std::string name = member.first.IsScalar() ? member.first.Scalar() : shown(member.first);
    const std::string path = key + "." + name;
    if (object.contains(name)) complain_at(member.first, path, "is given twice; remove one");
    if (auto value = json_of(member.second, path, depth + 1)) object[name] = std::move(*value);
  }
  return object;
}

std::optional<std::size_t> Section::choice(const std::string& key, const std::vector<std::string_view>& choices) {
  const std::string expected = fmt::format("one of {}", fmt::join(choices, ", "));
  const auto read = scalar(key, expected);
  if (!read) return std::nullopt;
  const auto found = std::ranges::find(choices, *read);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  complain(key, fmt::format("expected {}, got \"{}\"", expected, *read));
  return std::nullopt;
}

std::optional<std::int64_t> Section::read_integer(const std::string& key, std::int64_t least, std::int64_t most) {
  const std::string expected = fmt::format("an integer from {} to {}", least, most);
  const auto read = scalar(key, expected);
  if (!read) return std::nullopt;
  const auto value = whole_number(*read);
  if (value && *value >= least && *value <= most) return value;
  complain(key, fmt::format("expected {}, got \"{}\"", expected, *read));
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> Section::read_duration(const std::string& key, std::chrono::milliseconds least,
                                                                std::chrono::milliseconds most) {
  const std::string expected =
      fmt::format("a time from {} to {} (such as 200ms, 20s, 60m, 12h, 7d)", format_duration(least), format_duration(most));
  const auto read = scalar(key, expected);
  if (!read) return std::nullopt;
  const auto value = parse_duration(*read);
  if (value && *value >= least && *value <= most) return value;
  complain(key, fmt::format("expected {}, got \"{}\"", expected, *read));
  return std::nullopt;
}

void Section::finish() {
  if (!node_.IsDefined()) return;
  std::set<std::string> seen;
  for (const auto& member : node_) {
    const std::string key = member.first.IsScalar() ? member.first.Scalar() : shown(member.first);
    if (!known_.contains(key))
      complain_at(member.first, key, fmt::format("unknown key; known here: {}", fmt::join(known_, ", ")));
    else if (!seen.insert(key).second)
      complain_at(member.first, key, "is given twice; remove one");
  }
}

}  // namespace acceptd::config
