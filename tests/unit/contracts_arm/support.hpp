#pragma once
/// A registry with two small types, and requests as the server would hand them over.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "contracts/arm/options.hpp"
#include "engine/resource_type.hpp"
#include "http/message.hpp"
#include "http/uri.hpp"
#include "model/json.hpp"

namespace acceptd::contracts::arm::testing {

inline constexpr const char* kSubscription = "1d3378d3-5a3f-4712-85a1-2485495dfc4b";

class NoProvider final : public engine::Provider {
 public:
  engine::ProviderTraits traits() const override { return {}; }
  engine::Task<engine::Submission> submit(engine::Target) override { co_return engine::Submission{}; }
  engine::Task<engine::Observation> observe(engine::Target) override { co_return engine::Observation{}; }
  engine::Task<engine::SearchResult> search(engine::Target) override { co_return engine::SearchResult{}; }
  engine::Task<engine::Result<boost::json::value>> result(engine::Target) override { co_return boost::json::value{}; }
};

/// Stores and shows what it is given.
class PlainType final : public engine::ResourceType {
 public:
  using ResourceType::ResourceType;
  engine::Result<engine::Desired> build(const engine::BuildInput& input) const override {
    return engine::Desired{.properties = input.body.at("properties").as_object()};
  }
  boost::json::object render(const model::Resource& resource, std::string_view) const override {
    return {{"location", resource.location}, {"tags", resource.tags}, {"properties", resource.desired}};
  }
};

struct Types {
  NoProvider provider;
  engine::TypeRegistry registry;
  std::vector<ProviderNamespace> namespaces{{"Contoso.Kites", "kiteOperationStatuses", "kiteOperationResults"}};

  Types() {
    engine::TypeInfo kites{
        .name = "Contoso.Kites/kites", .api_versions = {"2025-01-01", "2026-01-01-preview"}, .location_optional = true};
    kites.actions.push_back(engine::ActionInfo{.name = "reelIn", .request = "ReelIn"});
    engine::TypeInfo tails{
        .name = "Contoso.Kites/kites/tails", .parent_key = "contoso.kites/kites", .api_versions = {"2026-01-01-preview"}};
    engine::TypeInfo winds{.name = "Contoso.Kites/winds", .api_versions = {"2025-01-01"}, .tracked = false};
    for (engine::TypeInfo* info : {&kites, &tails, &winds}) registry.add(std::make_unique<PlainType>(std::move(*info), provider));
  }
  const engine::ResourceType& type(std::string_view key) const { return *registry.find(key); }
};

inline http::Request request(http::Method method, std::string target) {
  auto parsed = http::parse_target(target);
  EXPECT_TRUE(parsed.has_value()) << target;
  http::Request made{.method = method, .target = std::move(target), .remote_address = "127.0.0.1", .loopback = true};
  made.path = parsed->path;
  made.segments = parsed->segments;
  made.query = parsed->query;
  return made;
}

inline std::string kite_path(const std::string& rest = "") {
  return std::string("/subscriptions/") + kSubscription + "/resourceGroups/Sky/providers/Contoso.Kites/kites/Red" + rest;
}

inline boost::json::object object(std::string_view text) { return model::parse_json(text)->as_object(); }

}  // namespace acceptd::contracts::arm::testing
