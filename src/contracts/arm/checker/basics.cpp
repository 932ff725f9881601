#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "contracts/arm/checker/seen.hpp"
#include "http/uri.hpp"
#include "model/error_code.hpp"
#include "model/json.hpp"
#include "model/resource_id.hpp"

namespace acceptd::contracts::arm::checker {

namespace {

constexpr int kWaitMin = 10, kWaitMax = 600;  // seconds

void check_identifiers(Seen& seen) {
  const Exchange& exchange = seen.exchange;
  seen.expect("ARM-001", !seen.header("x-ms-request-id").empty(), [] { return "there is no x-ms-request-id"; });
  if (exchange.as_received) seen.expect("ARM-002", !seen.header("Date").empty(), [] { return "there is no Date"; });
  const auto asked = exchange.asked.get("x-ms-client-request-id");
  const bool wanted =
      asked && model::equals_ignoring_case(exchange.asked.get("x-ms-return-client-request-id").value_or(""), "true");
  const auto returned = exchange.headers.get("x-ms-client-request-id");
  seen.expect("ARM-005", wanted ? returned == asked : !returned, [&] {
    return wanted ? "x-ms-client-request-id was asked for and is not returned"
                  : "x-ms-client-request-id is returned though nobody asked for it";
  });
}

void check_body(Seen& seen) {
  const Exchange& exchange = seen.exchange;
  if (exchange.body.empty()) return;
  // The name of the region and other plain answers are nobody's resource.
  if (exchange.subject == Subject::other && exchange.status < 400) return;
  const std::string_view type = seen.header("Content-Type");
  const std::string_view media = type.substr(0, type.find(';'));
  const bool json = model::equals_ignoring_case(media.substr(0, media.find_last_not_of(' ') + 1), "application/json");
  seen.expect("ARM-003", json && seen.readable, [&] {
    return json ? "the body is not JSON" : fmt::format("the body's Content-Type is '{}', not application/json", type);
  });
}

void check_error(Seen& seen) {
  if (seen.exchange.status < 400 || seen.exchange.body.empty() || !seen.readable) return;
  const json::object* error = seen.object ? model::object_at(*seen.object, "error") : nullptr;
  const std::string_view code = error ? model::string_at(*error, "code") : "";
  const std::string_view message = error ? model::string_at(*error, "message") : "";
  if (!seen.expect("ARM-040", !code.empty() && !message.empty(), [] { return "the body has no error.code and error.message"; }))
    return;
  seen.expect("ARM-041", model::is_pascal_case(code), [&] { return fmt::format("error.code '{}' is not in PascalCase", code); });
  const std::string_view header = seen.header("x-ms-error-code");
  seen.expect("ARM-044", header == code,
              [&] { return fmt::format("x-ms-error-code is '{}', error.code is '{}'", header, code); });
  if (seen.exchange.status == 412)
    seen.expect("ARM-111", code == "PreconditionFailed",
                [&] { return fmt::format("412 says '{}' instead of PreconditionFailed", code); });
}

bool has_version(const http::Url& url) {
  const auto target = http::parse_target(fmt::format("/?{}", url.query));
  return target && std::ranges::any_of(target->query, [](const http::QueryParameter& one) {
           return model::equals_ignoring_case(one.name, "api-version") && !one.value.empty();
         });
}

/// Absolute, at the host that the caller knows, and with an api-version.
void check_link(Seen& seen, std::string_view rule, std::string_view what, std::string_view text) {
  const auto url = http::parse_url(text);
  if (!seen.expect(rule, url.has_value(), [&] { return fmt::format("{} is '{}', not an absolute URI", what, text); })) return;
  if (const auto referer = http::parse_url(seen.exchange.asked.get("referer").value_or("")))
    seen.expect("ARM-011", url->scheme == referer->scheme && model::equals_ignoring_case(url->authority, referer->authority),
                [&] {
                  return fmt::format("{} leads to {}://{}, the referer is {}://{}", what, url->scheme, url->authority,
                                     referer->scheme, referer->authority);
                });
  seen.expect("ARM-033", has_version(*url), [&] { return fmt::format("{} has no api-version", what); });
}

void check_links(Seen& seen) {
  for (const auto& [rule, header] : {std::pair{"ARM-121", "Location"}, std::pair{"ARM-122", "Azure-AsyncOperation"}})
    if (const auto link = seen.exchange.headers.get(header)) check_link(seen, rule, header, *link);
  if (seen.exchange.subject != Subject::list || !seen.object) return;
  const json::value* next = seen.object->if_contains("nextLink");
  const bool last = !next || next->is_null();
  const std::string_view text = next && next->is_string() ? std::string_view(next->get_string()) : std::string_view();
  seen.expect("ARM-094", last || !text.empty(), [] { return "nextLink is there without leading anywhere"; });
  if (!text.empty()) check_link(seen, "ARM-093", "nextLink", text);
}

void check_wait(Seen& seen) {
  const auto wait = seen.exchange.headers.get("Retry-After");
  if (!wait) return;
  int seconds = 0;
  const auto [end, failed] = std::from_chars(wait->data(), wait->data() + wait->size(), seconds);
  const bool number = failed == std::errc() && end == wait->data() + wait->size();
  const bool bounded = seen.exchange.short_waits || (seconds >= kWaitMin && seconds <= kWaitMax);
  seen.expect("ARM-120", number && bounded, [&] {
    return fmt::format("Retry-After is '{}', expected a number of seconds from {} to {}", *wait, kWaitMin, kWaitMax);
  });
}

}  // namespace

void check_basics(Seen& seen) {
  check_identifiers(seen);
  check_body(seen);
  check_error(seen);
  check_links(seen);
  check_wait(seen);
}

}  // namespace acceptd::contracts::arm::checker
