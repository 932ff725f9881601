#pragma once
/// What both types have alike: a body is checked against the description of its API version, brought into the stored shape,
/// and rendered back.

#include <vector>

#include "engine/resource_type.hpp"
#include "types/hcp/description.hpp"

namespace acceptd::types::hcp {

/// Input of a type's own rules: everything in the stored shape, defaults filled in.
struct CheckInput {
  const model::ResourceId& id;
  std::string_view api_version;
  const boost::json::object& properties;
  const boost::json::object& identity;
  const boost::json::object& tags;
  const model::Resource* existing = nullptr;
  const model::Resource* parent = nullptr;
};

class DescribedType : public engine::ResourceType {
 public:
  DescribedType(engine::TypeInfo info, engine::Provider& provider, std::string_view definition);

  engine::Result<engine::Desired> build(const engine::BuildInput& input) const final;
  boost::json::object render(const model::Resource& resource, std::string_view api_version) const final;

 protected:
  /// Refusal of the name in the URL; nullopt: fine.
  virtual std::optional<model::Error> check_name(const model::ResourceId& id) const = 0;
  /// Values that the caller may leave out and that are then chosen for good (DESIGN §4). Stored shape.
  virtual void generate(boost::json::object& properties, const engine::BuildInput& input) const = 0;
  /// Rules across fields and documents; adds one error per finding.
  virtual void check(const CheckInput& input, std::vector<model::Error>& errors) const = 0;

 private:
  boost::json::value external(const model::Resource& resource, std::string_view api_version, const schema::Schema& schema) const;

  Versions versions_;
};

/// One error as it is, several as MultipleErrorsOccurred.
model::Error combined(std::vector<model::Error> errors);
/// InvalidRequestContent at a JSON path.
model::Error invalid_at(std::string path, std::string message);

}  // namespace acceptd::types::hcp
