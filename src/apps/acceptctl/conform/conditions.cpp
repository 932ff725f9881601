#include <fmt/format.h>

#include "apps/acceptctl/conform/provider.hpp"

namespace acceptd::acceptctl::conform {

namespace {

using http::Method;

constexpr std::string_view kStaleTag = "\"no-such-tag\"";

std::string to_upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

/// The resource's name in other letters.
std::string other_case(std::string text) {
  const std::size_t at = text.rfind('/') + 1;
  const std::string upper = to_upper(text.substr(at)), lower = model::to_lower(text.substr(at));
  return text.replace(at, std::string::npos, text.substr(at) == lower ? upper : lower);
}

Question with(Question question, std::string_view header, std::string_view value) {
  question.headers.add(header, value);
  return question;
}

/// Refused by a precondition, and nothing of it done.
runtime::Task<void> check_refused_cells(Provider& provider) {
  const json::object patch{{"tags", {{"conformance", "stale"}}}};
  Question created = with(provider.put(provider.options().body), "If-None-Match", "*");
  co_await provider.talk().expect("ARM-104", 412, std::move(created));
  Question put = with(provider.put(provider.options().body), "If-Match", kStaleTag);
  co_await provider.talk().expect("ARM-103", 412, std::move(put));
  Question patched = with(provider.patch(patch), "If-Match", kStaleTag);
  co_await provider.talk().expect("ARM-107", 412, std::move(patched));
  Question removed = with(provider.question(Method::remove), "If-Match", kStaleTag);
  co_await provider.talk().expect("ARM-110", 412, std::move(removed));
}

/// PUT with a body that disagrees with what is stored.
runtime::Task<void> check_disagreement(Provider& provider) {
  json::object body = provider.options().body;
  json::value& properties = body["properties"];
  if (!properties.is_object()) properties = json::object{};
  properties.get_object()["provisioningState"] = "Failed";
  Question disagrees = provider.put(body);
  co_await provider.talk().expect("ARM-139", 400, std::move(disagrees));
  if (!provider.options().body.contains("location")) co_return;
  json::object moved = provider.options().body;
  moved["location"] = "atlantis";
  Question elsewhere = provider.put(moved);
  co_await provider.talk().expect("ARM-056", 400, std::move(elsewhere));
}

/// PUT over what exists, with the state that it has.
runtime::Task<void> check_repetition(Provider& provider) {
  json::object body = provider.options().body;
  json::value& properties = body["properties"];
  if (!properties.is_object()) properties = json::object{};
  properties.get_object()["provisioningState"] = "Succeeded";
  Question agrees = provider.put(body);
  Question begun = agrees;
  Reply again = co_await provider.talk().expect("ARM-138", 200, std::move(agrees));
  if (again.status == 200) co_await provider.follow(std::move(begun), std::move(again));
  Question any = with(provider.put(provider.options().body), "If-Match", "*");
  Question repeated = any;
  Reply third = co_await provider.talk().expect("ARM-102", 200, std::move(any));
  if (third.status == 200) co_await provider.follow(std::move(repeated), std::move(third));
}

}  // namespace

runtime::Task<void> check_conditions(Provider& provider) {
  Question first = provider.question(Method::get);
  const Reply before = co_await provider.talk().ask(std::move(first));
  const std::string tag = before.member("etag");
  if (!tag.empty()) {
    co_await check_refused_cells(provider);
    Question same = with(provider.question(Method::get), "If-None-Match", tag);
    co_await provider.talk().expect("ARM-113", 304, std::move(same));
  }
  co_await check_disagreement(provider);
  Question second = provider.question(Method::get);
  const Reply after = co_await provider.talk().ask(std::move(second));
  provider.report().judge("ARM-111", after.body == before.body, "a request that was refused changed the resource");
  Question shouted = provider.question(Method::get);
  shouted.path = other_case(shouted.path);
  co_await provider.talk().expect("ARM-013", 200, std::move(shouted));
  co_await check_repetition(provider);
}

}  // namespace acceptd::acceptctl::conform
