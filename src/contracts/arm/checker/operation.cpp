#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "contracts/arm/checker/seen.hpp"
#include "http/uri.hpp"
#include "model/json.hpp"
#include "model/resource_id.hpp"
#include "model/time.hpp"

namespace acceptd::contracts::arm::checker {

namespace {

using model::equals_ignoring_case;

std::string_view last_part(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

/// An envelope; other bodies of results are the backend's own.
bool is_resource(const json::object& body) {
  constexpr std::array<std::string_view, 3> kEnvelope{"id", "name", "type"};
  return std::ranges::none_of(kEnvelope, [&](std::string_view member) { return model::string_at(body, member).empty(); });
}

/// `id` is compared by its last part: the type before it has more than one spelling.
void check_name(Seen& seen) {
  const std::string_view id = model::string_at(*seen.object, "id"), name = model::string_at(*seen.object, "name");
  const bool right = id.starts_with('/') && equals_ignoring_case(last_part(id), operation_name(seen.exchange).value_or("")) &&
                     equals_ignoring_case(name, last_part(id));
  seen.expect("ARM-174", right, [&] { return fmt::format("id '{}' and name '{}' are not the operation's", id, name); });
}

bool is_time(const json::value& value) {
  return value.is_string() && model::parse_rfc3339(std::string_view(value.get_string())).has_value();
}

void check_times(Seen& seen, bool ended) {
  constexpr std::array<std::string_view, 2> kTimes{"startTime", "endTime"};
  for (const std::string_view member : kTimes)
    if (const json::value* time = seen.object->if_contains(member))
      seen.expect("ARM-175", is_time(*time), [&] { return fmt::format("{} is not a time in the form of ISO 8601", member); });
  if (!ended) seen.expect("ARM-175", !seen.object->contains("endTime"), [] { return "endTime is there before the end"; });
}

void check_percent(Seen& seen) {
  const json::value* percent = seen.object->if_contains("percentComplete");
  if (!percent) return;
  boost::system::error_code failed;
  const auto value = percent->to_number<double>(failed);
  seen.expect("ARM-176", !failed && value >= 0 && value <= 100, [] { return "percentComplete is not a number from 0 to 100"; });
}

void check_end(Seen& seen, std::string_view status) {
  const bool ended = is_terminal(status), succeeded = equals_ignoring_case(status, "Succeeded");
  seen.expect("ARM-177", succeeded || !seen.object->contains("properties"),
              [&] { return fmt::format("properties are there and status is {}", status); });
  if (ended && !succeeded) {
    const json::object* error = model::object_at(*seen.object, "error");
    const bool told = error && !model::string_at(*error, "code").empty() && !model::string_at(*error, "message").empty();
    seen.expect("ARM-178", told, [&] { return fmt::format("status is {} without error.code and error.message", status); });
  }
  if (!ended)
    seen.expect("ARM-180", seen.has("Retry-After"), [] { return "the operation goes on, and there is no Retry-After"; });
}

void check_status(Seen& seen) {
  const unsigned code = seen.exchange.status;
  if (!seen.expect("ARM-170", code == 200,
                   [&] { return fmt::format("the status of a known operation is answered {} instead of 200", code); }))
    return;
  const std::string_view status = seen.object ? model::string_at(*seen.object, "status") : std::string_view();
  if (!seen.expect("ARM-172", !status.empty(), [] { return "the body has no status"; })) return;
  check_name(seen);
  check_times(seen, is_terminal(status));
  check_percent(seen);
  check_end(seen, status);
  seen.expect("ARM-181", !seen.object->contains("resourceLocation"),
              [] { return "resourceLocation would send clients elsewhere for the result"; });
}

void check_result(Seen& seen) {
  if (seen.exchange.status == 202) {
    seen.expect("ARM-160", seen.has("Location"), [] { return "202 does not repeat Location"; });
    seen.expect("ARM-160", seen.exchange.body.empty(), [] { return "202 has a body"; });
    return;
  }
  if (seen.object && is_resource(*seen.object)) {
    const std::string_view state = seen.provisioning_state();
    seen.expect("ARM-164", state.empty() || is_terminal(state),
                [&] { return fmt::format("the operation has ended, and provisioningState is {}", state); });
  }
  seen.expect("ARM-161", !seen.has("Location"),
              [] { return "the final answer names a Location, as the synchronous one would not"; });
}

}  // namespace

std::optional<std::string> operation_name(const Exchange& exchange) { return http::percent_decode(last_part(exchange.path)); }

void check_operation(Seen& seen) {
  if (!seen.success() || seen.exchange.method != http::Method::get) return;
  if (seen.exchange.subject == Subject::operation_status) check_status(seen);
  if (seen.exchange.subject == Subject::operation_result) check_result(seen);
}

}  // namespace acceptd::contracts::arm::checker
