#include "types/hcp/description.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace acceptd::types::hcp {

namespace {

std::optional<std::string> embedded(std::string_view path) {
  for (const EmbeddedFile& file : embedded_files())
    if (file.path == path) return std::string(file.text);
  return std::nullopt;
}

schema::Document load(std::string_view version) {
  const std::string folder(version);
  const auto text = embedded(folder + "/openapi.json");
  if (!text) throw std::runtime_error(fmt::format("the API description of {} is not part of this program", version));
  // References leave the version's folder ("../common-types/…"); the loader is told the path below specs/hcp/openapi.
  const auto loader = [&folder](std::string_view path) -> std::optional<std::string> {
    if (path.starts_with("../")) return embedded(path.substr(3));
    return embedded(folder + "/" + std::string(path));
  };
  auto document = schema::Document::load(*text, loader);
  if (document) return std::move(*document);
  const schema::Problem& first = document.error().front();
  throw std::runtime_error(fmt::format("the API description of {} cannot be used: {}{}: {}", version, first.file, first.pointer, first.reason));
}

}  // namespace

Versions::Versions(std::string_view definition) {
  for (const std::string_view version : {kVersion2024, kVersion2025}) {
    schema::Document document = load(version);
    const schema::Schema* schema = document.definition(definition);
    if (!schema) throw std::runtime_error(fmt::format("the API description of {} does not define {}", version, definition));
    versions_.push_back({version, std::move(document), schema});
  }
}

const schema::Schema* Versions::find(std::string_view api_version) const {
  for (const Version& version : versions_)
    if (version.name == api_version) return version.schema;
  return nullptr;
}

std::vector<std::string> Versions::names() const {
  std::vector<std::string> names;
  for (const Version& version : versions_) names.emplace_back(version.name);
  return names;
}

}  // namespace acceptd::types::hcp
