#include "providers/http_backend/read_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "http/uri.hpp"
#include "model/error_code.hpp"
#include "model/resource_id.hpp"
#include "providers/http_backend/read_parts.hpp"

namespace acceptd::providers::http_backend {

namespace {

using config::Section;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::int64_t kConcurrencyMax = 10'000;
constexpr std::int64_t kAnswerBytesMax = 8 << 20;

void read_origin(Section& section, Spec& spec) {
  std::string text;
  section.required_text("url", text);
  if (text.empty()) return;
  const auto url = http::parse_url(text);
  if (!url || !url->query.empty() || text.find('#') != std::string::npos || !http::is_visible_ascii(text))
    return section.complain(
        "url", fmt::format("expected http://host:port or https://host:port, with or without a path, got \"{}\"", text));
  spec.origin = url->scheme + "://" + url->authority;
  spec.path_prefix = url->path;
  while (spec.path_prefix.ends_with('/')) spec.path_prefix.pop_back();
  if (!spec.path_prefix.empty() && !http::parse_target(spec.path_prefix))
    section.complain("url", "its path has empty or dot segments");
}

void read_credentials(Section section, Spec& spec) {
  Credentials credentials;
  section.required_text("file", credentials.file);
  const auto scheme = section.choice("as", {"bearer", "header"});
  std::string header;
  section.text("header", header);
  if (scheme == 1) {
    credentials.prefix.clear();
    credentials.header = header;
    if (!is_header_name(header)) section.complain("header", "say which header field holds the secret, such as X-Api-Key");
  } else if (!header.empty()) {
    section.complain("header", "is for \"as: header\"; a bearer token goes into Authorization");
  }
  section.finish();
  spec.credentials = std::move(credentials);
}

void read_calls(Section section, CallLimits& calls) {
  section.integer("concurrency", calls.concurrency, 1, kConcurrencyMax);
  section.integer("answer_bytes_max", calls.answer_bytes_max, 1024, kAnswerBytesMax);
  section.duration("request_timeout", calls.request_timeout, milliseconds(10), minutes(10));
  section.duration("settle_time", calls.settle_time, milliseconds(0), hours(24));
  section.integer("read_attempts", calls.read_attempts, 1, 10);
  section.duration("backoff_first", calls.backoff_first, milliseconds(1), minutes(1));
  section.duration("backoff_max", calls.backoff_max, milliseconds(1), minutes(1));
  section.integer("breaker_failures", calls.breaker_failures, 1, 10'000);
  section.duration("breaker_open_for", calls.breaker_open_for, milliseconds(10), minutes(10));
  if (calls.backoff_first > calls.backoff_max) section.complain("backoff_first", "must not be longer than backoff_max");
  section.finish();
}

void read_states(Section section, States& states) {
  using model::Status;
  static const std::vector<std::string_view> kWords{"Accepted",  "Provisioning", "Updating", "Deleting",
                                                    "Succeeded", "Failed",       "Canceled", "Gone"};
  for (const std::string& state : section.keys()) {
    const auto chosen = section.choice(state, kWords);
    if (!chosen) continue;
    StateMeaning& meaning = states[state];
    if (kWords[*chosen] != "Gone") meaning.status = static_cast<Status>(*chosen + 1);
  }
  section.finish();
}
static_assert(static_cast<int>(model::Status::accepted) == 1 && static_cast<int>(model::Status::canceled) == 7);

ErrorText read_error_text(Section section) {
  ErrorText text;
  section.required_text("code", text.code);
  if (!text.code.empty() && !model::is_pascal_case(text.code))
    section.complain("code", fmt::format("expected PascalCase, such as QuotaExceeded, got \"{}\"", text.code));
  section.required_text("message", text.message);
  section.finish();
  return text;
}

Probe read_probe(Section section, const Fields& fields, const Reading& reading) {
  Probe probe;
  probe.url = read_url(section, "url", reading);
  probe.headers = read_headers(section, reading);
  if (auto list = read_required_pointer(section, "list")) probe.list = std::move(*list);
  if (auto id = read_pointer(section, "internal_id"))
    probe.internal_id = std::move(*id);
  else if (fields.internal_id)
    probe.internal_id = *fields.internal_id;
  else
    section.complain("", "say where the object's id is: internal_id");
  probe.stamp = read_pointer(section, "stamp");
  probe.name = read_pointer(section, "name");
  if (!probe.stamp && !probe.name)
    section.complain("",
                     "say how our object is told from a stranger's: stamp (where the {incarnation} that was sent is), or name");
  probe.created = read_pointer(section, "created");
  probe.state = fields.state;
  if (auto state = read_pointer(section, "state")) probe.state = std::move(state);
  probe.observed = fields.observed;
  section.finish();
  return probe;
}

PushSpec read_push(Section section, const Fields& fields) {
  PushSpec push;
  section.required_text("name", push.name);
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (!std::ranges::all_of(push.name, plain)) section.complain("name", "expected lower-case letters, digits and hyphens");
  section.text("url", push.url);
  const auto url = http::parse_url(push.url);
  if (!push.url.empty() && (!url || !url->path.empty() || !url->query.empty()))
    section.complain("url", fmt::format("expected http://host:port or https://host:port without a path, got \"{}\"", push.url));
  if (section.choice("proof", {"bearer", "hmac"}) == 1) push.proof = PushSpec::Proof::hmac;
  section.required_text("secret_file", push.secret_file);
  std::string signature, timestamp;
  section.text("signature_header", signature);
  section.text("timestamp_header", timestamp);
  for (const auto& [key, name] : {std::pair("signature_header", &signature), std::pair("timestamp_header", &timestamp)}) {
    if (name->empty()) continue;
    if (push.proof != PushSpec::Proof::hmac) section.complain(key, "is for \"proof: hmac\"");
    if (!is_header_name(*name)) section.complain(key, "is not the name of a header field");
  }
  if (!signature.empty()) push.signature_header = signature;
  push.timestamp_header = timestamp;
  push.fields = read_fields(section, fields);
  section.finish();
  return push;
}

bool sends(const Verb& verb, Name name) {
  const auto in_header = [&](const auto& header) { return header.second.uses({name}); };
  return verb.url.uses({name}) || std::ranges::any_of(verb.headers, in_header) || (verb.body && verb.body->uses({name}));
}

/// What is right in each part and wrong in the whole.
void check_whole(Section& section, const Spec& spec) {
  if (!spec.create_is_idempotent() && !spec.probe)
    section.complain("", "say how an object is found again when the answer to its create is lost: idempotency_header, or probe");
  const bool stamped = sends(spec.create, Name::incarnation) || std::ranges::any_of(spec.headers, [](const auto& header) {
                         return header.second.uses({Name::incarnation});
                       });
  if (spec.probe && spec.probe->stamp && !stamped)
    section.complain("probe", "looks for a stamp that create does not send: put {incarnation} into its body, URL or headers");
  bool reads_state = spec.status && spec.status->fields.state;
  for (const auto& [name, action] : spec.actions) reads_state |= action.status && action.status->fields.state;
  if (reads_state && spec.states.empty())
    section.complain("", "the status has a state: say in states what each of the backend's words means");
  if (!spec.idempotency_header.empty() && spec.credentials &&
      model::equals_ignoring_case(spec.idempotency_header, spec.credentials->header))
    section.complain("idempotency_header", "is the header field of the credentials");
}

void read_verbs(Section& section, const Fields& fields, const Reading& reading, Spec& spec) {
  const auto required = [&](const std::string& key, Kind kind, Verb& verb) {
    if (auto given = section.optional_child(key))
      verb = read_verb(std::move(*given), kind, fields, reading);
    else
      section.complain(key, "is required; add it");
  };
  required("create", Kind::create, spec.create);
  required("delete", Kind::remove, spec.remove);
  if (auto update = section.optional_child("update")) spec.update = read_verb(std::move(*update), Kind::update, fields, reading);
  if (auto cancel = section.optional_child("cancel")) spec.cancel = read_verb(std::move(*cancel), Kind::cancel, fields, reading);
  Section actions = section.child("actions");
  for (const std::string& name : actions.keys())
    spec.actions[model::to_lower(name)] = read_verb(actions.child(name), Kind::action, fields, reading);
  actions.finish();
}

}  // namespace

Spec read_spec(Section section, Reports reports) {
  Spec spec;
  read_origin(section, spec);
  section.text("ca_file", spec.ca_file);
  if (auto credentials = section.optional_child("credentials")) read_credentials(std::move(*credentials), spec);
  section.text("idempotency_header", spec.idempotency_header);
  if (!spec.idempotency_header.empty() && !is_header_name(spec.idempotency_header))
    section.complain("idempotency_header", "is not the name of a header field that can be chosen");
  section.boolean("unique_ids", spec.unique_ids);
  section.boolean("removes_children", spec.removes_children);
  read_calls(section.child("calls"), spec.calls);
  read_states(section.child("states"), spec.states);
  Section errors = section.child("errors");
  for (const std::string& code : errors.keys()) spec.errors[code] = read_error_text(errors.child(code));
  errors.finish();
  if (auto other = section.optional_child("other_error")) spec.other_error = read_error_text(std::move(*other));

  const Fields fields = read_fields(section, {});
  Reading reading;
  if (auto push = section.optional_child("push")) {
    if (reports == Reports::not_served) section.complain("push", "is not served yet; remove it");
    spec.push = read_push(std::move(*push), fields);
  }
  reading.has_callback = spec.push && !spec.push->url.empty();
  spec.headers = read_headers(section, reading);
  if (auto status = section.optional_child("status")) spec.status = read_status(std::move(*status), fields, reading);
  reading.has_status = spec.status.has_value();
  if (auto probe = section.optional_child("probe")) spec.probe = read_probe(std::move(*probe), fields, reading);
  reading.has_probe = spec.probe.has_value();
  read_verbs(section, fields, reading, spec);
  check_whole(section, spec);
  section.finish();
  return spec;
}

}  // namespace acceptd::providers::http_backend
