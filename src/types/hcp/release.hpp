#pragma once
/// OpenShift releases: X.Y for control planes, X.Y.Z for nodes.

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace acceptd::types::hcp {

struct Release {
  int major = 0;
  int minor = 0;
  std::optional<int> patch;

  /// "4.20" or "4.20.8"; nullopt for anything else.
  static std::optional<Release> parse(std::string_view text);

  /// By major and minor, and by patch where both have one: "4.20" stands for every 4.20.z.
  std::weak_ordering compare(const Release& other) const;
};

/// Why a step from one release to another is refused; "" = it is not. At most one minor release at a time, never back.
std::string refuse_step(const Release& from, const Release& to);

std::string to_string(const Release& release);

}  // namespace acceptd::types::hcp
