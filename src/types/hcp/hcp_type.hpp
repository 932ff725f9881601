#pragma once
/// The way of a body through a type: fill in, check against the description of its API version, check the rules that no
/// description can say, bring into the stored shape; and back. Clusters and node pools supply the steps.

#include <re2/re2.h>

#include <memory>
#include <string>

#include "engine/resource_type.hpp"
#include "types/hcp/descriptions.hpp"
#include "types/hcp/hcp.hpp"
#include "types/hcp/members.hpp"
#include "types/hcp/report.hpp"

namespace acceptd::types::hcp {

class HcpType : public engine::ResourceType {
 public:
  model::Result<engine::Desired> build(const engine::BuildInput& input) const final;
  json::object render(const model::Resource& resource, std::string_view api_version) const final;
  bool accepts_name(std::string_view name) const final;

 protected:
  /// `definition` names the type in the descriptions; `name_pattern` (RE2) its names.
  HcpType(engine::TypeInfo info, engine::Provider& provider, std::shared_ptr<const Descriptions> descriptions,
          std::string definition, const std::string& name_pattern);

  /// Defaults that the description does not state, and values to be generated. Properties are in the external shape.
  virtual void fill(json::object& properties, const engine::BuildInput& input) const = 0;
  /// `existing`: current properties in the same shape; nullptr = a create.
  virtual void check(const json::object& body, const json::object* existing, const engine::BuildInput& input,
                     Report& report) const = 0;
  /// A required member that resources of an older API version may lack.
  virtual bool may_lack(const json::object& existing, std::string_view path) const = 0;
  /// External properties of `api_version` to the stored shape; what that version does not know is kept from `existing` (HCP-014).
  virtual void to_stored(json::object& properties, std::string_view api_version, const json::object* existing) const = 0;
  virtual void to_external(json::object& properties, std::string_view api_version) const = 0;
  /// What the backend must know and no caller sees: members that no description knows. Properties are in the stored shape.
  virtual void add_internal(json::object&, const engine::BuildInput&) const {}

 private:
  std::optional<model::Error> refuse_name(const model::ResourceId& id) const;
  json::object external(const model::Resource& resource, std::string_view api_version) const;

  std::shared_ptr<const Descriptions> descriptions_;
  std::string definition_;
  re2::RE2 name_pattern_;
};

std::unique_ptr<engine::ResourceType> make_cluster_type(std::shared_ptr<const Descriptions> descriptions,
                                                        engine::Provider& provider, const Settings& settings);
std::unique_ptr<engine::ResourceType> make_node_pool_type(std::shared_ptr<const Descriptions> descriptions,
                                                          engine::Provider& provider, const Settings& settings);

}  // namespace acceptd::types::hcp
