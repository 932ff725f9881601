#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/cluster-service-sim/simulator/routes.hpp"

namespace acceptd::simulator {
namespace {

struct Version {
  std::string_view number;
  std::string_view channel;
  bool is_default = false;
};

constexpr std::array kVersions{
    Version{"4.19.7", "stable"}, Version{"4.20.0", "stable"}, Version{"4.20.8", "stable", true}, Version{"4.20.12", "stable"},
    Version{"4.21.0", "stable"}, Version{"4.20.12", "fast"},  Version{"4.21.0", "fast"},
};

std::string id_of(const Version& version) {
  const std::string id = fmt::format("openshift-v{}", version.number);
  return version.channel == "stable" ? id : fmt::format("{}-{}", id, version.channel);
}

json::object render(const Version& version) {
  const std::string id = id_of(version);
  return {{"kind", "Version"},
          {"id", id},
          {"href", fmt::format("{}/versions/{}", kBase, id)},
          {"raw_id", version.number},
          {"channel_group", version.channel},
          {"enabled", true},
          {"default", version.is_default},
          {"hosted_control_plane_enabled", true}};
}

}  // namespace

bool is_offered(std::string_view version, std::string_view channel) {
  if (channel.empty()) channel = "stable";
  return std::ranges::any_of(kVersions, [&](const Version& one) { return one.number == version && one.channel == channel; });
}

Answer list_versions(World&, const Call& call) {
  json::array items;
  for (const Version& version : kVersions) items.push_back(render(version));
  return reply_list(call, "VersionList", items);
}

Answer get_version(World&, const Call& call) {
  const auto found = std::ranges::find(kVersions, call.path[1], id_of);
  if (found == kVersions.end()) return std::unexpected(not_found("Version", call.path[1]));
  return reply_json(200, render(*found));
}

}  // namespace acceptd::simulator
