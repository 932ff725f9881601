#include "types/hcp/descriptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "types/hcp/embedded.hpp"

namespace acceptd::types::hcp {

namespace {

std::optional<std::string> read(std::string_view path) {
  // References lead from a version's own folder to those beside it.
  if (path.starts_with("../")) path.remove_prefix(3);
  const auto files = embedded_descriptions();
  const auto found = std::ranges::find(files, path, &EmbeddedFile::path);
  if (found == files.end()) return std::nullopt;
  return std::string(found->text);
}

}  // namespace

Descriptions::Descriptions() {
  for (const std::string_view version : {kVersion2024, kVersion2025}) {
    const auto text = read(fmt::format("{}/openapi.json", version));
    auto document = schema::Document::load(text.value_or(""), read);
    if (!document) {
      const schema::Problem& problem = document.error().front();
      throw std::runtime_error(
          fmt::format("API description {}: {}{}: {}", version, problem.file, problem.pointer, problem.reason));
    }
    documents_.emplace(version, std::move(*document));
  }
}

const schema::Schema* Descriptions::find(std::string_view api_version, std::string_view definition) const {
  const auto found = documents_.find(api_version);
  return found == documents_.end() ? nullptr : found->second.definition(definition);
}

}  // namespace acceptd::types::hcp
