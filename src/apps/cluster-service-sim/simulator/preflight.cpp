// Pre-flight validation: what Cluster Service refuses before it begins any work.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "apps/cluster-service-sim/simulator/search.hpp"
#include "apps/cluster-service-sim/simulator/shape.hpp"

namespace acceptd::simulator {
namespace {

constexpr std::size_t kClusterNameMax = 54;
constexpr std::size_t kDomainPrefixMax = 15;
constexpr std::size_t kNodePoolNameMax = 15;
constexpr std::int64_t kHostPrefixMin = 23;
constexpr std::int64_t kHostPrefixMax = 26;
constexpr std::int64_t kReplicasMax = 500;

constexpr std::array<std::string_view, 7> kClusterRequired{"name",
                                                           "region.id",
                                                           "azure.subscription_id",
                                                           "azure.tenant_id",
                                                           "azure.resource_group_name",
                                                           "azure.resource_name",
                                                           "azure.managed_resource_group_name"};
constexpr std::array<std::string_view, 3> kCidrs{"network.machine_cidr", "network.service_cidr", "network.pod_cidr"};

std::unexpected<Refusal> refuse(std::string reason) { return std::unexpected(Refusal{400, std::move(reason)}); }

std::string_view text_at(const json::object& body, std::string_view path) {
  const json::value* value = value_at(body, path);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

std::optional<std::int64_t> number_at(const json::object& body, std::string_view path) {
  const json::value* value = value_at(body, path);
  if (value == nullptr) return std::nullopt;
  return value->to_number<std::int64_t>();
}

bool is_label(std::string_view name, std::size_t length_max) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto letter_or_digit = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && name.size() <= length_max && letter(name.front()) && letter_or_digit(name.back()) &&
         std::ranges::all_of(name, [&](char c) { return letter_or_digit(c) || c == '-'; });
}

struct Cidr {
  std::uint32_t first = 0, last = 0;
};

std::optional<std::uint32_t> take_number(std::string_view& text, std::uint32_t most) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > most) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<Cidr> parse_cidr(std::string_view text) {
  std::uint32_t address = 0;
  for (const char separator : {'.', '.', '.', '/'}) {
    const auto part = take_number(text, 255);
    if (!part || !text.starts_with(separator)) return std::nullopt;
    text.remove_prefix(1);
    address = (address << 8) | *part;
  }
  const auto length = take_number(text, 32);
  if (!length || !text.empty()) return std::nullopt;
  const std::uint32_t hosts = *length == 0 ? ~0U : (1ULL << (32 - *length)) - 1;
  if ((address & hosts) != 0) return std::nullopt;
  return Cidr{address, address | hosts};
}

Result<void> check_network(const json::object& body) {
  std::array<std::optional<Cidr>, kCidrs.size()> parsed;
  for (std::size_t i = 0; i < kCidrs.size(); ++i) {
    const std::string_view text = text_at(body, kCidrs[i]);
    if (text.empty()) continue;
    parsed[i] = parse_cidr(text);
    if (!parsed[i]) return refuse(fmt::format("Attribute '{}' is not a valid CIDR block: '{}'", kCidrs[i], text));
    for (std::size_t j = 0; j < i; ++j)
      if (parsed[j] && parsed[i]->first <= parsed[j]->last && parsed[j]->first <= parsed[i]->last)
        return refuse(fmt::format("CIDR blocks of '{}' and '{}' overlap", kCidrs[j], kCidrs[i]));
  }
  const auto host_prefix = number_at(body, "network.host_prefix");
  if (host_prefix && (*host_prefix < kHostPrefixMin || *host_prefix > kHostPrefixMax))
    return refuse(fmt::format("Attribute 'network.host_prefix' must be from {} to {}", kHostPrefixMin, kHostPrefixMax));
  return {};
}

}  // namespace

Result<void> check_cluster(const json::object& body) {
  for (const std::string_view path : kClusterRequired)
    if (text_at(body, path).empty()) return refuse(fmt::format("Attribute '{}' is mandatory", path));
  const std::string_view name = text_at(body, "name");
  if (!is_label(name, kClusterNameMax)) return refuse(fmt::format("Cluster name '{}' is not valid", name));
  const std::string_view prefix = text_at(body, "domain_prefix");
  if (!prefix.empty() && !is_label(prefix, kDomainPrefixMax))
    return refuse(fmt::format("Domain prefix '{}' is not valid", prefix));
  for (const auto& [path, expected] : {std::pair("cloud_provider.id", "azure"), std::pair("product.id", "aro")})
    if (const auto value = text_at(body, path); !value.empty() && value != expected)
      return refuse(fmt::format("Attribute '{}' must be '{}', not '{}'", path, expected, value));
  return check_network(body);
}

Result<void> check_node_pool(const json::object& body) {
  const std::string_view name = text_at(body, "id");
  if (name.empty()) return refuse("Attribute 'id' is mandatory");
  if (!is_label(name, kNodePoolNameMax)) return refuse(fmt::format("Node pool identifier '{}' is not valid", name));
  if (text_at(body, "azure_node_pool.vm_size").empty()) return refuse("Attribute 'azure_node_pool.vm_size' is mandatory");
  if (body.contains("replicas") && body.contains("autoscaling"))
    return refuse("Attributes 'replicas' and 'autoscaling' exclude each other");
  const auto replicas = number_at(body, "replicas").value_or(0);
  if (replicas < 0 || replicas > kReplicasMax)
    return refuse(fmt::format("Attribute 'replicas' must be from 0 to {}", kReplicasMax));
  if (!body.contains("autoscaling")) return {};
  const auto least = number_at(body, "autoscaling.min_replica").value_or(0);
  const auto most = number_at(body, "autoscaling.max_replica").value_or(0);
  if (least < 0 || most < least || most > kReplicasMax)
    return refuse(fmt::format("Attribute 'autoscaling' must have 0 <= min_replica <= max_replica <= {}", kReplicasMax));
  return {};
}

}  // namespace acceptd::simulator
