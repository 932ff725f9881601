#include "apps/acceptctl/conform/provider.hpp"

#include <fmt/format.h>

#include "http/uri.hpp"
#include "model/json.hpp"

namespace acceptd::acceptctl::conform {

namespace {

constexpr std::size_t kPagesMax = 1000;

model::ResourceId id_of(const std::string& text) {
  auto id = model::ResourceId::parse(text);
  if (!id) throw std::invalid_argument(fmt::format("'{}' is no resource ID", text));
  return std::move(*id);
}

}  // namespace

Provider::Provider(const Options& options, Report& report, Conversation::Dependencies dependencies)
    : options_(options),
      report_(report),
      talk_(report, options.identity, options.short_waits, dependencies),
      id_(id_of(options.id)) {}

Question Provider::question(http::Method method) const {
  return {.method = method, .path = options_.id, .query = "api-version=" + options_.api_version};
}

Question Provider::put(const json::object& body) const {
  Question asked = question(http::Method::put);
  asked.body = json::serialize(body);
  return asked;
}

Question Provider::patch(const json::object& body) const {
  Question asked = question(http::Method::patch);
  asked.body = json::serialize(body);
  return asked;
}

Question Provider::list() const {
  Question asked = question(http::Method::get);
  asked.path = options_.id.substr(0, options_.id.rfind('/'));
  asked.subject = checker::Subject::list;
  return asked;
}

std::optional<Question> Provider::question_of(const std::string& url, checker::Subject subject) const {
  const auto parsed = http::parse_url(url);
  if (!parsed) return std::nullopt;
  return Question{.path = parsed->path, .subject = subject, .query = parsed->query};
}

runtime::Task<std::size_t> Provider::count_in_list() {
  std::size_t found = 0;
  std::optional<Question> next = list();
  for (std::size_t page = 0; next && page < kPagesMax; ++page) {
    Question asked = std::move(*next);
    next.reset();
    const Reply reply = co_await talk_.ask(std::move(asked));
    const json::value* items = reply.object() ? reply.object()->if_contains("value") : nullptr;
    if (items && items->is_array())
      for (const json::value& item : items->get_array())
        found += item.is_object() && model::equals_ignoring_case(model::string_at(item.get_object(), "id"), options_.id) ? 1 : 0;
    if (const std::string url = reply.member("nextLink"); !url.empty()) next = question_of(url, checker::Subject::list);
  }
  co_return found;
}

runtime::Task<Ending> Provider::follow(Question begun, Reply answer) {
  Ending ending{.status_url = answer.header("Azure-AsyncOperation"), .result_url = answer.header("Location")};
  const bool removes = begun.method == http::Method::remove;
  if (auto status = question_of(ending.status_url, checker::Subject::operation_status))
    ending.status = co_await watch_status(std::move(*status), std::move(answer), removes);
  else
    ending.status = co_await watch_resource(std::move(answer));
  report_.judge("ARM-134", !ending.status.empty(),
                fmt::format("{}: no end came within {} s", describe(begun), options_.patience.count()));
  co_return ending;
}

/// The resource must not have come to rest before its operation has.
runtime::Task<void> Provider::compare_with_resource(std::string shown, const Question& status) {
  if (!checker::is_terminal(shown)) co_return;
  Question asked = status;
  const Reply now = co_await talk_.ask(std::move(asked));
  const std::string state = now.member("status");
  report_.judge("ARM-141", state.empty() || checker::is_terminal(state),
                fmt::format("{}: the resource is {} and the operation still {}", status.path, shown, state));
}

runtime::Task<std::string> Provider::watch_status(Question status, Reply begun, bool removes) {
  const runtime::Monotonic until = talk_.clock().monotonic() + options_.patience;
  std::chrono::nanoseconds wait = talk_.wait_of(begun);
  for (bool first = true;; first = false) {
    if (!first) co_await talk_.clock().sleep_for(wait);
    Question asked = status;
    const Reply reply = co_await talk_.ask(std::move(asked));
    const std::string state = reply.member("status");
    if (checker::is_terminal(state)) co_return state;
    if (talk_.clock().monotonic() >= until) co_return "";
    wait = talk_.wait_of(reply);
    if (removes) continue;
    Question about = question(http::Method::get);
    const Reply resource = co_await talk_.ask(std::move(about));
    co_await compare_with_resource(resource.state(), status);
  }
}

runtime::Task<std::string> Provider::watch_resource(Reply begun) {
  const runtime::Monotonic until = talk_.clock().monotonic() + options_.patience;
  Reply last = std::move(begun);
  for (;;) {
    const std::string state = last.state();
    if (last.status != 202 && (state.empty() || checker::is_terminal(state))) co_return state.empty() ? "Succeeded" : state;
    if (talk_.clock().monotonic() >= until) co_return "";
    co_await talk_.clock().sleep_for(talk_.wait_of(last));
    Question about = question(http::Method::get);
    last = co_await talk_.ask(std::move(about));
    if (last.status == 404) co_return "Succeeded";  // it was a delete
  }
}

}  // namespace acceptd::acceptctl::conform
