#include "types/hcp/names.hpp"

#include <fmt/format.h>

namespace acceptd::types::hcp {

model::Error invalid_name(const model::ResourceId& id) {
  std::string type = id.provider();
  for (const auto& segment : id.segments()) type += "/" + segment.type;
  return {.kind = model::ErrorKind::invalid,
          .code = "InvalidResourceName",
          .message = fmt::format("The resource '{}/{}' under resource group '{}' does not conform to the naming restriction.", type,
                                 id.name(), id.resource_group()),
          .target = "name"};
}

}  // namespace acceptd::types::hcp
