#pragma once
/// The engine with a scripted backend, step by step under virtual time.

#include "engine/engine.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <deque>
#include <set>

#include "support/model_store.hpp"
#include "support/sim_clock.hpp"

namespace acceptd::engine {

using namespace std::chrono_literals;
using model::RequestKind;
using model::Resource;
using model::ResourceId;
using model::Status;

class CountingRandom : public runtime::Random {
 public:
  std::uint64_t next() override { return state_ += 0x9E3779B97F4A7C15ULL, state_ ^ (state_ >> 29); }

 private:
  std::uint64_t state_ = 1;
};

class QuietLog : public runtime::Log {
 public:
  void write(runtime::Level, std::string_view event, std::initializer_list<Field>) override { last = event; }
  std::string last;
};

inline Submission accepts(std::string internal_id) {
  return {.answer = Submission::Answer::accepted, .internal_id = std::move(internal_id)};
}
inline Submission refuses() {
  return {.answer = Submission::Answer::rejected,
          .error = Error{.kind = model::ErrorKind::conflict, .code = "Conflict", .message = "no"}};
}

/// Answers what the test lays ready; the last entry is repeated.
class ScriptedProvider : public Provider {
 public:
  explicit ScriptedProvider(runtime::Clock& clock) : clock_(clock) {}
  ProviderTraits traits() const override {
    return {.settle_time = 5s, .request_timeout = 5s, .unique_addresses = unique_addresses, .removes_children = removes_children};
  }
  Task<Submission> submit(Target target) override {
    submitted.push_back(target);
    if (delay > 0s) co_await clock_.sleep_for(delay);
    co_return take(submissions);
  }
  Task<Observation> observe(Target target) override {
    observed.push_back(target);
    co_return take(observations);
  }
  Task<SearchResult> search(Target target) override {
    searched.push_back(target);
    co_return take(searches);
  }
  Task<Result<boost::json::value>> result(Target) override { co_return boost::json::value{{"kubeconfig", "secret"}}; }

  std::deque<Submission> submissions{{.answer = Submission::Answer::accepted, .internal_id = "/c/1"}};
  std::deque<Observation> observations{{.kind = Observation::Kind::state, .status = Status::provisioning}};
  std::deque<SearchResult> searches{{.available = true}};
  std::vector<Target> submitted, observed, searched;
  runtime::Duration delay{};
  bool unique_addresses = true, removes_children = true;

 private:
  template <class T>
  static T take(std::deque<T>& script) {
    T next = script.front();
    if (script.size() > 1) script.pop_front();
    return next;
  }
  runtime::Clock& clock_;
};

class PlainType : public ResourceType {
 public:
  using ResourceType::ResourceType;
  Result<Desired> build(const BuildInput&) const override { return Desired{}; }
  boost::json::object render(const Resource&, std::string_view) const override { return {}; }
};

struct EngineTest : ::testing::Test {
  boost::asio::io_context io;
  acceptd::testing::SimClock clock{io};
  acceptd::testing::ModelState state;
  acceptd::testing::ModelStore store{state, clock};
  CountingRandom random;
  QuietLog log;
  ScriptedProvider provider{clock};
  TypeRegistry types;
  std::unique_ptr<Engine> engine;
  Caller alice{"tenant", "alice", "alice@example.org"}, bob{"tenant", "bob", "bob@example.org"};
  const std::string cluster = "/subscriptions/s/resourceGroups/rg/providers/Ns.X/clusters/c1";
  const std::string pool = cluster + "/pools/p1";

  void SetUp() override {
    TypeInfo clusters{.name = "Ns.X/clusters", .api_versions = {"1"}, .submit = Submit::inline_};
    clusters.actions.push_back({.name = "requestCredential",
                                .request = "RequestCredential",
                                .phrase = "request credential",
                                .blocked_message = "Cannot request credential while credentials are being revoked",
                                .one_at_a_time = true,
                                .secret_result = true});
    clusters.actions.push_back({.name = "revokeCredentials",
                                .request = "RevokeCredentials",
                                .phrase = "revoke credentials",
                                .exclusive = true,
                                .blocked_message = "Credentials are already being revoked",
                                .cancels = {"RequestCredential"}});
    clusters.actions.push_back({.name = "check", .request = "Check", .phrase = "check"});
    TypeInfo pools{
        .name = "Ns.X/clusters/pools", .parent_key = "ns.x/clusters", .api_versions = {"1"}, .submit = Submit::inline_};
    types.add(std::make_unique<PlainType>(clusters, provider));
    types.add(std::make_unique<PlainType>(pools, provider));
    restart();
    model::Subscription subscription{.id = "s", .state = "Registered", .body = {{"state", "Registered"}}};
    ASSERT_TRUE(run(engine->put_subscription(subscription)));
  }

  void restart() {
    engine = std::make_unique<Engine>(io.get_executor(), EngineOptions{}, Engine::Dependencies{store, types, clock, random, log});
    (void)run(engine->start());
  }
  void TearDown() override {
    run_void(engine->stop());
    engine.reset();
  }

  /// Runs to the end, letting time pass as needed.
  template <class T>
  T run(Task<T> task) {
    std::optional<T> got;
    boost::asio::co_spawn(io, std::move(task), [&](std::exception_ptr error, T value) {
      if (error) std::rethrow_exception(error);
      got = std::move(value);
    });
    clock.run_until_idle();
    for (int i = 0; i < 100'000 && !got; ++i) clock.advance_to_next();
    return std::move(*got);
  }
  void run_void(Task<void> task) {
    bool done = false;
    boost::asio::co_spawn(io, std::move(task), [&](std::exception_ptr) { done = true; });
    clock.run_until_idle();
    for (int i = 0; i < 1000 && !done; ++i) clock.advance_to_next();
  }

  WriteRequest put(const std::string& id, int size = 1) {
    WriteRequest request{.id = *ResourceId::parse(id), .caller = alice, .api_version = "1"};
    request.build = [size](const Resource*, const Resource*) -> Result<Desired> {
      return Desired{.properties = {{"size", size}}, .api_version = "1"};
    };
    request.operation_path = [](Uuid op) { return "/operations/" + model::to_string(op); };
    return request;
  }
  RemoveRequest del(const std::string& id) {
    RemoveRequest request{.id = *ResourceId::parse(id), .caller = alice, .api_version = "1"};
    request.operation_path = [](Uuid op) { return "/operations/" + model::to_string(op); };
    return request;
  }
  ActionRequest action(const std::string& name) {
    ActionRequest request{.id = *ResourceId::parse(cluster), .action = name, .caller = alice, .api_version = "1"};
    request.operation_path = [](Uuid op) { return "/operations/" + model::to_string(op); };
    return request;
  }
  Resource resource_of(const std::string& id) { return run(engine->get(*ResourceId::parse(id))).value(); }
  /// A document as somebody else might have left it.
  void write_document(model::Document document) {
    const auto stored = run(store.read(document.key));
    model::Write write{.action = model::Write::Action::create, .document = document};
    if (stored && *stored) write.action = model::Write::Action::replace, write.expected = (*stored)->etag;
    model::Batch batch{.partition = document.key.partition, .writes = {write}};
    ASSERT_TRUE(run(store.commit(batch)));
  }
  void make_unreadable(const std::string& id) {
    const auto parsed = *ResourceId::parse(id);
    model::Document document = **run(store.read({parsed.partition(), parsed.document_id()}));
    document.body = "{broken";
    write_document(document);
  }
  /// Starts it and lets it wait.
  template <class T>
  std::shared_ptr<std::optional<T>> begin(Task<T> task) {
    auto got = std::make_shared<std::optional<T>>();
    boost::asio::co_spawn(io, std::move(task), [got](std::exception_ptr, T value) { *got = std::move(value); });
    clock.run_until_idle();
    return got;
  }
  std::string state_of(const std::string& id) {
    const auto resource = run(engine->get(*ResourceId::parse(id)));
    return resource ? std::string(to_string(resource->provisioning_state)) : resource.error().code;
  }
  std::string status_of(const Accepted& accepted, const Caller& caller) {
    const auto op = run(engine->operation("s", accepted.operation->id, caller));
    return op ? std::string(to_string(op->status)) : op.error().code;
  }
  void backend_says(Status status) { provider.observations = {{.kind = Observation::Kind::state, .status = status}}; }
  void backend_has_nothing() { provider.observations = {{.kind = Observation::Kind::gone}}; }

  Accepted ready(const std::string& id) {
    auto accepted = run(engine->write(put(id)));
    EXPECT_TRUE(accepted);
    backend_says(Status::succeeded);
    clock.advance(1min);
    EXPECT_EQ(state_of(id), "Succeeded");
    return std::move(*accepted);
  }
};

}  // namespace acceptd::engine
