#pragma once
/// The API descriptions of specs/hcp, compiled into the program, one per API version.

#include <string_view>
#include <vector>

#include "schema/document.hpp"

namespace acceptd::types::hcp {

inline constexpr std::string_view kVersion2024 = "2024-06-10-preview";
inline constexpr std::string_view kVersion2025 = "2025-12-23-preview";

/// A file of specs/hcp/openapi as it was when the program was built.
struct EmbeddedFile {
  std::string_view path;  ///< below specs/hcp/openapi
  std::string_view text;
};
const std::vector<EmbeddedFile>& embedded_files();

/// The schemas of one resource type in every API version, newest last.
class Versions {
 public:
  /// `definition`: the type's name in the descriptions. Throws std::runtime_error.
  explicit Versions(std::string_view definition);
  /// nullptr for a version that does not exist.
  const schema::Schema* find(std::string_view api_version) const;
  const schema::Schema& newest() const { return *versions_.back().schema; }
  std::vector<std::string> names() const;

 private:
  struct Version {
    std::string_view name;
    schema::Document document;
    const schema::Schema* schema;
  };
  std::vector<Version> versions_;
};

}  // namespace acceptd::types::hcp
