#include "types/hcp/description.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace acceptd::types::hcp {

Versions::Versions(std::string_view definition) : definition_(definition), descriptions_(std::make_shared<Descriptions>()) {
  for (const std::string& version : names())
    if (!find(version)) throw std::runtime_error(fmt::format("API description {}: {} is not defined", version, definition));
}

const schema::Schema* Versions::find(std::string_view api_version) const { return descriptions_->find(api_version, definition_); }

}  // namespace acceptd::types::hcp
