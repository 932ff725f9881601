#pragma once
/// A resource type whose rules are all in its description.

#include <memory>
#include <string>
#include <vector>

#include "types/declared/description.hpp"

namespace acceptd::schema {
struct Slot;
}

namespace acceptd::types::declared {

/// Stored beside the properties: the members of a resource that are neither `properties` nor known to the engine (sku, kind,
/// zones …). Backends find them at this name in what is desired.
inline constexpr std::string_view kBeside = "$resource";

/// What an operator says of one type.
struct TypeSettings {
  engine::Deadlines deadlines;
  std::chrono::seconds action_deadline{15 * 60};
  engine::Submit submit = engine::Submit::inline_;
  std::string location;             ///< where all resources live, "global"; "" = in the server's region
  bool parent_ready = false;        ///< created only below a parent that is Succeeded
  std::vector<std::string> unique;  ///< dotted paths; no two siblings have the same value there
};

class DeclaredType final : public engine::ResourceType {
 public:
  DeclaredType(std::shared_ptr<const Description> description, const TypeDescription& type, TypeSettings settings,
               engine::Provider& provider);

  engine::Result<engine::Desired> build(const engine::BuildInput& input) const override;
  boost::json::object render(const model::Resource& resource, std::string_view api_version) const override;
  engine::Verbs verbs(std::string_view api_version) const override;
  engine::Result<boost::json::object> build_parameters(const engine::ActionInfo& action, std::string_view api_version,
                                                       boost::json::object sent) const override;
  bool accepts_name(std::string_view name) const override;
  std::optional<engine::Error> admit(const engine::AdmitInput& input) const override;
  std::vector<engine::Claim> claims(const model::ResourceId& id, const engine::Desired& desired) const override;

 private:
  const TypeShape* shape(std::string_view api_version) const;

  std::shared_ptr<const Description> description_;
  const TypeDescription& type_;
  TypeSettings settings_;
};

/// The schema at a dotted path of a PUT's body in the newest version that has a PUT; nullptr: there is none.
const schema::Slot* slot_at(const TypeDescription& type, std::string_view path);

}  // namespace acceptd::types::declared
