/// The engine with a scripted backend, step by step under virtual time. The simulation attacks it at random; here each
/// promise has its story.

#include "engine/engine.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <deque>

#include "support/model_store.hpp"
#include "support/sim_clock.hpp"

namespace acceptd::engine {
namespace {

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

/// Answers what the test lays ready; the last entry is repeated.
class ScriptedProvider : public Provider {
 public:
  explicit ScriptedProvider(runtime::Clock& clock) : clock_(clock) {}
  ProviderTraits traits() const override { return {.settle_time = 5s, .request_timeout = 5s, .removes_children = true}; }
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

TEST_F(EngineTest, ACreateIsShownAcceptedThenProvisioningThenSucceeded) {
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->outcome, Accepted::Outcome::created);
  EXPECT_EQ(accepted->operation->status, Status::accepted);
  EXPECT_EQ(accepted->resource->provisioning_state, Status::accepted);
  EXPECT_EQ(accepted->resource->internal_id, "/c/1");
  clock.advance(5s);
  EXPECT_EQ(state_of(cluster), "Provisioning");
  EXPECT_EQ(status_of(*accepted, alice), "Provisioning");
  backend_says(Status::succeeded);
  clock.advance(1min);
  EXPECT_EQ(state_of(cluster), "Succeeded");
  EXPECT_EQ(status_of(*accepted, alice), "Succeeded");
}

TEST_F(EngineTest, HCP_009_OnlyTheInitiatorSeesAnOperation) {
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_TRUE(accepted);
  EXPECT_EQ(status_of(*accepted, bob), "NotFound");
  EXPECT_EQ(status_of(*accepted, Caller{}), "NotFound");
}

TEST_F(EngineTest, ARejectedCreateLeavesNothing) {
  provider.submissions = {{.answer = Submission::Answer::rejected,
                           .error = Error{.kind = model::ErrorKind::invalid, .code = "InvalidRequestContent", .message = "no"}}};
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_FALSE(accepted);
  EXPECT_EQ(accepted.error().code, "InvalidRequestContent");
  EXPECT_EQ(state_of(cluster), "ResourceNotFound");
}

TEST_F(EngineTest, ARejectedUpdateLeavesTheResourceAsItWas) {
  ready(cluster);
  provider.submissions = {{.answer = Submission::Answer::rejected,
                           .error = Error{.kind = model::ErrorKind::invalid, .code = "InvalidRequestContent", .message = "no"}}};
  ASSERT_FALSE(run(engine->write(put(cluster, 2))));
  const auto resource = run(engine->get(*ResourceId::parse(cluster)));
  EXPECT_EQ(resource->desired.at("size"), 1);
  EXPECT_EQ(resource->provisioning_state, Status::succeeded);
  EXPECT_FALSE(resource->active_operation);
}

TEST_F(EngineTest, AnUpdateIsShownWithItsTargetValues) {
  ready(cluster);
  backend_says(Status::updating);
  const auto accepted = run(engine->write(put(cluster, 2)));
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->outcome, Accepted::Outcome::updated);
  EXPECT_EQ(accepted->resource->desired.at("size"), 2);
  clock.advance(2s);
  EXPECT_EQ(state_of(cluster), "Updating");
  const auto second = run(engine->write(put(cluster, 3)));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "Cannot update resource while resource is \"updating\"");
}

TEST_F(EngineTest, ALostAnswerIsSearchedForAndTheObjectAdopted) {
  provider.submissions = {{.answer = Submission::Answer::unknown}};
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_TRUE(accepted) << "a lost answer is no reason to break the promise";
  Found ours{.internal_id = "/c/9", .incarnation = accepted->resource->incarnation};
  provider.searches = {{.available = true, .found = {ours}}};
  backend_says(Status::succeeded);
  clock.advance(1min);
  EXPECT_EQ(state_of(cluster), "Succeeded");
  EXPECT_EQ(provider.submitted.size(), 1u);
  EXPECT_EQ(engine->figures().adoptions, 1u);
}

TEST_F(EngineTest, ALostRequestIsSentAgainOnlyAfterASearchLaterThanItsTimeOut) {
  provider.submissions = {{.answer = Submission::Answer::unknown},
                          {.answer = Submission::Answer::accepted, .internal_id = "/c/2"}};
  ASSERT_TRUE(run(engine->write(put(cluster))));
  clock.advance(14s);  // a claim is good for 5 s, then the time-out and what the backend may still carry out: 20 s
  EXPECT_EQ(provider.submitted.size(), 1u);
  EXPECT_GE(provider.searched.size(), 1u);
  clock.advance(10s);
  EXPECT_EQ(provider.submitted.size(), 2u);
  EXPECT_EQ(state_of(cluster), "Provisioning");
}

TEST_F(EngineTest, AStrangersObjectIsNeverAdopted) {
  provider.submissions = {{.answer = Submission::Answer::exists}};
  provider.searches = {{.available = true, .found = {Found{.internal_id = "/c/7", .incarnation = model::uuid_of_name("other")}}}};
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_FALSE(accepted);
  EXPECT_EQ(accepted.error().kind, model::ErrorKind::conflict);
  EXPECT_EQ(state_of(cluster), "ResourceNotFound");
}

TEST_F(EngineTest, ABackendThatIsDownDoesNotBreakThePromise) {
  provider.submissions = {{.answer = Submission::Answer::unavailable}};
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_TRUE(accepted);
  clock.advance(1h);
  EXPECT_EQ(status_of(*accepted, alice), "Accepted");
  provider.submissions = {{.answer = Submission::Answer::accepted, .internal_id = "/c/1"}};
  backend_says(Status::succeeded);
  clock.advance(2min);
  EXPECT_EQ(status_of(*accepted, alice), "Succeeded");
}

TEST_F(EngineTest, HCP_007_ACreateThatNeverFinishesFailsAndItsRemainsAreRemoved) {
  const auto accepted = run(engine->write(put(cluster)));
  ASSERT_TRUE(accepted);
  clock.advance(61min);
  EXPECT_EQ(status_of(*accepted, alice), "Failed");
  EXPECT_EQ(state_of(cluster), "Failed");
  ASSERT_EQ(provider.submitted.size(), 2u);
  EXPECT_EQ(provider.submitted[1].request, RequestKind::remove);
  EXPECT_EQ(provider.submitted[1].internal_id, "/c/1");
  const auto refused = run(engine->write(put(cluster)));
  ASSERT_FALSE(refused) << "its remains are still there";
  backend_has_nothing();
  clock.advance(10min);
  EXPECT_TRUE(run(engine->write(put(cluster))));
}

TEST_F(EngineTest, ADeleteCancelsTheCreateBelowItAndEndsWhenAllIsGone) {
  ready(cluster);
  backend_says(Status::provisioning);
  const auto child = run(engine->write(put(pool)));
  ASSERT_TRUE(child);
  backend_says(Status::deleting);
  const auto deleted = run(engine->remove(del(cluster)));
  ASSERT_TRUE(deleted);
  EXPECT_EQ(deleted->outcome, Accepted::Outcome::started);
  EXPECT_EQ(status_of(*child, alice), "Canceled");
  EXPECT_EQ(state_of(pool), "Deleting");
  EXPECT_EQ(state_of(cluster), "Deleting");
  clock.advance(10s);
  EXPECT_EQ(status_of(*child, alice), "Canceled");
  backend_has_nothing();
  clock.advance(1min);
  EXPECT_EQ(status_of(*deleted, alice), "Succeeded");
  EXPECT_EQ(state_of(cluster), "ResourceNotFound");
  EXPECT_EQ(state_of(pool), "ResourceNotFound");
}

TEST_F(EngineTest, ARM_156_ASecondDeleteJoinsTheFirst) {
  ready(cluster);
  backend_says(Status::deleting);
  const auto first = run(engine->remove(del(cluster)));
  const auto again = run(engine->remove(del(cluster)));
  EXPECT_EQ(first->operation->id, again->operation->id);
  RemoveRequest by_bob = del(cluster);
  by_bob.caller = bob;
  const auto other = run(engine->remove(by_bob));
  EXPECT_NE(first->operation->id, other->operation->id);
  EXPECT_EQ(status_of(*other, bob), "Deleting");
  backend_has_nothing();
  clock.advance(1min);
  EXPECT_EQ(status_of(*other, bob), "Succeeded");
  EXPECT_EQ(run(engine->remove(del(cluster)))->outcome, Accepted::Outcome::absent);
}

TEST_F(EngineTest, ADeleteOfAnUnknownCreateLooksUntilItIsQuiet) {
  provider.submissions = {{.answer = Submission::Answer::unknown}};
  const auto created = run(engine->write(put(cluster)));
  ASSERT_TRUE(created);
  const auto deleted = run(engine->remove(del(cluster)));
  ASSERT_TRUE(deleted);
  clock.advance(3s);
  EXPECT_EQ(status_of(*deleted, alice), "Deleting") << "the lost create may still come true";
  Found late{.internal_id = "/c/5", .incarnation = created->resource->incarnation};
  provider.searches = {{.available = true, .found = {late}}, {.available = true}};
  provider.submissions = {{.answer = Submission::Answer::accepted}};
  backend_has_nothing();
  clock.advance(1min);
  EXPECT_EQ(status_of(*deleted, alice), "Succeeded");
  EXPECT_EQ(provider.submitted.back().request, RequestKind::remove);
  EXPECT_EQ(provider.submitted.back().internal_id, "/c/5");
}

TEST_F(EngineTest, AWorkerThatTakesOverAfterACrashSearchesBeforeItSends) {
  provider.delay = 1h;  // the call hangs when the process dies
  std::optional<Result<Accepted>> got;
  boost::asio::co_spawn(io, engine->write(put(cluster)),
                        [&](std::exception_ptr, Result<Accepted> value) { got = std::move(value); });
  clock.advance(1s);
  EXPECT_FALSE(got);
  ASSERT_EQ(provider.submitted.size(), 1u);
  EXPECT_EQ(state_of(cluster), "ResourceNotFound") << "a hidden intent is not there for readers";

  acceptd::testing::ModelStore store_after(state, clock);
  EngineOptions options;
  options.epoch = 2;
  Engine successor(io.get_executor(), options, Engine::Dependencies{store_after, types, clock, random, log});
  ASSERT_TRUE(run(successor.start()));
  provider.searches = {
      {.available = true, .found = {Found{.internal_id = "/c/1", .incarnation = provider.submitted[0].incarnation}}}};
  backend_says(Status::succeeded);
  clock.advance(30s);
  const auto resource = run(successor.get(*ResourceId::parse(cluster)));
  ASSERT_TRUE(resource);
  EXPECT_EQ(resource->provisioning_state, Status::succeeded);
  EXPECT_EQ(provider.submitted.size(), 1u);
  run_void(successor.stop());
}

TEST_F(EngineTest, AnActionDoesNotTouchTheState) {
  ready(cluster);
  provider.submissions = {{.answer = Submission::Answer::accepted, .internal_id = "/cred/1"}};
  ActionRequest request{.id = *ResourceId::parse(cluster), .action = "REQUESTcredential", .caller = alice, .api_version = "1"};
  request.operation_path = [](Uuid op) { return "/operations/" + model::to_string(op); };
  const auto accepted = run(engine->act(request));
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->operation->action, "RequestCredential");
  EXPECT_EQ(state_of(cluster), "Succeeded");
  clock.advance(1min);
  EXPECT_EQ(status_of(*accepted, alice), "Succeeded");
  const auto op = run(engine->operation("s", accepted->operation->id, alice));
  EXPECT_FALSE(op->result) << "HCP-017: never stored";
  const auto result = run(engine->action_result(*op));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->at("kubeconfig"), "secret");
}

TEST_F(EngineTest, ARM_268_ADeletedSubscriptionTakesItsResourcesAlong) {
  ready(cluster);
  backend_has_nothing();
  model::Subscription deleted{.id = "s", .state = "Deleted", .body = {{"state", "Deleted"}}};
  ASSERT_TRUE(run(engine->put_subscription(deleted)));
  clock.advance(1min);
  EXPECT_EQ(state_of(cluster), "ResourceNotFound");
}

TEST_F(EngineTest, ConcurrentWritersOfOneResourceMakeOneOperation) {
  std::vector<Result<Accepted>> answers;
  for (int i = 0; i < 5; ++i)
    boost::asio::co_spawn(io, engine->write(put(cluster, i)),
                          [&](std::exception_ptr, Result<Accepted> value) { answers.push_back(std::move(value)); });
  clock.advance(1s);
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_EQ(std::ranges::count_if(answers, [](const auto& answer) { return answer.has_value(); }), 1);
  EXPECT_EQ(provider.submitted.size(), 1u);
}

}  // namespace
}  // namespace acceptd::engine
