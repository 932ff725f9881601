#pragma once
/// What each API version says of the resource types, compiled.

#include <map>
#include <string>
#include <string_view>

#include "schema/document.hpp"

namespace acceptd::types::hcp {

inline constexpr std::string_view kVersion2024 = "2024-06-10-preview";
inline constexpr std::string_view kVersion2025 = "2025-12-23-preview";  ///< the shape that is stored

/// Immutable and thread-safe.
class Descriptions {
 public:
  /// Compiles the embedded documents. Throws std::runtime_error if one cannot be used (a broken build).
  Descriptions();
  /// nullptr: no such API version or definition.
  const schema::Schema* find(std::string_view api_version, std::string_view definition) const;

 private:
  std::map<std::string, schema::Document, std::less<>> documents_;
};

}  // namespace acceptd::types::hcp
