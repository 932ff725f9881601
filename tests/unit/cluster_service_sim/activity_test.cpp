#include "apps/cluster-service-sim/simulator/activity.hpp"

#include <gtest/gtest.h>

namespace acceptd::simulator {
namespace {

using namespace std::chrono_literals;

constexpr runtime::Time kStart{std::chrono::seconds(1'700'000'000)};

struct Step {
  std::chrono::milliseconds at;
  const char* state;  ///< nullptr: gone
};
struct Case {
  const char* name;
  Kind kind;
  Work work;
  Outcome outcome;
  std::vector<Step> steps;  ///< of a work of 10 s
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class LifeCycle : public ::testing::TestWithParam<Case> {};
TEST_P(LifeCycle, FollowsTheClock) {
  Activity activity;
  activity.work = GetParam().work;
  activity.start = kStart;
  activity.duration = 10s;
  activity.outcome = GetParam().outcome;
  for (const Step& step : GetParam().steps) {
    const auto state = true_state(GetParam().kind, activity, kStart + step.at);
    EXPECT_EQ(state.value_or("(gone)"), step.state == nullptr ? "(gone)" : step.state) << step.at.count() << " ms";
    EXPECT_EQ(shown_state(GetParam().kind, activity, kStart + step.at), state);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Courses, LifeCycle,
    ::testing::Values(
        Case{"ClusterCreate",
             Kind::cluster,
             Work::create,
             Outcome::succeed,
             {{0ms, "pending"},
              {999ms, "pending"},
              {1000ms, "validating"},
              {2000ms, "installing"},
              {9999ms, "installing"},
              {10000ms, "ready"},
              {99999ms, "ready"}}},
        Case{"ClusterCreateFails",
             Kind::cluster,
             Work::create,
             Outcome::fail,
             {{0ms, "pending"}, {9999ms, "installing"}, {10000ms, "error"}}},
        Case{"ClusterCreateNeverEnds",
             Kind::cluster,
             Work::create,
             Outcome::never,
             {{0ms, "pending"}, {10000ms, "installing"}, {86'400'000ms, "installing"}}},
        Case{"ClusterUpdate",
             Kind::cluster,
             Work::update,
             Outcome::succeed,
             {{0ms, "updating"}, {9999ms, "updating"}, {10000ms, "ready"}}},
        Case{"ClusterRemove",
             Kind::cluster,
             Work::remove,
             Outcome::succeed,
             {{0ms, "uninstalling"}, {9999ms, "uninstalling"}, {10000ms, nullptr}}},
        Case{"ClusterRemoveFails", Kind::cluster, Work::remove, Outcome::fail, {{0ms, "uninstalling"}, {10000ms, "error"}}},
        Case{"NodePoolCreate",
             Kind::node_pool,
             Work::create,
             Outcome::succeed,
             {{0ms, "validating"}, {1000ms, "pending"}, {2000ms, "installing"}, {10000ms, "ready"}}},
        Case{"NodePoolUpdate",
             Kind::node_pool,
             Work::update,
             Outcome::succeed,
             {{0ms, "validating_update"}, {1000ms, "pending_update"}, {2000ms, "updating"}, {10000ms, "ready"}}},
        Case{"NodePoolUpdateFails",
             Kind::node_pool,
             Work::update,
             Outcome::fail,
             {{2000ms, "updating"}, {10000ms, "recoverable_error"}}},
        Case{"NodePoolRemove", Kind::node_pool, Work::remove, Outcome::succeed, {{0ms, "uninstalling"}, {10000ms, nullptr}}},
        Case{"CredentialCreate", Kind::credential, Work::create, Outcome::succeed, {{0ms, "created"}, {10000ms, "issued"}}},
        Case{"CredentialCreateFails", Kind::credential, Work::create, Outcome::fail, {{0ms, "created"}, {10000ms, "failed"}}},
        Case{"CredentialRevoke",
             Kind::credential,
             Work::revoke,
             Outcome::succeed,
             {{0ms, "awaiting_revocation"}, {10000ms, "revoked"}}},
        Case{"CredentialRevokeFails",
             Kind::credential,
             Work::revoke,
             Outcome::fail,
             {{0ms, "awaiting_revocation"}, {10000ms, "failed"}}}),
    [](const auto& info) { return info.param.name; });

TEST(Lies, AreToldInOrderWhileTheWorkLasts) {
  Activity activity{Work::create, kStart, 10s, Outcome::succeed, {}, {"installing", "ready"}};
  EXPECT_EQ(shown_state(Kind::cluster, activity, kStart), "installing");
  EXPECT_EQ(shown_state(Kind::cluster, activity, kStart + 5s), "ready");
  EXPECT_EQ(true_state(Kind::cluster, activity, kStart + 5s), "installing");
  activity.outcome = Outcome::fail;
  EXPECT_EQ(shown_state(Kind::cluster, activity, kStart + 10s), "error");
}

TEST(Lies, GoOnForWorkThatNeverEnds) {
  const Activity activity{Work::remove, kStart, 10s, Outcome::never, {}, {"uninstalling", "ready"}};
  EXPECT_EQ(shown_state(Kind::cluster, activity, kStart + 1000h), "ready");
}

TEST(StoredActivity, ReadsBackAsItWas) {
  const Activity activity{Work::update, kStart + 1ns, 1500ms, Outcome::fail, {"OCM4001", "no quota", {{"quota", "12 of 10"}}},
                          {"ready"}};
  const Activity read = activity_from_json(boost::json::parse(boost::json::serialize(to_json(activity))).as_object());
  EXPECT_EQ(read.work, activity.work);
  EXPECT_EQ(read.start, activity.start);
  EXPECT_EQ(read.duration, activity.duration);
  EXPECT_EQ(read.outcome, activity.outcome);
  EXPECT_EQ(read.failure.code, "OCM4001");
  EXPECT_EQ(read.failure.message, "no quota");
  ASSERT_EQ(read.failure.checks.size(), 1U);
  EXPECT_EQ(read.failure.checks[0].error, "12 of 10");
  EXPECT_EQ(read.lies, activity.lies);
}

}  // namespace
}  // namespace acceptd::simulator
