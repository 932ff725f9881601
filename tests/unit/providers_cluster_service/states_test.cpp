#include "providers/cluster_service/states.hpp"

#include <gtest/gtest.h>

#include "fake_backend.hpp"

namespace acceptd::providers::cluster_service {
namespace {

using engine::Observation;
using model::RequestKind;
using model::Status;
using Kind = Observation::Kind;

constexpr std::array kRequests{RequestKind::create, RequestKind::update, RequestKind::remove};

engine::Target in(RequestKind request, Status status) {
  engine::Target target = BackendTest::target(request);
  target.status = status;
  return target;
}

boost::json::object state(std::string_view name) { return {{"state", name}}; }
boost::json::object pool_state(std::string_view name, std::string_view message = "") {
  return {{"state", boost::json::object{{"node_pool_state_value", name}}}, {"message", message}};
}

std::string name_of(std::string_view text) {
  std::string name;
  for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

// ---- clusters and node pools: one case for each state, request and status --------------------------------------------

struct Row {
  std::string state;
  RequestKind request;
  Status before;
  std::optional<Status> after;  ///< nullopt: unchanged
  bool unexpected = false;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.state << " in " << model::to_string(row.before); }

std::string row_name(const ::testing::TestParamInfo<Row>& info) {
  const char* request = info.param.request == RequestKind::create   ? "create"
                        : info.param.request == RequestKind::update ? "update"
                                                                    : "delete";
  return name_of(fmt::format("{}_{}_{}", info.param.state, request, model::to_string(info.param.before)));
}

constexpr std::array kStatuses{Status::accepted, Status::provisioning, Status::updating, Status::deleting};

/// Written from the contract's table, not from the adapter's.
std::vector<Row> cluster_rows() {
  std::vector<Row> rows;
  for (const RequestKind request : kRequests)
    for (const Status before : kStatuses) {
      const bool own = (request == RequestKind::create && before == Status::provisioning) ||
                       (request == RequestKind::update && before == Status::updating) ||
                       (request == RequestKind::remove && before == Status::deleting);
      const bool may_wait = before == Status::accepted || own;
      rows.push_back({"pending", request, before, std::nullopt, !may_wait});
      rows.push_back({"validating", request, before, std::nullopt, !may_wait});
      rows.push_back({"installing", request, before, Status::provisioning});
      rows.push_back({"updating", request, before, Status::updating});
      rows.push_back({"uninstalling", request, before, Status::deleting});
      rows.push_back(
          {"ready", request, before, request == RequestKind::remove ? std::nullopt : std::optional(Status::succeeded)});
      rows.push_back({"error", request, before, Status::failed});
      rows.push_back({"hibernating", request, before, std::nullopt, true});
    }
  return rows;
}

std::vector<Row> node_pool_rows() {
  std::vector<Row> rows;
  for (const RequestKind request : kRequests)
    for (const Status before : kStatuses) {
      for (const char* waiting : {"validating", "pending", "validating_update", "pending_update"})
        rows.push_back({waiting, request, before, std::nullopt, before != Status::accepted});
      rows.push_back({"installing", request, before, Status::provisioning});
      rows.push_back({"updating", request, before, Status::updating});
      rows.push_back({"uninstalling", request, before, Status::deleting});
      rows.push_back(
          {"ready", request, before, request == RequestKind::remove ? std::nullopt : std::optional(Status::succeeded)});
      rows.push_back({"recoverable_error", request, before, Status::failed});
      rows.push_back({"error", request, before, Status::failed});
      rows.push_back({"degraded", request, before, std::nullopt, true});
    }
  return rows;
}

void expect_row(const Row& row, const Observation& observation) {
  EXPECT_EQ(observation.kind, row.unexpected ? Kind::unexpected : Kind::state);
  EXPECT_EQ(observation.status, row.after);
  EXPECT_EQ(observation.error.has_value(), row.after == Status::failed);
  EXPECT_EQ(observation.step, row.state);
}

using HCP_023_ClusterState = ::testing::TestWithParam<Row>;
TEST_P(HCP_023_ClusterState, Maps) {
  expect_row(GetParam(), observe_cluster(in(GetParam().request, GetParam().before), state(GetParam().state), {}));
}
INSTANTIATE_TEST_SUITE_P(Table, HCP_023_ClusterState, ::testing::ValuesIn(cluster_rows()), row_name);

using HCP_023_NodePoolState = ::testing::TestWithParam<Row>;
TEST_P(HCP_023_NodePoolState, Maps) {
  expect_row(GetParam(), observe_node_pool(in(GetParam().request, GetParam().before), pool_state(GetParam().state)));
}
INSTANTIATE_TEST_SUITE_P(Table, HCP_023_NodePoolState, ::testing::ValuesIn(node_pool_rows()), row_name);

TEST(States, AnIntentThatIsStillHiddenWaitsLikeAnAcceptedOne) {
  EXPECT_EQ(observe_cluster(in(RequestKind::create, Status::intended), state("pending"), {}).kind, Kind::state);
  EXPECT_EQ(observe_node_pool(in(RequestKind::create, Status::intended), pool_state("pending")).kind, Kind::state);
}

// ---- errors ----------------------------------------------------------------------------------------------------------

struct ErrorRow {
  std::string name, status;
  std::vector<std::string> checks;
  std::string error;  ///< as in documents
};
void PrintTo(const ErrorRow& row, std::ostream* out) { *out << row.name; }

using HCP_023_ClusterError = ::testing::TestWithParam<ErrorRow>;
TEST_P(HCP_023_ClusterError, Maps) {
  const ErrorRow& row = GetParam();
  const auto observation =
      observe_cluster(in(RequestKind::create, Status::provisioning), parsed(row.status).as_object(), row.checks);
  EXPECT_EQ(observation.status, Status::failed);
  ASSERT_TRUE(observation.error);
  EXPECT_EQ(boost::json::value(model::error_to_json(*observation.error)), parsed(row.error));
}
INSTANTIATE_TEST_SUITE_P(
    Table, HCP_023_ClusterError,
    ::testing::Values(
        ErrorRow{"code_and_message",
                 R"({"state":"error","provision_error_code":"OCM3001","provision_error_message":"no quota"})",
                 {},
                 R"({"code":"OCM3001","message":"no quota"})"},
        ErrorRow{"description_for_a_missing_message",
                 R"({"state":"error","provision_error_code":"OCM3001","description":"broken"})",
                 {},
                 R"({"code":"OCM3001","message":"broken"})"},
        ErrorRow{"a_code_that_callers_may_not_see",
                 R"({"state":"error","provision_error_code":"quota_exceeded","provision_error_message":"no quota"})",
                 {},
                 R"({"code":"InternalServerError","message":"quota_exceeded: no quota"})"},
        ErrorRow{"such_a_code_alone",
                 R"({"state":"error","provision_error_code":"quota_exceeded"})",
                 {},
                 R"({"code":"InternalServerError","message":"Cluster Service reported \"quota_exceeded\" without a message."})"},
        ErrorRow{"no_code",
                 R"({"state":"error","provision_error_message":"no quota"})",
                 {},
                 R"({"code":"InternalServerError","message":"no quota"})"},
        ErrorRow{
            "nothing_at_all", R"({"state":"error"})", {}, R"({"code":"InternalServerError","message":"Internal server error."})"},
        ErrorRow{"wrong_types",
                 R"({"state":"error","provision_error_code":7,"provision_error_message":[],"description":{}})",
                 {},
                 R"({"code":"InternalServerError","message":"Internal server error."})"},
        ErrorRow{"inflight_one",
                 R"({"state":"error","provision_error_code":"OCM4001","provision_error_message":"see checks"})",
                 {"no egress"},
                 R"({"code":"InternalServerError","message":"no egress"})"},
        ErrorRow{"inflight_several",
                 R"({"state":"error","provision_error_code":"OCM4001"})",
                 {"no egress", "no quota"},
                 R"({"code":"MultipleErrorsOccurred","message":"Cluster provisioning failed due to multiple errors","details":[
                     {"code":"InternalServerError","message":"no egress"},{"code":"InternalServerError","message":"no quota"}]})"},
        ErrorRow{"inflight_none",
                 R"({"state":"error","provision_error_code":"OCM4001","provision_error_message":"see checks"})",
                 {},
                 R"({"code":"InternalServerError","message":"Internal server error."})"}),
    [](const auto& info) { return info.param.name; });

TEST(States, HCP_023_InflightChecksAreNeededForTheirCodeOnly) {
  EXPECT_TRUE(needs_inflight_checks(parsed(R"({"state":"error","provision_error_code":"OCM4001"})").as_object()));
  EXPECT_FALSE(needs_inflight_checks(parsed(R"({"state":"error","provision_error_code":"OCM3001"})").as_object()));
  EXPECT_FALSE(needs_inflight_checks(parsed(R"({"state":"installing","provision_error_code":"OCM4001"})").as_object()));
}

TEST(States, HCP_023_OnlyFailedInflightChecksCount) {
  const auto checks = parsed(
      R"([{"name":"a","state":"passed","details":{"error":"x"}},{"name":"b","state":"failed","details":{"error":"no egress"}},
                                 {"name":"c","state":"running"},{"name":"d","state":"pending"},{"name":"e","state":"failed"}, 7, null])");
  EXPECT_EQ(failed_checks(checks.as_array()), (std::vector<std::string>{"no egress", "The check \"e\" failed."}));
}

TEST(States, HCP_023_ANodePoolFailsWithItsMessage) {
  for (const char* name : {"error", "recoverable_error"}) {
    const auto observation = observe_node_pool(in(RequestKind::create, Status::provisioning), pool_state(name, "no vm"));
    ASSERT_TRUE(observation.error);
    EXPECT_EQ(observation.error->code, "InternalServerError");
    EXPECT_EQ(observation.error->message, "no vm");
  }
}

TEST(States, ATextOfTheBackendIsCutAtAWholeCharacter) {
  std::string message(1023, 'x');
  message += "\xc3\xa9 and more";
  const auto observation = observe_node_pool(in(RequestKind::create, Status::accepted), pool_state("error", message));
  EXPECT_EQ(observation.error->message, std::string(1023, 'x'));
}

TEST(States, AStateOfTheWrongTypeIsUnexpected) {
  for (const char* body : {R"({})", R"({"state":7})", R"({"state":{"node_pool_state_value":[]}})", R"({"state":null})"}) {
    EXPECT_EQ(observe_cluster(in(RequestKind::create, Status::accepted), parsed(body).as_object(), {}).kind, Kind::unexpected);
    EXPECT_EQ(observe_node_pool(in(RequestKind::create, Status::accepted), parsed(body).as_object()).kind, Kind::unexpected);
    EXPECT_EQ(observe_credential(parsed(body).as_object()).kind, Kind::unexpected);
  }
}

TEST(States, AStrangeStateIsNamedWithinBounds) {
  const auto observation = observe_cluster(in(RequestKind::create, Status::accepted), state(std::string(5000, 'z')), {});
  EXPECT_EQ(observation.kind, Kind::unexpected);
  EXPECT_LE(observation.summary.size(), 200u);
}

// ---- credentials -----------------------------------------------------------------------------------------------------

TEST(States, HCP_023_ARequestedCredential) {
  EXPECT_EQ(observe_credential({{"status", "created"}}).status, Status::provisioning);
  EXPECT_EQ(observe_credential({{"status", "issued"}}).status, Status::succeeded);
  const auto failed = observe_credential({{"status", "failed"}});
  EXPECT_EQ(failed.status, Status::failed);
  ASSERT_TRUE(failed.error);
  EXPECT_EQ(failed.error->message, "Failed to provision cluster credential");
  for (const char* odd : {"revoked", "expired", "awaiting_revocation", "else"})
    EXPECT_EQ(observe_credential({{"status", odd}}).kind, Kind::unexpected) << odd;
}

struct RevocationRow {
  std::string name;
  std::vector<std::string> credentials;
  std::optional<Status> status;  ///< nullopt: unexpected
};
void PrintTo(const RevocationRow& row, std::ostream* out) { *out << row.name; }

using HCP_023_Revocation = ::testing::TestWithParam<RevocationRow>;
TEST_P(HCP_023_Revocation, Maps) {
  boost::json::array credentials;
  for (const std::string& status : GetParam().credentials)
    credentials.push_back(boost::json::object{{"status", status}, {"expiration_timestamp", "2026-01-06T00:00:00Z"}});
  const auto observation = observe_revocation(credentials, testing::SimClock::kStart);
  EXPECT_EQ(observation.kind, GetParam().status ? Kind::state : Kind::unexpected);
  EXPECT_EQ(observation.status, GetParam().status);
  if (GetParam().status == Status::failed) {
    ASSERT_TRUE(observation.error);
    EXPECT_EQ(observation.error->message, "Failed to revoke cluster credential");
  }
}
INSTANTIATE_TEST_SUITE_P(Table, HCP_023_Revocation,
                         ::testing::Values(RevocationRow{"none", {}, Status::succeeded},
                                           RevocationRow{"all_revoked", {"revoked", "revoked"}, Status::succeeded},
                                           RevocationRow{"some_awaiting", {"revoked", "awaiting_revocation"}, Status::deleting},
                                           RevocationRow{
                                               "awaiting_before_failed", {"failed", "awaiting_revocation"}, Status::deleting},
                                           RevocationRow{"one_failed", {"revoked", "failed", "revoked"}, Status::failed},
                                           RevocationRow{"expired_ignored", {"expired", "revoked"}, Status::succeeded},
                                           RevocationRow{"still_issued", {"issued", "revoked"}, std::nullopt},
                                           RevocationRow{"unknown", {"revoked", "melted"}, std::nullopt}),
                         [](const auto& info) { return info.param.name; });

TEST(States, HCP_023_ACredentialPastItsTimeIsExpiredWhateverItsState) {
  const auto credentials = parsed(R"([{"status":"failed","expiration_timestamp":"2026-01-05T18:29:58Z"},
                                      {"status":"awaiting_revocation","expiration_timestamp":"2025-01-01T00:00:00Z"}])");
  EXPECT_EQ(observe_revocation(credentials.as_array(), testing::SimClock::kStart).status, Status::succeeded);
}

}  // namespace
}  // namespace acceptd::providers::cluster_service
