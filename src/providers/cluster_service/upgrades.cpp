#include "providers/cluster_service/upgrades.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "providers/cluster_service/answers.hpp"
#include "providers/cluster_service/cluster_json.hpp"
#include "providers/cluster_service/field_map.hpp"
#include "providers/cluster_service/listing.hpp"
#include "providers/cluster_service/objects.hpp"
#include "providers/cluster_service/states.hpp"

namespace acceptd::providers::cluster_service {

namespace {

using engine::Observation;
using engine::Submission;
using engine::Target;
using runtime::Task;

/// Newest first, which HEAD of the practice relies on; here the newest is looked for, whatever the order.
constexpr std::string_view kNewestFirst = "?order=creation_timestamp%20desc";

constexpr std::size_t kShownBytesMax = 40;

using Numbers = std::array<int, 3>;  ///< major, minor, patch; -1 = not given

enum class Rest : std::uint8_t { refused, ignored };  ///< what follows the patch number, as in "4.20.0-rc.3"

std::optional<Numbers> numbers_of(std::string_view version, Rest rest = Rest::refused) {
  Numbers numbers{-1, -1, -1};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), numbers[i]);
    if (error != std::errc() || numbers[i] < 0) return std::nullopt;
    version.remove_prefix(static_cast<std::size_t>(end - version.data()));
    if (version.empty()) return i == 0 ? std::nullopt : std::optional(numbers);
    if (i + 1 == numbers.size() && rest == Rest::ignored) return numbers;
    if (!version.starts_with('.')) return std::nullopt;
    version.remove_prefix(1);
  }
  return std::nullopt;
}

/// Whether `wanted` is beyond `running`: 4.20 is not beyond any 4.20.z.
bool is_newer(const Numbers& wanted, const Numbers& running) {
  for (std::size_t i = 0; i < wanted.size() && wanted[i] >= 0 && running[i] >= 0; ++i)
    if (wanted[i] != running[i]) return wanted[i] > running[i];
  return false;
}

Submission answered(Submission::Answer answer, std::string summary) {
  Submission submission;
  submission.answer = answer;
  submission.summary = std::move(summary);
  return submission;
}

/// The newest enabled version of the channel that `wanted` stands for; "" if there is none.
std::string newest_of(const json::array& versions, const Numbers& wanted, std::string_view channel) {
  std::string newest;
  Numbers best{-1, -1, -1};
  for (const json::value& item : versions) {
    const json::object* version = item.if_object();
    if (!version || text_at(*version, "channel_group") != channel) continue;
    const json::value* enabled = value_at(*version, "enabled");
    const auto numbers = numbers_of(text_at(*version, "raw_id"));
    const bool offered = numbers && !(enabled && enabled->is_bool() && !enabled->get_bool());
    if (!offered || (*numbers)[0] != wanted[0] || (*numbers)[1] != wanted[1] || *numbers <= best) continue;
    best = *numbers;
    newest = text_at(*version, "raw_id");
  }
  return newest;
}

Submission not_offered(std::string_view version, std::string_view channel) {
  model::Error error{.kind = model::ErrorKind::invalid,
                     .code = "InvalidRequestContent",
                     .message = fmt::format("Invalid value: '{}': not available in channel group '{}'", version, channel),
                     .target = "properties.version.id"};
  return refused(std::move(error), "the version is not offered");
}

const json::object* newest_policy(const json::array& policies) {
  const json::object* newest = nullptr;
  for (const json::value& item : policies) {
    const json::object* policy = item.if_object();
    if (policy && (!newest || text_at(*policy, "creation_timestamp") > text_at(*newest, "creation_timestamp"))) newest = policy;
  }
  return newest;
}

bool has_failed(const json::object& policy) {
  const std::string_view state = text_at(policy, "state.value");
  return state == "failed" || state == "cancelled";
}

Task<Fetched<json::array>> policies_of(Connection& connection, const UpgradeRoutes& routes, const Target& target) {
  std::string url = fmt::format("{}{}{}", target.internal_id, routes.policies, kNewestFirst);
  return fetch_items(connection, std::move(url), target.correlation_id);
}

/// The policy's version in full; the submission says why there is none.
Task<std::expected<std::string, Submission>> resolve(Connection& connection, const UpgradeRoutes& routes, const Target& target,
                                                     std::string wanted) {
  const auto numbers = numbers_of(wanted);
  if (!numbers || (*numbers)[2] >= 0) co_return wanted;
  auto versions = co_await fetch_items(connection, routes.versions, target.correlation_id);
  if (versions.kind != Fetched<json::array>::Kind::here)
    co_return std::unexpected(answered(Submission::Answer::unavailable, versions.summary));
  std::string_view channel = text_at(target.desired, "version.channelGroup");
  if (channel.empty()) channel = "stable";
  std::string newest = newest_of(versions.value, *numbers, channel);
  if (newest.empty()) co_return std::unexpected(not_offered(wanted, channel));
  co_return newest;
}

std::optional<Numbers> running_of(const json::object& current) {
  const std::string version = version_from_cs(text_at(current, "version.id"), text_at(current, "version.channel_group"));
  return numbers_of(version, Rest::ignored);
}

/// Of an object that does not say which version it runs in a way that can be compared.
Observation unreadable(const json::object& current) {
  Observation observation;
  observation.kind = Observation::Kind::unexpected;
  const std::string_view shown = text_at(current, "version.id");
  observation.summary =
      fmt::format("running version \"{}\" cannot be read", shown.size() <= kShownBytesMax ? shown : "(a long text)");
  return observation;
}

}  // namespace

std::optional<std::string> wanted_version(const json::object& desired, const json::object& current) {
  const std::string_view wanted = text_at(desired, "version.id");
  const auto asked = numbers_of(wanted, Rest::ignored), running = running_of(current);
  if (!asked || !running || !is_newer(*asked, *running)) return std::nullopt;
  return std::string(wanted);
}

Task<Submission> ask_for_upgrade(Connection& connection, UpgradeRoutes routes, Target target, json::object current) {
  auto wanted = wanted_version(target.desired, current);
  if (!wanted) co_return answered(Submission::Answer::accepted, "no upgrade is wanted");
  const auto version = co_await resolve(connection, routes, target, std::move(*wanted));
  if (!version) co_return version.error();
  const auto policies = co_await policies_of(connection, routes, target);
  using Kind = Fetched<json::array>::Kind;
  if (policies.kind != Kind::here) {
    const bool gone = policies.kind == Kind::gone;
    co_return answered(gone ? Submission::Answer::gone : Submission::Answer::unavailable, policies.summary);
  }
  const json::object* newest = newest_policy(policies.value);
  if (newest && text_at(*newest, "version") == *version && !has_failed(*newest))
    co_return answered(Submission::Answer::accepted, "the upgrade was asked for before");
  json::value body = json::object{{"version", *version}};
  std::string url = fmt::format("{}{}", target.internal_id, routes.policies);
  const Reply reply = co_await connection.write(http::Method::post, std::move(url), std::move(body), target.correlation_id);
  co_return judge(reply, Write::update, target);
}

Task<Observation> observe_upgrade(Connection& connection, UpgradeRoutes routes, Target target, json::object current,
                                  Observation done) {
  if (target.request != model::RequestKind::update) co_return done;
  const bool versioned = numbers_of(text_at(target.desired, "version.id"), Rest::ignored).has_value();
  if (versioned && !running_of(current)) co_return unreadable(current);
  if (!wanted_version(target.desired, current)) co_return done;
  const auto policies = co_await policies_of(connection, routes, target);
  if (policies.kind != Fetched<json::array>::Kind::here) co_return observation_of(policies);
  const json::object* newest = newest_policy(policies.value);
  co_return newest ? observe_upgrade_policy(*newest) : observe_upgrade_policy({});
}

}  // namespace acceptd::providers::cluster_service
