#include "providers/cluster_service/answers.hpp"

#include "fake_backend.hpp"

namespace acceptd::providers::cluster_service {
namespace {

using engine::Submission;
using model::ErrorKind;
using Answer = Submission::Answer;

Reply answered(unsigned status, std::string_view body = "", bool retry_after = false) {
  Reply reply;
  reply.kind = Reply::Kind::answered;
  reply.status = status;
  reply.retry_after = retry_after;
  if (body.empty()) return reply;
  reply.body = parsed(body);
  reply.readable = true;
  return reply;
}

struct Row {
  std::string name;
  Write write;
  Reply reply;
  Answer answer;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::vector<Row> rows() {
  std::vector<Row> rows;
  const auto add = [&](std::string name, Write write, Reply reply, Answer answer) {
    rows.push_back(Row{std::move(name), write, std::move(reply), answer});
  };
  Reply not_sent, lost;
  not_sent.kind = Reply::Kind::not_sent;
  lost.kind = Reply::Kind::unknown;
  constexpr std::pair<Write, const char*> kWrites[] = {
      {Write::create, "create"}, {Write::update, "update"}, {Write::remove, "remove"}, {Write::credential, "credential"}};
  for (const auto& [write, verb] : kWrites) {
    const std::string on = std::string("_on_") + verb;
    for (const unsigned status : {200u, 201u, 202u, 204u})
      add(std::to_string(status) + on, write, answered(status), Answer::accepted);
    add("not_sent" + on, write, not_sent, Answer::unavailable);
    add("lost" + on, write, lost, Answer::unknown);
    for (const unsigned status : {500u, 502u, 503u, 504u, 408u, 302u, 100u})
      add(std::to_string(status) + on, write, answered(status), Answer::unknown);
    add("503_with_retry_after" + on, write, answered(503, "", true), Answer::unavailable);
    add("429" + on, write, answered(429), Answer::unavailable);
    for (const unsigned status : {400u, 401u, 403u, 405u, 409u, 422u})
      add(std::to_string(status) + on, write, answered(status), Answer::rejected);
  }
  add("404_on_create", Write::create, answered(404), Answer::rejected);
  add("404_on_update", Write::update, answered(404), Answer::gone);
  add("404_on_remove", Write::remove, answered(404), Answer::gone);
  add("404_on_credential", Write::credential, answered(404), Answer::rejected);
  add("exists_on_create", Write::create, answered(409, R"({"reason":"Cluster 'a' Already Exists"})"), Answer::exists);
  add("exists_on_update", Write::update, answered(409, R"({"reason":"already exists"})"), Answer::rejected);
  add("prefix_in_use", Write::create, answered(409, R"({"reason":"Domain prefix 'a' already exists"})"), Answer::rejected);
  add("no_shard", Write::create, answered(500, R"({"reason":"Unable to find shard for region"})"), Answer::rejected);
  return rows;
}

using Judgement = ::testing::TestWithParam<Row>;
TEST_P(Judgement, OfAnAnswer) {
  const Submission submission = judge(GetParam().reply, GetParam().write, BackendTest::target(model::RequestKind::create));
  EXPECT_EQ(submission.answer, GetParam().answer);
  EXPECT_EQ(submission.error.has_value(), GetParam().answer == Answer::rejected || GetParam().answer == Answer::exists);
}
INSTANTIATE_TEST_SUITE_P(Table, Judgement, ::testing::ValuesIn(rows()), [](const auto& info) { return info.param.name; });

model::Error error_of(const Reply& reply, Write write = Write::create, std::string_view id = BackendTest::kClusterId) {
  return judge(reply, write, BackendTest::target(model::RequestKind::create, id)).error.value_or(model::Error{});
}

TEST(Answers, HCP_021_ARefusedContentIsWordedByClusterService) {
  const auto error = error_of(answered(400, R"({"kind":"Error","code":"CLUSTERS-MGMT-400","reason":"CIDR overlaps"})"));
  EXPECT_EQ(error.kind, ErrorKind::invalid);
  EXPECT_EQ(error.code, "InvalidRequestContent");
  EXPECT_EQ(error.message, "CIDR overlaps");
}

TEST(Answers, HCP_021_AMissingParentIsNamed) {
  const auto error = error_of(answered(404), Write::create, std::string(BackendTest::kClusterId) + "/nodePools/np1");
  EXPECT_EQ(error.kind, ErrorKind::not_found);
  EXPECT_EQ(error.code, "ResourceNotFound");
  EXPECT_EQ(
      error.message,
      "The resource 'Microsoft.RedHatOpenShift/hcpOpenShiftClusters/MyCluster' under resource group 'My-RG' was not found.");
}

TEST(Answers, HCP_021_AConflictTargetsTheResource) {
  const auto error = error_of(answered(409, R"({"reason":"the cluster is busy"})"), Write::update);
  EXPECT_EQ(error.kind, ErrorKind::conflict);
  EXPECT_EQ(error.code, "Conflict");
  EXPECT_EQ(error.message, "the cluster is busy");
  EXPECT_EQ(error.target, BackendTest::kClusterId);
}

TEST(Answers, HCP_021_NoShardMeansNoCapacity) {
  const auto error = error_of(answered(400, R"({"reason":"Unable to find shard"})"));
  EXPECT_EQ(error.kind, ErrorKind::unavailable);
  EXPECT_EQ(error.code, "ServiceUnavailable");
  EXPECT_TRUE(error.message.starts_with("Capacity is currently restricted"));
  EXPECT_EQ(error.retry_after, std::chrono::seconds(59));
}

TEST(Answers, HCP_021_OtherRefusalsTellNothing) {
  for (const unsigned status : {401u, 403u, 405u, 422u}) {
    const auto error = error_of(answered(status, R"({"reason":"token of service account x is bad"})"));
    EXPECT_EQ(error.kind, ErrorKind::internal);
    EXPECT_EQ(error.code, "InternalServerError");
    EXPECT_EQ(error.message, "Internal server error.");
  }
}

TEST(Answers, HCP_021_AnyRefusalOfACredentialRequestIsInternal) {
  for (const unsigned status : {400u, 404u, 409u})
    EXPECT_EQ(error_of(answered(status, R"({"reason":"x"})"), Write::credential).code, "InternalServerError");
}

TEST(Answers, ARefusalWithoutAUsableReasonHasAMessageAllTheSame) {
  for (const std::string& body :
       {std::string("[]"), std::string(R"({"reason":7})"), R"({"reason":")" + std::string(5000, 'x') + "\"}"}) {
    EXPECT_FALSE(error_of(answered(400, body)).message.empty());
    EXPECT_LE(error_of(answered(400, body)).message.size(), 1024u);
  }
}

TEST(Answers, SummariesHoldStatusAndCodeOnly) {
  EXPECT_EQ(summary_of(answered(409, R"({"code":"CLUSTERS-MGMT-409","reason":"secret"})")), "409 CLUSTERS-MGMT-409");
  EXPECT_EQ(summary_of(answered(500, R"({"code":"a b"})")), "500");
  EXPECT_EQ(summary_of(answered(500, R"({"code":")" + std::string(100, 'x') + "\"}")), "500");
  Reply lost;
  lost.kind = Reply::Kind::unknown;
  lost.reason = std::string(1000, 'x');
  EXPECT_EQ(summary_of(lost).size(), 200u);
}

TEST(Answers, OnlySafePathsAreTakenForAnHref) {
  EXPECT_EQ(href_of({{"href", "/api/aro_hcp/v1alpha1/clusters/2ABC"}}), "/api/aro_hcp/v1alpha1/clusters/2abc");
  for (const char* bad : {"", "http://evil.example/api/x", "//evil/api/", "/other/x", "/api/../admin", "/api/a//b", "/api/a?b=c",
                          "/api/a b", "/api/a\r\nb", "/api/a%2f", "/api/clusters/"})
    EXPECT_EQ(href_of({{"href", bad}}), "") << bad;
  EXPECT_EQ(href_of({{"href", "/api/" + std::string(600, 'a')}}), "");
  EXPECT_EQ(href_of({{"href", 7}}), "");
  EXPECT_EQ(href_of({}), "");
}

}  // namespace
}  // namespace acceptd::providers::cluster_service
