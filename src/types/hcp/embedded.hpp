#pragma once
/// The API descriptions of specs/hcp/openapi, part of the program.

#include <span>
#include <string_view>

namespace acceptd::types::hcp {

struct EmbeddedFile {
  std::string_view path;  ///< below specs/hcp/openapi
  std::string_view text;
};

std::span<const EmbeddedFile> embedded_descriptions();

}  // namespace acceptd::types::hcp
