/// PUT and PATCH of a resource.

#include "contracts/arm/envelope.hpp"
#include "contracts/arm/render.hpp"
#include "contracts/arm/service.hpp"
#include "contracts/arm/system_data.hpp"

namespace acceptd::contracts::arm {

namespace {

/// Turns one request's body into the stored shape. Pure; called again if the documents changed meanwhile.
struct Builder {
  const engine::ResourceType& type;
  const model::ResourceId& id;
  const std::string& api_version;
  const std::string& region;
  const engine::Caller& caller;
  bool patch = false;
  model::Result<boost::json::object> body;  ///< an unreadable one is reported here: a conflict wins over it (HCP-003)
  boost::json::object system_data;
  model::Time now{};
  model::Uuid generated{};
  std::string identity_url;
  std::optional<std::vector<std::string>> features;

  model::Result<engine::Desired> operator()(const model::Resource* existing, const model::Resource* parent) const {
    if (!body) return std::unexpected(body.error());
    const EnvelopeInput envelope{.id = id,
                                 .type = type,
                                 .api_version = api_version,
                                 .region = type.info().location.empty() ? region : type.info().location,
                                 .existing = existing,
                                 .patch = patch};
    Envelope read = read_envelope(*body, envelope);
    const engine::BuildInput input{.id = id,
                                   .api_version = api_version,
                                   .body = read.body,
                                   .existing = existing,
                                   .parent = parent,
                                   .patch = patch,
                                   .patch_sent = patch ? &*body : nullptr,
                                   .tenant = caller.tenant,
                                   .region = region,
                                   .generated = generated,
                                   .identity_url = identity_url,
                                   .features = features ? &*features : nullptr};
    auto desired = type.build(input);
    if (auto error = all_mistakes(std::move(read.problems), desired)) return std::unexpected(std::move(*error));
    // Only a change of what users may change is a modification (ARM-069).
    const bool same = existing && existing->desired == desired->properties && existing->tags == desired->tags &&
                      existing->identity == desired->identity;
    desired->system_data =
        same && !existing->system_data.empty()
            ? existing->system_data
            : complete_system_data(system_data, existing ? &existing->system_data : nullptr, caller.principal, now);
    return desired;
  }
};

}  // namespace

Task<http::Response> Service::write_resource(const Call& call) {
  auto preconditions = preconditions_of(call.request);
  if (!preconditions) co_return error_response(preconditions.error());
  auto system_data = system_data_of(call.request);
  if (!system_data) co_return error_response(system_data.error());
  auto identity_url = identity_url_of(call.request);
  if (!identity_url) co_return error_response(identity_url.error());
  auto body = body_of(call.request, false);
  auto features = co_await features_of(call, body);
  const bool patch = call.request.method == http::Method::patch;
  Builder builder{.type = *call.route.type,
                  .id = *call.route.id,
                  .api_version = call.api_version,
                  .region = options_.region,
                  .caller = call.caller,
                  .patch = patch,
                  .body = std::move(body),
                  .system_data = std::move(*system_data),
                  .now = clock_.now(),
                  .generated = random_.uuid_v4(),
                  .identity_url = std::move(*identity_url),
                  .features = std::move(features)};
  engine::WriteRequest request{.id = *call.route.id,
                               .patch = patch,
                               .caller = call.caller,
                               .correlation = call.correlation,
                               .preconditions = std::move(*preconditions),
                               .api_version = call.api_version,
                               .build = std::move(builder),
                               .operation_path = status_path(call)};
  auto accepted = co_await engine_.write(std::move(request));
  if (!accepted) co_return error_response(accepted.error());
  const engine::Verbs verbs = call.route.type->verbs(call.api_version);
  const engine::Verb& verb = patch ? verbs.patch : verbs.put;
  if (verb.answered == engine::Answered::when_done) {
    const model::Operation operation = co_await awaited(call, *accepted->operation);
    if (!operation.active()) co_return co_await ended_answer(call, operation);
  }
  if (verb.answered == engine::Answered::as_accepted || (patch && verb.answered == engine::Answered::when_done)) {
    http::Response response{.status = 202};
    add_links(response, call, *accepted->operation, Links::status_and_location);
    co_return response;
  }
  // Clients end at once if the first answer looks finished (ARM-142): what went on meanwhile they learn by asking.
  model::Resource& resource = *accepted->resource;
  if (model::is_terminal(resource.provisioning_state)) resource.provisioning_state = model::Status::accepted;
  const bool created = accepted->outcome == engine::Accepted::Outcome::created && !patch && verb.tells_created;
  const unsigned status = created ? 201 : 200;
  http::Response response = resource_response(status, resource, *call.route.type, call.api_version);
  add_links(response, call, *accepted->operation, Links::status);
  co_return response;
}

}  // namespace acceptd::contracts::arm
