#pragma once
/// The schemas of one resource type in every API version.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "types/hcp/descriptions.hpp"

namespace acceptd::types::hcp {

class Versions {
 public:
  /// `definition`: the type's name in the descriptions. Throws std::runtime_error if one cannot be used.
  explicit Versions(std::string_view definition);
  /// nullptr for a version that does not exist.
  const schema::Schema* find(std::string_view api_version) const;
  const schema::Schema& newest() const { return *find(kVersion2025); }
  std::vector<std::string> names() const { return {std::string(kVersion2024), std::string(kVersion2025)}; }

 private:
  std::string definition_;
  std::shared_ptr<const Descriptions> descriptions_;
};

}  // namespace acceptd::types::hcp
