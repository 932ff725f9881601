#pragma once
/// What every ARM resource has alike in a body: id, name, type, location, tags, provisioningState. Checked and taken off before
/// the resource type sees the rest.

#include <boost/json.hpp>
#include <string_view>

#include "engine/resource_type.hpp"
#include "model/error.hpp"
#include "model/resource.hpp"
#include "model/resource_id.hpp"

namespace acceptd::contracts::arm {

inline constexpr std::size_t kMaxTags = 50;
inline constexpr std::size_t kMaxTagNameCharacters = 512;
inline constexpr std::size_t kMaxTagValueCharacters = 256;

struct EnvelopeInput {
  const model::ResourceId& id;
  const engine::ResourceType& type;
  std::string_view api_version;
  std::string_view region;
  const model::Resource* existing = nullptr;
  bool patch = false;
};

/// The complete external representation that a PUT's or PATCH's body asks for, fit for ResourceType::build(): read-only
/// envelope fields gone, location and tags present, a patch merged into what is there (RFC 7396; tags as a whole, ARM-058).
/// Errors: InvalidRequestContent with the field as target; several as MultipleErrorsOccurred.
model::Result<boost::json::object> desired_body(const boost::json::object& body, const EnvelopeInput& input);

}  // namespace acceptd::contracts::arm
