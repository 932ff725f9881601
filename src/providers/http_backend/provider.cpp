#include <fmt/format.h>

#include <utility>

#include "model/json.hpp"
#include "model/resource_id.hpp"
#include "model/time.hpp"
#include "model/uuid.hpp"
#include "providers/http_backend/answers.hpp"
#include "providers/http_backend/http_backend.hpp"
#include "providers/http_backend/memory.hpp"
#include "providers/http_backend/push.hpp"

namespace acceptd::providers::http_backend {

namespace {

using engine::Found;
using engine::Observation;
using engine::SearchResult;
using engine::Submission;
using engine::Target;
using model::Error;
using model::ErrorKind;
using model::RequestKind;
using runtime::Task;
using Request = std::expected<http::ClientRequest, std::string>;

constexpr std::size_t kPausesMax = 65'536;  // operations whose backend said when to ask again
constexpr std::size_t kDoneMax = 1024;      // operations that were done at once, until the engine asks
constexpr std::size_t kResultBytesMax = std::size_t{64} * 1024;
constexpr std::size_t kFoundMax = 1000;  // a search is for one object: a longer list was not filtered
constexpr std::size_t kCorrelationBytesMax = 128;

Submission answered(Submission::Answer answer, std::string summary) {
  Submission submission;
  submission.answer = answer;
  submission.summary = std::move(summary);
  return submission;
}

Submission rejected(Error error, std::string summary) {
  Submission submission = answered(Submission::Answer::rejected, std::move(summary));
  submission.error = std::move(error);
  return submission;
}

/// The answer that a verdict becomes; `done` is more than one.
Submission::Answer answer_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::accepted:
    case Verdict::done: return Submission::Answer::accepted;
    case Verdict::rejected: return Submission::Answer::rejected;
    case Verdict::exists: return Submission::Answer::exists;
    case Verdict::gone: return Submission::Answer::gone;
    case Verdict::unavailable: return Submission::Answer::unavailable;
    case Verdict::unknown: break;
  }
  return Submission::Answer::unknown;
}

Observation unchanged(std::string summary) {
  Observation observation;
  observation.kind = Observation::Kind::state;
  observation.summary = std::move(summary);
  return observation;
}

/// The answer to a request said that it is carried out.
struct Done {
  std::optional<json::value> result;
};

/// What nobody can answer for who asks for it: the configuration does not fit the request.
Submission unfit(const std::string& reason) {
  return rejected(
      {.kind = ErrorKind::internal, .code = "InternalServerError", .message = "The request could not be sent to the backend."},
      "not sent: " + reason);
}

class Provider final : public HttpBackend {
 public:
  Provider(Spec spec, Calls::Dependencies dependencies) : spec_(std::move(spec)), calls_(spec_, std::move(dependencies)) {}

  const Spec& spec() const override { return spec_; }
  CallFigures figures() const override { return calls_.figures(); }

  engine::ProviderTraits traits() const override {
    engine::ProviderTraits traits;
    traits.idempotency_keys = spec_.create_is_idempotent();
    traits.settle_time = spec_.calls.settle_time;
    traits.request_timeout = spec_.calls.request_timeout;
    traits.unique_addresses = spec_.unique_ids;
    traits.removes_children = spec_.removes_children;
    traits.concurrency = spec_.calls.concurrency;
    return traits;
  }

  Task<Submission> submit(Target target) override {
    const Verb* verb = verb_of(target);
    if (!verb)
      co_return rejected({.kind = ErrorKind::invalid, .code = "NotSupported", .message = "The backend cannot do this."},
                         "not sent: the backend's description has no such request");
    co_return co_await write(*verb, std::move(target));
  }

  Task<Submission> cancel(Target target) override {
    if (!spec_.cancel)
      co_return rejected({.kind = ErrorKind::conflict, .code = "NotSupported", .message = "The backend cannot cancel this."},
                         "not sent: the backend's description has no cancel");
    // The answer is about the request to cancel; what is remembered is about the operation itself.
    const Values values = values_of(target);
    Request request = request_of(*spec_.cancel, values);
    if (!request) co_return unfit(request.error());
    const Reply reply = co_await calls_.send(std::move(*request));
    co_return judged(*spec_.cancel, reply);
  }

  Task<Observation> observe(Target target) override {
    const StatusCall* status = status_of(target);
    if (const Done* done = done_.find(target.operation)) co_return finished(target, done->result);
    // Without a status only an answer that means done is accepted, or an object that was found.
    if (!status) co_return finished(target, std::nullopt);
    if (const runtime::Monotonic* until = pauses_.find(target.operation); until && calls_.clock().monotonic() < *until)
      co_return unchanged("");
    const Values values = values_of(target);
    Request request = addressed(status->url, status->headers, values);
    if (!request) {
      Observation observation = unchanged("not asked: " + request.error());
      observation.kind = Observation::Kind::unexpected;
      co_return observation;
    }
    const Reply reply = co_await calls_.read(std::move(*request));
    Observation observation = observation_of(spec_, status->fields, reply, values);
    const bool ended = observation.status && model::is_terminal(*observation.status);
    if (!ended) pause(target, reply);
    co_return observation;
  }

  Task<SearchResult> search(Target target) override {
    SearchResult result;
    if (!spec_.probe || target.request == RequestKind::action) {
      result.available = true;
      result.summary = "not asked: the backend's description has no probe for it";
      co_return result;
    }
    const Values values = values_of(target);
    Request request = addressed(spec_.probe->url, spec_.probe->headers, values);
    if (!request) {
      result.summary = "not asked: " + request.error();
      co_return result;
    }
    const Reply reply = co_await calls_.read(std::move(*request));
    add_found(*spec_.probe, reply, values, result);
    co_return result;
  }

  Task<model::Result<json::value>> result(Target target) override {
    const StatusCall* status = status_of(target);
    const Done* done = done_.find(target.operation);
    if (done && done->result) co_return *done->result;
    if (!status || !status->fields.result) co_return std::unexpected(no_result(ErrorKind::not_found));
    const Values values = values_of(target);
    Request request = addressed(status->url, status->headers, values);
    if (!request) co_return std::unexpected(no_result(ErrorKind::not_found));
    const Reply reply = co_await calls_.read(std::move(*request));
    const bool gone = reply.status == 404 || reply.status == 410;
    if (!reply.ok()) co_return std::unexpected(no_result(gone ? ErrorKind::not_found : ErrorKind::unavailable));
    const json::value* found = status->fields.result->find(reply.body);
    if (!found) co_return std::unexpected(no_result(ErrorKind::not_found));
    co_return *found;
  }

 private:
  static Error no_result(ErrorKind kind) {
    if (kind == ErrorKind::not_found)
      return {.kind = kind, .code = "NotFound", .message = "The backend has no result of this operation."};
    return {.kind = kind, .code = "ServiceUnavailable", .message = "The backend does not answer. Try again later."};
  }

  const Verb* verb_of(const Target& target) const {
    switch (target.request) {
      case RequestKind::create: return &spec_.create;
      case RequestKind::update: return spec_.update ? &*spec_.update : nullptr;
      case RequestKind::remove:
      case RequestKind::cleanup: return &spec_.remove;
      case RequestKind::action: break;
    }
    const auto found = spec_.actions.find(model::to_lower(target.action));
    return found == spec_.actions.end() ? nullptr : &found->second;
  }

  const StatusCall* status_of(const Target& target) const {
    const Verb* verb = verb_of(target);
    if (verb && verb->status) return &*verb->status;
    return spec_.status ? &*spec_.status : nullptr;
  }

  Values values_of(const Target& target) const {
    return {.target = target, .callback = spec_.push ? callback_url(*spec_.push, target) : std::string()};
  }

  /// Error: a value that the URL or a header needs is missing or unfit.
  Request addressed(const Text& url, const HeaderTexts& headers, const Values& values) const {
    http::ClientRequest request;
    auto target = url.url(values);
    if (!target) return std::unexpected(std::move(target.error()));
    request.target = std::move(*target);
    request.headers.add("Accept", "application/json");
    const std::string& correlation = values.target.correlation_id;
    const bool plain = std::ranges::all_of(correlation, [](char c) { return c > ' ' && c < 0x7f; });
    if (plain && !correlation.empty() && correlation.size() <= kCorrelationBytesMax)
      request.headers.set("X-Request-ID", correlation);
    for (const HeaderTexts* texts : {&spec_.headers, &headers}) {
      for (const auto& [name, text] : *texts) {
        auto value = text.header(values);
        if (!value) return std::unexpected(fmt::format("header {}: {}", name, value.error()));
        request.headers.set(name, *value);
      }
    }
    return request;
  }

  Request request_of(const Verb& verb, const Values& values) const {
    Request request = addressed(verb.url, verb.headers, values);
    if (!request) return request;
    request->method = verb.method;
    if (!spec_.idempotency_header.empty())
      request->headers.set(spec_.idempotency_header, model::to_string(values.target.operation));
    if (const auto body = verb.body ? verb.body->make(values) : std::nullopt) {
      request->headers.set("Content-Type", "application/json");
      request->body = model::to_text(*body);
    }
    return request;
  }

  Submission judged(const Verb& verb, const Reply& reply) const {
    const Verdict verdict = verdict_of(verb, reply);
    Submission submission = answered(answer_of(verdict), summary_of(reply, verb.fields));
    if (verdict == Verdict::rejected) submission.error = error_of(spec_, verb.fields, reply.body, reply.status);
    return submission;
  }

  Task<Submission> write(const Verb& verb, Target target) {
    const Values values = values_of(target);
    Request request = request_of(verb, values);
    if (!request) co_return unfit(request.error());
    const Reply reply = co_await calls_.send(std::move(*request));
    Submission submission = judged(verb, reply);
    if (submission.answer != Submission::Answer::accepted) co_return submission;
    const bool done = verdict_of(verb, reply) == Verdict::done;
    if (done && target.request == RequestKind::remove) {
      submission.answer = Submission::Answer::gone;
      co_return submission;
    }
    const Values told{.target = target, .callback = {}, .answer = &reply.body};
    submission.internal_id = id_in(verb, told);
    if (submission.internal_id.empty()) {
      // It was carried out, but on what? Found by the probe, or told when it is sent again with the same key.
      submission.answer = Submission::Answer::unknown;
      submission.summary += reply.readable ? " without an id" : " without an id: the body is not JSON";
      co_return submission;
    }
    if (told.answer->is_object() || told.answer->is_array())
      submission.observed = observed_in(verb.fields.observed, told, submission.summary);
    if (done)
      remember_done(verb, target, reply);
    else
      take_state(verb, told, submission);
    pause(target, reply);
    co_return submission;
  }

  /// "" if the answer does not tell what must be told.
  std::string id_in(const Verb& verb, const Values& values) const {
    const Target& target = values.target;
    if (target.request != RequestKind::create && target.request != RequestKind::action) return target.internal_id;
    if (verb.internal_id) return verb.internal_id->plain(values);
    const auto told = verb.fields.internal_id ? verb.fields.internal_id->text_in(*values.answer) : std::nullopt;
    if (told && !told->empty()) return *told;
    const StatusCall* status = status_of(target);
    const bool needed = target.request == RequestKind::create || (status && status->url.uses({Name::internal_id}));
    return needed ? std::string() : model::to_string(target.operation);
  }

  void remember_done(const Verb& verb, const Target& target, const Reply& reply) {
    Done done;
    const json::value* result = verb.fields.result ? verb.fields.result->find(reply.body) : nullptr;
    if (result && reply.body_bytes <= kResultBytesMax) done.result = *result;
    done_.keep(target.operation, std::move(done));
  }

  void take_state(const Verb& verb, const Values& told, Submission& submission) const {
    if (!verb.fields.state) return;
    const Observation seen = observation_in(spec_, verb.fields, told);
    if (seen.status && !model::is_terminal(*seen.status)) submission.status = seen.status;
  }

  /// The backend says when it wants to be asked again.
  void pause(const Target& target, const Reply& reply) {
    if (reply.retry_after) pauses_.keep(target.operation, calls_.clock().monotonic() + *reply.retry_after);
  }

  static Observation finished(const Target& target, std::optional<json::value> result) {
    Observation observation = unchanged("done");
    if (target.request == RequestKind::remove) return observation;
    observation.status = model::Status::succeeded;
    observation.result = std::move(result);
    return observation;
  }

  void add_found(const Probe& probe, const Reply& reply, const Values& values, SearchResult& result) const {
    result.summary = summary_of(reply, {});
    if (reply.kind == Reply::Kind::answered && (reply.status == 404 || reply.status == 410)) {
      result.available = true;  // no such object
      return;
    }
    const json::value* list = reply.ok() && reply.readable ? probe.list.find(reply.body) : nullptr;
    const json::array* items = list ? list->if_array() : nullptr;
    const bool one = list && list->is_object();
    if (!one && (!items || items->size() > kFoundMax)) {
      if (reply.ok()) result.summary += items ? " with a list that is too long" : " without a list";
      return;
    }
    result.available = true;
    if (one) return add_item(probe, *list, values.target, result);
    for (const json::value& item : *items) add_item(probe, item, values.target, result);
  }

  void add_item(const Probe& probe, const json::value& item, const Target& target, SearchResult& result) const {
    Found found;
    found.internal_id = probe.internal_id.text_in(item).value_or("");
    if (found.internal_id.empty()) return;
    const auto name = probe.name ? probe.name->text_in(item) : std::nullopt;
    const bool named = name && model::equals_ignoring_case(*name, target.id.name());
    if (probe.name && !named) return;
    if (probe.stamp)
      found.incarnation = model::parse_uuid(probe.stamp->text_in(item).value_or(""));
    else
      found.incarnation = target.incarnation;
    if (probe.created) found.created = model::parse_rfc3339(probe.created->text_in(item).value_or(""));
    const auto state = probe.state ? probe.state->text_in(item) : std::nullopt;
    const auto meaning = state ? spec_.states.find(*state) : spec_.states.end();
    if (meaning != spec_.states.end()) {
      if (!meaning->second.status) return;  // a shadow of what was
      found.removing = meaning->second.status == model::Status::deleting;
    }
    const Values values{.target = target, .callback = {}, .answer = &item};
    found.observed = observed_in(probe.observed, values, result.summary);
    result.found.push_back(std::move(found));
  }

  const Spec spec_;
  Calls calls_;
  Memory<runtime::Monotonic> pauses_{kPausesMax};
  Memory<Done> done_{kDoneMax};
};

}  // namespace

http::ClientOptions client_options(const Spec& spec) {
  return {.url = spec.origin,
          .connections_max = spec.calls.concurrency,
          .response_bytes_max = spec.calls.answer_bytes_max,
          .ca_file = spec.ca_file};
}

std::unique_ptr<HttpBackend> make_provider(Spec spec, Calls::Dependencies dependencies) {
  return std::make_unique<Provider>(std::move(spec), std::move(dependencies));
}

}  // namespace acceptd::providers::http_backend
