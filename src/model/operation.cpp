#include "model/operation.hpp"

#include <array>

#include "model/fields.hpp"
#include "model/json.hpp"

namespace acceptd::model {

namespace {

constexpr std::string_view kOperationType = "microsoft.redhatopenshift/hcpoperationsstatus";
constexpr std::array<std::string_view, 7> kStages{"submit", "sending", "search", "watch", "cascade", "follow", "done"};
constexpr std::array<std::string_view, 5> kRequests{"Create", "Update", "Delete", "", "Cleanup"};

std::optional<Stage> parse_stage(std::string_view text) {
  for (std::size_t i = 0; i < kStages.size(); ++i)
    if (kStages[i] == text) return static_cast<Stage>(i);
  return std::nullopt;
}

void write_identity(json::object& body, std::string_view key, const Identity& identity) {
  body[key] = json::object{{"tenantId", identity.tenant}, {"clientId", identity.client}};
}

Identity read_identity(const json::object& object) {
  return Identity{std::string(string_at(object, "tenantId")), std::string(string_at(object, "clientId"))};
}

void write_timeline(json::object& body, const std::vector<TimelineEntry>& timeline) {
  json::array entries(body.storage());
  for (const TimelineEntry& entry : timeline)
    entries.push_back(json::object({{"at", format_rfc3339(entry.at)}, {"event", entry.event}}, body.storage()));
  if (!entries.empty()) body["timeline"] = std::move(entries);
}

std::vector<TimelineEntry> read_timeline(const json::value* value) {
  std::vector<TimelineEntry> timeline;
  if (!value || !value->is_array()) return timeline;
  for (const json::value& entry : value->get_array())
    if (entry.is_object())
      timeline.push_back({parse_rfc3339(string_at(entry.get_object(), "at")).value_or(Time{}),
                          std::string(string_at(entry.get_object(), "event"))});
  return timeline;
}

/// What S0 names, under its names.
void write_reference_fields(json::object& body, const Operation& operation) {
  FieldWriter out(body);
  if (operation.exposed) {
    out.text("tenantId", operation.exposed->tenant);
    out.text("clientId", operation.exposed->client);
  }
  out.text("request", request_name(operation));
  out.text("externalId", operation.target.text());
  out.text("internalId", operation.internal_id);
  // S0: operationId is set by exposing. Until then the path waits under a name of our own.
  out.text(operation.exposed ? "operationId" : "intendedPath", operation.operation_path);
  out.text("notificationUri", operation.notification_uri);
  out.text("clientRequestId", operation.client_request_id);
  out.text("correlationRequestId", operation.correlation_request_id);
  out.time("startTime", operation.start);
  out.time("lastTransitionTime", operation.last_transition);
  out.text("status", to_string(operation.status));
  if (operation.error) body["error"] = error_to_json(*operation.error);
}

/// What the engine needs beyond them (DESIGN §3).
void write_engine_fields(json::object& body, const Operation& operation) {
  FieldWriter out(body);
  out.flag("exposed", operation.exposed.has_value());
  if (operation.request == RequestKind::action) body["isAction"] = true;
  out.id("incarnation", operation.incarnation);
  out.text("apiVersion", operation.api_version);
  write_identity(body, "initiator", operation.initiator);
  out.text("traceparent", operation.traceparent);
  out.text("stage", kStages[static_cast<std::size_t>(operation.stage)]);
  out.number("epoch", operation.epoch);
  out.time("deadline", operation.deadline);
  out.time("unreachableSince", operation.unreachable_since);
  out.number("pausedNanoseconds", static_cast<std::uint64_t>(operation.paused.count()));
  out.time("nextAttemptAt", operation.next_attempt_at);
  out.number("attempts", operation.attempts);
  out.time("sendUntil", operation.send_until);
  out.text("waitingOn", operation.waiting_on);
  out.text("lastAnswer", operation.last_answer);
  out.object("desired", operation.desired);
  out.object("desiredTags", operation.desired_tags);
  out.object("desiredIdentity", operation.desired_identity);
  out.object("desiredSystemData", operation.desired_system_data);
  if (operation.percent) body["percent"] = *operation.percent;
  out.text("step", operation.step);
  out.text("message", operation.message);
  out.id("follows", operation.follows);
  if (operation.result) body["result"] = *operation.result;
  out.time("expiresAt", operation.expires_at);
  write_timeline(body, operation.timeline);
}

void read_engine_fields(FieldReader& in, Operation& operation) {
  operation.incarnation = in.id("incarnation").value_or(Uuid{});
  operation.api_version = in.text("apiVersion");
  operation.initiator = read_identity(in.object("initiator"));
  operation.traceparent = in.text("traceparent");
  operation.epoch = in.number("epoch");
  operation.deadline = in.time("deadline").value_or(Time{});
  operation.unreachable_since = in.time("unreachableSince");
  operation.paused = Duration(static_cast<std::int64_t>(in.number("pausedNanoseconds")));
  operation.next_attempt_at = in.time("nextAttemptAt").value_or(Time{});
  operation.attempts = static_cast<std::uint32_t>(in.number("attempts"));
  operation.send_until = in.time("sendUntil");
  operation.waiting_on = in.text("waitingOn");
  operation.last_answer = in.text("lastAnswer");
  operation.desired = in.object("desired");
  operation.desired_tags = in.object("desiredTags");
  operation.desired_identity = in.object("desiredIdentity");
  operation.desired_system_data = in.object("desiredSystemData");
  if (const json::value* percent = in.find("percent"); percent && percent->is_number())
    operation.percent = percent->to_number<double>();
  operation.step = in.text("step");
  operation.message = in.text("message");
  operation.follows = in.id("follows");
  if (const json::value* result = in.find("result")) operation.result = json::value(*result, json::storage_ptr());
  operation.expires_at = in.time("expiresAt");
  operation.timeline = read_timeline(in.find("timeline"));
}

}  // namespace

std::string request_name(const Operation& operation) {
  if (operation.request == RequestKind::action) return operation.action;
  return std::string(kRequests[static_cast<std::size_t>(operation.request)]);
}

Document to_document(const Operation& operation) {
  Arena arena;
  json::object body(arena.storage());
  write_reference_fields(body, operation);
  write_engine_fields(body, operation);
  Document document;
  document.key = operation.key();
  document.type = kOperationType;
  document.body = json::serialize(body);
  document.index = Index{.kind = DocumentKind::operation,
                         .path = operation.target.key(),
                         .active = operation.active(),
                         .created = operation.start,
                         .error_code = operation.error ? operation.error->code : ""};
  document.expires_at = operation.expires_at;
  return document;
}

Result<Operation> operation_from(const Document& document) {
  const auto bad = [&] {
    return std::unexpected(Error{.kind = ErrorKind::internal,
                                 .code = "InternalServerError",
                                 .message = "A stored document is not an operation: " + to_string(document.key.id)});
  };
  Arena arena;
  auto parsed = parse_stored(document.body, arena.storage());
  if (!parsed || !parsed->is_object() || document.type != kOperationType) return bad();
  FieldReader in(parsed->get_object());
  const auto target = ResourceId::parse(in.text("externalId"));
  const auto status = parse_status(in.text("status"));
  const auto stage = parse_stage(in.text("stage"));
  if (!target || !status || !stage) return bad();

  Operation operation;
  operation.id = document.key.id;
  operation.partition = document.key.partition;
  operation.target = *target;
  operation.status = *status;
  operation.stage = *stage;
  const std::string request = in.text("request");
  if (in.flag("isAction")) {
    operation.request = RequestKind::action;
    operation.action = request;
  } else {
    for (std::size_t i = 0; i < kRequests.size(); ++i)
      if (kRequests[i] == request) operation.request = static_cast<RequestKind>(i);
  }
  if (in.flag("exposed")) operation.exposed = Identity{in.text("tenantId"), in.text("clientId")};
  operation.internal_id = in.text("internalId");
  operation.operation_path = in.text(operation.exposed ? "operationId" : "intendedPath");
  operation.notification_uri = in.text("notificationUri");
  operation.client_request_id = in.text("clientRequestId");
  operation.correlation_request_id = in.text("correlationRequestId");
  operation.start = in.time("startTime").value_or(Time{});
  operation.last_transition = in.time("lastTransitionTime").value_or(Time{});
  if (in.find("error")) operation.error = error_from_json(in.object("error"));
  read_engine_fields(in, operation);
  if (!in.ok()) return bad();
  return operation;
}

Result<Resource> result_resource(const Operation& operation) {
  if (!operation.result || !operation.result->is_object())
    return std::unexpected(Error{.kind = ErrorKind::not_found, .code = "NotFound", .message = "The operation has no result."});
  Document document;
  document.key = operation.key();
  document.body = json::serialize(*operation.result);
  return resource_from(document);
}

void note(Operation& operation, Time at, std::string event) {
  if (operation.timeline.size() >= kMaxTimeline) operation.timeline.erase(operation.timeline.begin() + 1);
  operation.timeline.push_back({at, std::move(event)});
}

}  // namespace acceptd::model
