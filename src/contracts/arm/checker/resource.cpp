#include <fmt/format.h>

#include "contracts/arm/checker/seen.hpp"
#include "http/uri.hpp"
#include "model/json.hpp"
#include "model/resource_id.hpp"

namespace acceptd::contracts::arm::checker {

namespace {

using http::Method;
using model::equals_ignoring_case;

/// Why `id`, `name` and `type` are not those of the URL; "" if they are.
std::string envelope_mistake(const Seen& seen) {
  if (!seen.object) return "the body is not a resource";
  const std::string_view id = model::string_at(*seen.object, "id"), name = model::string_at(*seen.object, "name");
  std::string_view asked = seen.exchange.path;
  while (asked.ends_with('/')) asked.remove_suffix(1);
  if (asked.starts_with("//")) asked.remove_prefix(1);
  const auto path = http::percent_decode(asked);
  if (!path || !equals_ignoring_case(id, *path)) return fmt::format("id is '{}', the path is '{}'", id, asked);
  const auto parsed = model::ResourceId::parse(id);
  if (!parsed) return fmt::format("id '{}' is no resource ID", id);
  if (name != parsed->name()) return fmt::format("name is '{}', not the last part of id", name);
  const std::string_view type = model::string_at(*seen.object, "type");
  return equals_ignoring_case(type, parsed->type_key()) ? "" : fmt::format("type is '{}', not that of id", type);
}

void check_tag(Seen& seen) {
  const json::value* tag = seen.object ? seen.object->if_contains("etag") : nullptr;
  const auto header = seen.exchange.headers.get("ETag");
  const bool in_body = tag && tag->is_string();
  if (!in_body && !header) return;
  seen.expect("ARM-100", in_body && header && std::string_view(tag->get_string()) == *header,
              [] { return "etag in the body and ETag in the header are not the same"; });
}

/// 200 or 201 of a write: at work if a status is to be watched, else done.
void check_written(Seen& seen) {
  const bool watched = seen.has("Azure-AsyncOperation");
  const bool patched = seen.exchange.method == Method::patch;
  seen.expect("CL-05", !seen.has("Location") && !(watched && patched),
              [] { return "a synchronous answer names an operation to watch"; });
  if (!watched || patched) return;
  const std::string_view state = seen.provisioning_state();
  const bool told = seen.expect("ARM-140", !state.empty(), [] {
    return "work goes on, and the body has no properties.provisioningState: clients read that as Succeeded";
  });
  if (told)
    seen.expect("ARM-142", !is_terminal(state), [&] { return fmt::format("work goes on, and provisioningState is {}", state); });
}

std::string_view location_rule(Method method) {
  if (method == Method::patch) return "ARM-150";
  return method == Method::remove ? "ARM-152" : "ARM-154";
}

/// 202: no body, and a way to learn of the end.
void check_accepted(Seen& seen) {
  const Method method = seen.exchange.method;
  seen.expect("ARM-155", seen.exchange.body.empty(), [] { return "202 has a body"; });
  if (method != Method::put) seen.expect(location_rule(method), seen.has("Location"), [] { return "202 names no Location"; });
}

void check_success(Seen& seen) {
  const Exchange& exchange = seen.exchange;
  if (exchange.status == 202) return check_accepted(seen);
  if (exchange.method == Method::remove || exchange.status == 204) {
    seen.expect("ARM-083", exchange.body.empty(), [&] { return fmt::format("{} has a body", exchange.status); });
    return;
  }
  if (exchange.subject != Subject::resource || exchange.method == Method::head) return;
  const std::string mistake = envelope_mistake(seen);
  seen.expect("ARM-053", mistake.empty(), [&] { return mistake; });
  check_tag(seen);
  if (exchange.method != Method::get) return check_written(seen);
  seen.expect("CL-05", !seen.has("Location") && !seen.has("Azure-AsyncOperation"),
              [] { return "a GET names an operation to watch"; });
}

void check_list(Seen& seen) {
  if (seen.exchange.status != 200 || seen.exchange.method != Method::get) return;
  const json::value* items = seen.object ? seen.object->if_contains("value") : nullptr;
  seen.expect("ARM-090", items && items->is_array(), [] { return "a list has no array 'value'"; });
}

/// What stands for running must not look like an end to clients that search for words in it.
void check_state_name(Seen& seen, std::string_view state) {
  if (state.empty() || is_terminal(state)) return;
  const std::string lower = model::to_lower(state);
  seen.expect("CL-07", !lower.contains("succeeded") && !lower.contains("fail") && !lower.contains("cancel"),
              [&] { return fmt::format("'{}' means work here and an end to clients", state); });
}

}  // namespace

void check_resource(Seen& seen) {
  const Subject subject = seen.exchange.subject;
  if (!seen.success()) return;
  if (subject == Subject::list) check_list(seen);
  if (subject == Subject::resource || subject == Subject::action) check_success(seen);
  if (subject == Subject::resource) check_state_name(seen, seen.provisioning_state());
  if (subject == Subject::operation_status && seen.object) check_state_name(seen, model::string_at(*seen.object, "status"));
}

}  // namespace acceptd::contracts::arm::checker
