#pragma once
/// What every ARM resource has alike in a body: id, name, type, location, tags, provisioningState. Checked and taken off before
/// the resource type sees the rest.

#include <boost/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

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

struct Envelope {
  /// The complete external representation that the body asks for, fit for ResourceType::build(): read-only envelope fields gone,
  /// location and tags present, a patch merged into what is there (RFC 7396; tags as a whole, ARM-058). What is wrong in it is
  /// left out, so that the type can go on and say what else is.
  boost::json::object body;
  std::vector<model::Error> problems;  ///< InvalidRequestContent, each with its field as target
};
Envelope read_envelope(const boost::json::object& body, const EnvelopeInput& input);

/// All mistakes of a body at once (ARM-043): those of its envelope and those that its type found. Anything that is not about
/// content, such as a bad name, stands alone. nullopt = nothing is wrong.
std::optional<model::Error> all_mistakes(std::vector<model::Error> problems, const model::Result<engine::Desired>& desired);

}  // namespace acceptd::contracts::arm
