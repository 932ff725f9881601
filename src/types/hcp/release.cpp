#include "types/hcp/release.hpp"

#include <fmt/format.h>

#include <charconv>

namespace acceptd::types::hcp {

namespace {

constexpr int kMaxNumber = 99'999;

/// Takes a number without leading zeros off the front.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(next - text.data());
  if (error != std::errc{} || number < 0 || number > kMaxNumber || text[0] == '-' || (text[0] == '0' && length > 1))
    return std::nullopt;
  text.remove_prefix(length);
  return number;
}

bool take_dot(std::string_view& text) {
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<Release> Release::parse(std::string_view text) {
  const auto major = take_number(text);
  if (!major || !take_dot(text)) return std::nullopt;
  const auto minor = take_number(text);
  if (!minor) return std::nullopt;
  Release release{*major, *minor, std::nullopt};
  if (text.empty()) return release;
  if (!take_dot(text)) return std::nullopt;
  release.patch = take_number(text);
  return release.patch && text.empty() ? std::optional(release) : std::nullopt;
}

std::weak_ordering Release::compare(const Release& other) const {
  if (const auto order = major <=> other.major; order != 0) return order;
  if (const auto order = minor <=> other.minor; order != 0) return order;
  return patch && other.patch ? std::weak_ordering(*patch <=> *other.patch) : std::weak_ordering::equivalent;
}

std::string refuse_step(const Release& from, const Release& to) {
  if (to.compare(from) < 0) return fmt::format("may not decrease from {}", to_string(from));
  const auto refused = [&](std::string_view why) {
    return fmt::format("invalid upgrade path from {} to {}: {}", to_string(from), to_string(to), why);
  };
  if (to.major != from.major) return refused("major version changes are not supported");
  if (to.minor > from.minor + 1) return refused("skipping minor versions is not allowed");
  return {};
}

std::string to_string(const Release& release) {
  if (release.patch) return fmt::format("{}.{}.{}", release.major, release.minor, *release.patch);
  return fmt::format("{}.{}", release.major, release.minor);
}

}  // namespace acceptd::types::hcp
