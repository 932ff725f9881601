#include "contracts/arm/render.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/contracts_arm/support.hpp"

namespace acceptd::contracts::arm {
namespace {

namespace json = boost::json;
using model::Error;
using model::ErrorKind;
using model::Status;

class RenderTest : public ::testing::Test {
 protected:
  RenderTest() {
    resource_.id = *model::ResourceId::parse(testing::kite_path());
    resource_.location = "westus3";
    resource_.provisioning_state = Status::updating;
    resource_.tags = testing::object(R"({"a":"b"})");
    resource_.desired = testing::object(R"({"size":1})");
    resource_.system_data = testing::object(R"({"createdBy":"ann"})");
    resource_.etag = "v1";
    operation_.id = *model::parse_uuid("00000000-0000-4000-8000-000000000001");
    operation_.operation_path =
        "/subscriptions/s/providers/p/locations/westus3/kiteOperationStatuses/00000000-0000-4000-8000-000000000001";
    operation_.start = *model::parse_rfc3339("2026-01-02T03:04:05Z");
    operation_.last_transition = *model::parse_rfc3339("2026-01-02T03:05:05Z");
  }
  testing::Types types_;
  model::Resource resource_;
  model::Operation operation_;
};

TEST_F(RenderTest, ARM_053_TheEnvelopeOfAResource) {
  const json::object body = resource_body(resource_, types_.type("contoso.kites/kites"), "2025-01-01");
  EXPECT_EQ(body, testing::object(fmt::format(
                      R"({{"id":"{}","name":"Red","type":"Contoso.Kites/kites","location":"westus3","tags":{{"a":"b"}},
      "systemData":{{"createdBy":"ann"}},"etag":"\"v1\"","properties":{{"provisioningState":"Updating","size":1}}}})",
                      testing::kite_path())));
}

TEST_F(RenderTest, ARM_100_BodyAndHeaderShowTheSameEtag) {
  const http::Response response = resource_response(200, resource_, types_.type("contoso.kites/kites"), "2025-01-01");
  EXPECT_EQ(response.headers.get("ETag"), testing::object(response.body).at("etag").as_string());
  EXPECT_EQ(response.headers.get("Content-Type"), "application/json");
}

TEST_F(RenderTest, ARM_174_TheStatusOfARunningOperation) {
  operation_.status = Status::provisioning;
  EXPECT_EQ(
      status_body(operation_),
      testing::object(
          R"({"id":"/subscriptions/s/providers/p/locations/westus3/kiteOperationStatuses/00000000-0000-4000-8000-000000000001",
      "name":"00000000-0000-4000-8000-000000000001","status":"Provisioning","startTime":"2026-01-02T03:04:05Z"})"));
}

TEST_F(RenderTest, ARM_175_OnlyAnEndedOperationHasAnEndTime) {
  operation_.status = Status::succeeded;
  const json::object body = status_body(operation_);
  EXPECT_EQ(body.at("endTime"), "2026-01-02T03:05:05Z");
  EXPECT_FALSE(body.contains("error"));
}

TEST_F(RenderTest, ARM_176_PercentCompleteIsFrom0To100) {
  operation_.status = Status::provisioning;
  operation_.percent = 250;
  EXPECT_EQ(status_body(operation_).at("percentComplete"), 100) << "whole, and written so";
  operation_.percent = 33.5;
  EXPECT_EQ(status_body(operation_).at("percentComplete"), 33.5);
}

TEST_F(RenderTest, ARM_178_FailedAndCanceledAlwaysHaveCodeAndMessage) {
  for (const Status status : {Status::failed, Status::canceled})
    for (const auto& error :
         {std::optional<Error>(), std::optional(Error{}), std::optional(Error{.code = "Canceled", .message = "superseded"})}) {
      operation_.status = status;
      operation_.error = error;
      const json::object shown = status_body(operation_).at("error").as_object();
      EXPECT_FALSE(shown.at("code").as_string().empty());
      EXPECT_FALSE(shown.at("message").as_string().empty());
    }
}

TEST_F(RenderTest, ARM_040_ARM_044_Errors) {
  Error error{.kind = ErrorKind::invalid, .code = "MultipleErrorsOccurred", .message = "Multiple errors occurred"};
  error.details.push_back(Error{.code = "InvalidRequestContent", .message = "Required value", .target = "properties.size"});
  const http::Response response = error_response(error);
  EXPECT_EQ(response.status, 400u);
  EXPECT_EQ(response.headers.get("x-ms-error-code"), "MultipleErrorsOccurred");
  EXPECT_EQ(testing::object(response.body),
            testing::object(R"({"error":{"code":"MultipleErrorsOccurred","message":"Multiple errors occurred",
      "details":[{"code":"InvalidRequestContent","message":"Required value","target":"properties.size"}]}})"));
  const json::object bare = testing::object(error_response(Error{}).body).at("error").as_object();
  EXPECT_EQ(bare.at("code"), "InternalServerError");
  EXPECT_FALSE(bare.at("message").as_string().empty());
}

struct KindCase {
  ErrorKind kind;
  std::string code;
  unsigned status;
};
void PrintTo(const KindCase& one, std::ostream* out) { *out << one.status << " " << one.code; }
class KindTest : public ::testing::TestWithParam<KindCase> {};
TEST_P(KindTest, HasItsStatus) {
  const KindCase& given = GetParam();
  EXPECT_EQ(status_of(Error{.kind = given.kind, .code = given.code, .message = "m"}), given.status);
}
INSTANTIATE_TEST_SUITE_P(
    Kinds, KindTest,
    ::testing::Values(KindCase{ErrorKind::invalid, "InvalidParameter", 400},
                      KindCase{ErrorKind::invalid, "UnsupportedMediaType", 415}, KindCase{ErrorKind::invalid, "Forbidden", 403},
                      KindCase{ErrorKind::unsupported_version, "InvalidResourceType", 400},
                      KindCase{ErrorKind::not_found, "ResourceNotFound", 404}, KindCase{ErrorKind::conflict, "Conflict", 409},
                      KindCase{ErrorKind::contended, "Conflict", 409}, KindCase{ErrorKind::contended, "LockContention", 503},
                      KindCase{ErrorKind::precondition_failed, "PreconditionFailed", 412},
                      KindCase{ErrorKind::throttled, "TooManyRequests", 429},
                      KindCase{ErrorKind::unavailable, "ServiceUnavailable", 503}, KindCase{ErrorKind::unknown_outcome, "", 500},
                      KindCase{ErrorKind::internal, "InternalServerError", 500}));

TEST_F(RenderTest, ARM_201_WaitingTimesAreSentWith429And503) {
  EXPECT_EQ(error_response(Error{.kind = ErrorKind::unavailable}).headers.get("Retry-After"), "59");
  EXPECT_EQ(
      error_response(Error{.kind = ErrorKind::throttled, .retry_after = std::chrono::seconds(12)}).headers.get("Retry-After"),
      "12");
  EXPECT_EQ(
      error_response(Error{.kind = ErrorKind::conflict, .retry_after = std::chrono::seconds(10)}).headers.get("Retry-After"),
      "10");
  EXPECT_EQ(error_response(Error{.kind = ErrorKind::conflict}).headers.get("Retry-After"), std::nullopt);
}

TEST_F(RenderTest, ARM_163_AFailedOperationsStatusIsThatOfItsCode) {
  EXPECT_EQ(status_of_failure("InvalidRequestContent"), 400u);
  EXPECT_EQ(status_of_failure("ResourceNotFound"), 404u);
  EXPECT_EQ(status_of_failure("Canceled"), 409u);
  EXPECT_EQ(status_of_failure("OCM3055"), 409u);
  EXPECT_EQ(status_of_failure("DeadlineExceeded"), 409u);
  EXPECT_EQ(status_of_failure("InternalServerError"), 500u);
}

TEST_F(RenderTest, RefusedRequestsHaveErrorBodiesToo) {
  using http::Refused;
  const std::vector<std::pair<Refused, unsigned>> cases{{Refused::malformed, 400},
                                                        {Refused::header_too_large, 431},
                                                        {Refused::body_too_large, 413},
                                                        {Refused::version, 505},
                                                        {Refused::too_many_connections, 503}};
  for (const auto& [refused, status] : cases) {
    const http::Response response = refusal_response(refused, "why");
    EXPECT_EQ(response.status, status);
    EXPECT_FALSE(testing::object(response.body).at("error").as_object().at("code").as_string().empty());
  }
}

}  // namespace
}  // namespace acceptd::contracts::arm
