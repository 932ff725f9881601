#include <fmt/format.h>

#include "apps/acceptctl/conform/provider.hpp"
#include "http/uri.hpp"
#include "model/json.hpp"
#include "model/uuid.hpp"

namespace acceptd::acceptctl::conform {

namespace {

using checker::Subject;
using http::Method;

/// The path of a member that was asked for and is not shown so; "" if none. Members that only the provider may read are
/// for it to know: what is absent in the answer is not judged below the first level of `properties`.
std::string difference(const json::object& asked, const json::object& shown, const std::string& prefix, int levels) {
  for (const auto& [name, value] : asked) {
    const std::string path = prefix + std::string(name);
    const json::value* found = shown.if_contains(name);
    if (!found) {
      if (levels > 0 && !value.is_null()) return path;
      continue;
    }
    if (value.is_object() && found->is_object()) {
      if (std::string deeper = difference(value.get_object(), found->get_object(), path + ".", levels - 1); !deeper.empty())
        return deeper;
    } else if (value.is_string() && found->is_string()) {
      if (!model::equals_ignoring_case(value.get_string(), found->get_string())) return path;  // ARM-055: "West US", "westus"
    } else if (value.is_bool() && *found != value) {
      return path;
    }
  }
  return "";
}

void compare(Provider& provider, std::string_view rule, const Reply& reply, std::string_view what) {
  json::object asked = provider.options().body;
  asked.erase("location");
  const std::string path = reply.object() ? difference(asked, *reply.object(), "", 1) : "the body";
  provider.report().judge(rule, path.empty(), fmt::format("{} does not show {} as it was asked for", what, path));
}

/// While it is being made: there, in the list, and as it will be.
runtime::Task<void> check_meanwhile(Provider& provider) {
  Question about = provider.question(Method::get);
  const Reply resource = co_await provider.talk().expect("ARM-133", 200, std::move(about));
  if (resource.status == 200) compare(provider, "ARM-131", resource, "GET while the operation runs");
  const std::size_t listed = co_await provider.count_in_list();
  provider.report().judge("ARM-133", listed == 1, fmt::format("the list has the resource {} times, expected once", listed));
}

/// Nobody else's operations are to be seen, nor such as never were.
runtime::Task<void> check_operation_privacy(Provider& provider, const std::string& status_url) {
  auto status = provider.question_of(status_url, Subject::operation_status);
  if (!status) co_return;
  Question unknown = *status;
  unknown.path = unknown.path.substr(0, unknown.path.rfind('/') + 1) + model::to_string(provider.talk().random().uuid_v4());
  co_await provider.talk().expect("ARM-165", 404, std::move(unknown));
  if (provider.options().stranger.tenant.empty()) co_return;
  provider.talk().act_as(provider.options().stranger);
  Question foreign = *status;
  co_await provider.talk().expect("ARM-183", 404, std::move(foreign));
  provider.talk().act_as(provider.options().identity);
}

/// After its operation has ended, a resource reads as it will until the next one.
runtime::Task<void> check_rest(Provider& provider, const Ending& ending) {
  Question first = provider.question(Method::get);
  const Reply before = co_await provider.talk().ask(std::move(first));
  const std::string state = before.state();
  const bool agrees = ending.status.empty() || state.empty() || model::equals_ignoring_case(state, ending.status);
  provider.report().judge("ARM-141", agrees, fmt::format("the operation ended {}, and the resource is {}", ending.status, state));
  Question second = provider.question(Method::get);
  const Reply after = co_await provider.talk().ask(std::move(second));
  provider.report().judge("ARM-135", after.state() == state,
                          fmt::format("provisioningState went from {} to {} by itself", state, after.state()));
  if (auto again = provider.question_of(ending.status_url, Subject::operation_status))
    co_await provider.talk().ask(std::move(*again));  // ARM-182
}

/// The result route, once the operation has ended: what the synchronous call would have said, and so again.
runtime::Task<void> check_result(Provider& provider, std::string_view rule, const Ending& ending, unsigned status,
                                 unsigned other) {
  auto result = provider.question_of(ending.result_url, Subject::operation_result);
  if (!result || ending.status.empty()) co_return;
  Question first = *result;
  const Reply reply = co_await provider.talk().expect(rule, status, other, std::move(first));
  Question second = *result;
  const Reply again = co_await provider.talk().ask(std::move(second));
  provider.report().judge("ARM-166", again.status == reply.status && again.body == reply.body,
                          fmt::format("{}: the second answer is not the first", result->path));
}

}  // namespace

runtime::Task<bool> check_creation(Provider& provider) {
  Question asked = provider.put(provider.options().body);
  Question begun = asked;
  const Reply created = co_await provider.talk().expect("ARM-080", 201, std::move(asked));
  if (created.status >= 300) co_return false;
  compare(provider, "ARM-063", created, "the answer to PUT");
  if (!created.header("Azure-AsyncOperation").empty()) co_await check_meanwhile(provider);
  const Ending ending = co_await provider.follow(std::move(begun), created);
  co_await check_rest(provider, ending);
  co_await check_operation_privacy(provider, ending.status_url);
  co_return true;
}

runtime::Task<void> check_change(Provider& provider) {
  Question before = provider.question(Method::get);
  const Reply old = co_await provider.talk().ask(std::move(before));
  const json::object tags{{"conformance", "patched"}};
  const bool tagged = old.object() && (old.object()->contains("tags") || provider.options().body.contains("tags"));
  Question asked = provider.patch(tagged ? json::object{{"tags", tags}} : json::object{{"properties", json::object{}}});
  if (const std::string tag = old.member("etag"); !tag.empty()) asked.headers.add("If-Match", tag);
  Question begun = asked;
  const Reply changed = co_await provider.talk().expect("ARM-107", 200, 202, std::move(asked));
  if (auto result = provider.question_of(changed.header("Location"), Subject::operation_result))
    co_await provider.talk().ask(std::move(*result));  // ARM-160, unless it has ended already
  const Ending ending = co_await provider.follow(std::move(begun), changed);
  co_await check_result(provider, "ARM-151", ending, 200, 200);
  Question after = provider.question(Method::get);
  const Reply now = co_await provider.talk().ask(std::move(after));
  if (!tagged || !now.object()) co_return;
  const json::object* shown = model::object_at(*now.object(), "tags");
  provider.report().judge("ARM-058", shown && *shown == tags, "PATCH of tags did not replace them as a whole");
  if (!old.member("etag").empty())
    provider.report().judge("ARM-113", now.member("etag") != old.member("etag"), "the etag is the same after a change");
}

runtime::Task<void> check_removal(Provider& provider) {
  Question asked = provider.question(Method::remove);
  Question begun = asked;
  const Reply accepted = co_await provider.talk().expect("ARM-108", 200, 202, std::move(asked));
  if (accepted.status == 202) {
    Question repeated = provider.question(Method::remove);
    co_await provider.talk().expect("ARM-156", 202, 204, std::move(repeated));
  }
  const Ending ending = co_await provider.follow(std::move(begun), accepted);
  co_await check_result(provider, "ARM-153", ending, 200, 204);
  Question about = provider.question(Method::get);
  co_await provider.talk().expect("ARM-153", 404, std::move(about));
  const std::size_t listed = co_await provider.count_in_list();
  provider.report().judge("ARM-153", listed == 0, "the list still has the resource after its delete");
  if (auto again = provider.question_of(ending.status_url, Subject::operation_status))
    co_await provider.talk().expect("ARM-124", 200, std::move(*again));
}

}  // namespace acceptd::acceptctl::conform
