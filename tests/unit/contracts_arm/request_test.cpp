#include "contracts/arm/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contracts/arm/caller.hpp"
#include "contracts/arm/links.hpp"
#include "contracts/arm/system_data.hpp"
#include "unit/contracts_arm/support.hpp"

namespace acceptd::contracts::arm {
namespace {

using http::Method;
using ::testing::HasSubstr;

class RequestTest : public ::testing::Test {
 protected:
  http::Request request(Method method, const std::string& rest = "?api-version=2025-01-01") {
    return testing::request(method, testing::kite_path(rest));
  }
  std::string version_code(const std::string& rest) {
    const http::Request made = request(Method::get, rest);
    const auto version = api_version_of(made, parse_route(made, types_.registry, types_.namespaces), types_.registry);
    return version ? *version : version.error().code + ": " + version.error().message;
  }
  testing::Types types_;
};

TEST_F(RequestTest, ARM_030_AMissingApiVersionIsRefused) {
  EXPECT_EQ(version_code(""), "InvalidParameter: The request is missing required parameter 'api-version'.");
  EXPECT_EQ(version_code("?api-version="), "InvalidParameter: The request is missing required parameter 'api-version'.");
}

TEST_F(RequestTest, ARM_031_ARM_032_OtherVersionsAreRefused) {
  for (const char* bad : {"2024-01-01", "bogus", "2025-01-01-preview", "20250101"})
    EXPECT_EQ(
        version_code(std::string("?api-version=") + bad),
        fmt::format("InvalidResourceType: The resource type 'Contoso.Kites/kites' could not be found API version '{}'.", bad));
  EXPECT_THAT(version_code("/tails/Long?api-version=2025-01-01"), HasSubstr("'Contoso.Kites/kites'"));
  EXPECT_EQ(version_code("?API-Version=2026-01-01-Preview"), "2026-01-01-preview");
}

TEST_F(RequestTest, ARM_034_SubscriptionsNeedNoApiVersion) {
  const http::Request made =
      testing::request(Method::put, std::string("/subscriptions/") + testing::kSubscription + "?api-version=2.0");
  EXPECT_EQ(api_version_of(made, parse_route(made, types_.registry, types_.namespaces), types_.registry), "");
}

struct MediaCase {
  std::string type, body;
  bool good;
};
void PrintTo(const MediaCase& one, std::ostream* out) { *out << "'" << one.type << "' with " << one.body.size() << " bytes"; }
class MediaTest : public ::testing::TestWithParam<MediaCase> {};
TEST_P(MediaTest, ARM_021_OnlyJson) {
  http::Request request = testing::request(Method::put, testing::kite_path());
  if (!GetParam().type.empty()) request.headers.add("Content-Type", GetParam().type);
  request.body = GetParam().body;
  const auto refusal = refuse_media_type(request);
  EXPECT_EQ(!refusal.has_value(), GetParam().good);
  if (refusal) EXPECT_EQ(refusal->code, "UnsupportedMediaType");
}
INSTANTIATE_TEST_SUITE_P(Types, MediaTest,
                         ::testing::Values(MediaCase{"application/json", "{}", true},
                                           MediaCase{"Application/JSON; charset=utf-8", "{}", true}, MediaCase{"", "", true},
                                           MediaCase{"", "{}", false}, MediaCase{"text/plain", "{}", false},
                                           MediaCase{"text/plain", "", false},
                                           MediaCase{"application/merge-patch+json", "{}", false}));

TEST_F(RequestTest, BodiesThatAreNoJsonObjectAreRefused) {
  http::Request made = request(Method::put);
  for (const char* bad : {"", "{", "[]", "1", "{\"a\":1,\"a\":2}", "{\"a\":1e999}", "{\"a\":\"\xff\"}"}) {
    made.body = bad;
    const auto body = body_of(made, false);
    ASSERT_FALSE(body.has_value()) << bad;
    EXPECT_EQ(body.error().code, "InvalidRequestContent");
    EXPECT_THAT(body.error().message, HasSubstr("The request content was invalid and could not be deserialized: \""));
  }
  made.body = "";
  EXPECT_TRUE(body_of(made, true).has_value());
}

struct TagCase {
  std::string field;
  std::optional<std::string> tag;  // nullopt: refused
};
void PrintTo(const TagCase& one, std::ostream* out) { *out << one.field; }
class EntityTagTest : public ::testing::TestWithParam<TagCase> {};
TEST_P(EntityTagTest, Reads) {
  http::Request request = testing::request(Method::put, testing::kite_path());
  request.headers.add("If-Match", GetParam().field);
  const auto read = preconditions_of(request);
  ASSERT_EQ(read.has_value(), GetParam().tag.has_value());
  if (read) EXPECT_EQ(read->if_match, *GetParam().tag);
}
INSTANTIATE_TEST_SUITE_P(Fields, EntityTagTest,
                         ::testing::Values(TagCase{"", ""}, TagCase{"\"\"", ""}, TagCase{"*", "*"}, TagCase{"\"xyz\"", "xyz"},
                                           TagCase{"xyz", "xyz"}, TagCase{"W/\"xyz\"", "xyz"}, TagCase{" \"xyz\" ", "xyz"},
                                           TagCase{"\"a\", \"b\"", std::nullopt}, TagCase{"\"a", std::nullopt},
                                           TagCase{"\"\xff\"", std::nullopt}));

TEST_F(RequestTest, ARM_113_IfNoneMatchOfAReadMayNameSeveral) {
  http::Request made = request(Method::get);
  EXPECT_FALSE(is_not_modified(made, "b"));
  made.headers.add("If-None-Match", "\"a\", W/\"b\"");
  EXPECT_TRUE(is_not_modified(made, "a"));
  EXPECT_TRUE(is_not_modified(made, "b"));
  EXPECT_FALSE(is_not_modified(made, "c"));
  EXPECT_FALSE(is_not_modified(made, ""));
}

TEST_F(RequestTest, TopIsBounded) {
  EXPECT_EQ(paging_of(request(Method::get, ""), 20)->limit, 20u);
  EXPECT_EQ(paging_of(request(Method::get, "?$top=1"), 20)->limit, 1u);
  EXPECT_EQ(paging_of(request(Method::get, "?%24TOP=1000&$skiptoken=a%2Bb"), 20)->continuation, "a+b");
  for (const char* bad : {"0", "1001", "-1", "ten", "1.5", "", "99999999999"})
    EXPECT_FALSE(paging_of(request(Method::get, std::string("?$top=") + bad), 20).has_value()) << bad;
}

TEST_F(RequestTest, SH_010_SH_011_TraceParents) {
  const std::string good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const auto read = [&](const std::string& field) {
    http::Request made = request(Method::get);
    made.headers.add("TraceParent", field);
    return correlation_of(made).traceparent;
  };
  EXPECT_EQ(read(good), good);
  EXPECT_EQ(read("cc" + good.substr(2) + "-more"), good);
  const std::vector<std::string> broken{"ff" + good.substr(2),
                                        good + "-more",
                                        good.substr(1),
                                        "cc" + good.substr(2) + "x",
                                        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                                        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                                        "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"};
  for (const std::string& bad : broken) EXPECT_EQ(read(bad), "") << bad;
}

TEST_F(RequestTest, IdentifiersAreMadeFitForDocuments) {
  http::Request made = request(Method::get);
  made.headers.add("x-ms-client-request-id", std::string("id\xff\x01") + std::string(500, 'x'));
  const std::string kept = correlation_of(made).client_request_id;
  EXPECT_EQ(kept.substr(0, 5), "id??x");
  EXPECT_EQ(kept.size(), 128u);
}

// ---- who calls ---------------------------------------------------------------------------------------------------

TEST_F(RequestTest, ARM_010_IdentityIsBelievedFromTrustedPlacesOnly) {
  const TrustedProxies proxies({"10.1.0.0/16", "192.0.2.7", "2001:db8::/32"});
  http::Request made = request(Method::get);
  made.headers.add("x-ms-home-tenant-id", "tenant");
  made.headers.add("x-ms-client-object-id", "client");
  made.loopback = false;
  for (const char* trusted : {"10.1.2.3", "192.0.2.7", "2001:db8::1", "::ffff:10.1.2.3"}) {
    made.remote_address = trusted;
    const auto caller = identify(made, proxies);
    ASSERT_TRUE(caller.has_value()) << trusted;
    EXPECT_EQ(caller->tenant, "tenant");
    EXPECT_EQ(caller->client, "client");
  }
  for (const char* stranger : {"10.2.0.1", "192.0.2.8", "2001:db9::1", "not an address"}) {
    made.remote_address = stranger;
    const auto caller = identify(made, proxies);
    ASSERT_FALSE(caller.has_value()) << stranger;
    EXPECT_EQ(caller.error().code, "Forbidden");
  }
}

TEST_F(RequestTest, ATrustedProxyMustSayWhoCalls) {
  const TrustedProxies proxies({"10.1.0.0/16"});
  http::Request made = request(Method::get);
  made.loopback = false;
  made.remote_address = "10.1.0.1";
  made.headers.add("x-ms-home-tenant-id", "tenant");
  made.headers.add("x-ms-client-object-id", "");
  EXPECT_EQ(identify(made, proxies).error().code, "Forbidden");
}

TEST_F(RequestTest, OnLoopbackOneFixedPrincipalStandsIn) {
  const auto caller = identify(request(Method::get), TrustedProxies({}));
  ASSERT_TRUE(caller.has_value());
  EXPECT_EQ(caller->tenant, kLocalTenant);
  EXPECT_EQ(caller->client, kLocalClient);
  EXPECT_EQ(caller->principal, "");
}

TEST_F(RequestTest, NetworksThatAreNoneAreRefused) {
  for (const char* bad : {"", "10.1.0.0/33", "example.com", "10.1.0.0/16/2"})
    EXPECT_THROW(TrustedProxies({bad}), std::invalid_argument) << bad;
}

// ---- links -------------------------------------------------------------------------------------------------------

TEST_F(RequestTest, ARM_011_UrlsCarryTheHostOfTheReferer) {
  http::Request made = request(Method::get);
  made.headers.add("Host", "10.0.0.1:8202");
  made.headers.add("Referer", "https://Management.example.com:444/prefix?x=y");
  EXPECT_EQ(public_origin(made), "https://Management.example.com:444");
  EXPECT_EQ(operation_url(made, "/a/b", "2025-01-01"), "https://Management.example.com:444/a/b?api-version=2025-01-01");
}

TEST_F(RequestTest, ARM_012_WithoutAUsableRefererProxyAndHostHeadersDecide) {
  for (const char* referer : {"", "/relative", "ftp://example.com/", "https://", "https://user@example.com/"}) {
    http::Request made = request(Method::get);
    made.headers.add("Host", "127.0.0.1:8202");
    made.headers.add("Referer", referer);
    EXPECT_EQ(public_origin(made), "http://127.0.0.1:8202") << referer;
    made.headers.add("X-Forwarded-Proto", "https, http");
    EXPECT_EQ(public_origin(made), "https://127.0.0.1:8202") << referer;
    made.headers.add("X-Forwarded-Host", "public.example.com");
    EXPECT_EQ(public_origin(made), "https://public.example.com") << referer;
  }
}

TEST_F(RequestTest, ARM_093_TheNextPageKeepsTheOtherParameters) {
  http::Request made = request(Method::get, "?api-version=2025-01-01&$top=2&$filter=a%20b&$skipToken=old");
  made.headers.add("Referer", "https://public.example.com/api" + testing::kite_path("?ignored=1"));
  EXPECT_EQ(next_page_url(made, "new/+="),
            "https://public.example.com/api" +
                testing::kite_path("?api-version=2025-01-01&$top=2&$filter=a%20b&$skipToken=new%2F%2B%3D"));
  made.headers.set("Referer", "https://public.example.com/somewhere/else");
  EXPECT_THAT(next_page_url(made, "t"), ::testing::StartsWith("https://public.example.com" + testing::kite_path("?")));
}

TEST_F(RequestTest, ARM_093_TheNextPageIsAUri) {
  http::Request made = testing::request(Method::get, "/subscriptions/s/a\"b<c>%2Fd|e?api-version=2025-01-01");
  made.headers.add("Host", "x.example");
  const std::string next = "/subscriptions/s/a%22b%3Cc%3E%2Fd%7Ce?api-version=2025-01-01&$skipToken=t";
  EXPECT_EQ(next_page_url(made, "t"), "http://x.example" + next);
  made.headers.add("Referer", "https://public.example/api" + next);
  EXPECT_EQ(next_page_url(made, "t"), "https://public.example/api" + next);
}

// ---- systemData --------------------------------------------------------------------------------------------------

TEST_F(RequestTest, ABrokenSystemDataHeaderIsNamed) {
  for (const char* bad :
       {"", "{", "[]", R"({"createdBy":1})", R"({"createdByType":"Martian"})", R"({"createdAt":"yesterday"})"}) {
    http::Request made = request(Method::put);
    made.headers.add("X-Ms-Arm-Resource-System-Data", bad);
    const auto read = system_data_of(made);
    ASSERT_FALSE(read.has_value()) << bad;
    EXPECT_EQ(read.error().code, "InvalidRequestContent");
    EXPECT_THAT(read.error().message, HasSubstr("'x-ms-arm-resource-system-data'"));
  }
}

TEST_F(RequestTest, ARM_068_SystemDataIsKeptAndFilledUp) {
  const model::Time now = *model::parse_rfc3339("2026-01-02T03:04:05Z");
  const auto created = complete_system_data({}, nullptr, "", now);
  EXPECT_EQ(created, testing::object(R"({"createdBy":"Unknown","createdByType":"Application","createdAt":"2026-01-02T03:04:05Z",
      "lastModifiedBy":"Unknown","lastModifiedByType":"Application","lastModifiedAt":"2026-01-02T03:04:05Z"})"));
  const auto given =
      testing::object(R"({"lastModifiedBy":"ann","lastModifiedByType":"User","lastModifiedAt":"2026-05-05T00:00:00Z"})");
  const auto updated = complete_system_data(given, &created, "bob", now);
  EXPECT_EQ(updated.at("createdBy"), "Unknown");
  EXPECT_EQ(updated.at("createdAt"), "2026-01-02T03:04:05Z");
  EXPECT_EQ(updated.at("lastModifiedBy"), "ann");
  EXPECT_EQ(updated.at("lastModifiedAt"), "2026-05-05T00:00:00Z");
}

TEST_F(RequestTest, HCP_024_TheIdentityUrlIsAUrl) {
  http::Request made = request(Method::put);
  EXPECT_EQ(identity_url_of(made), "");
  made.headers.set("x-ms-identity-url", " https://front.door/subscriptions/1/credentials?tid=2 ");
  EXPECT_EQ(identity_url_of(made), "https://front.door/subscriptions/1/credentials?tid=2");
  for (const std::string& bad :
       {std::string("front.door"), std::string("file:///etc/passwd"), "https://h/" + std::string(2048, 'a')}) {
    made.headers.set("x-ms-identity-url", bad);
    ASSERT_FALSE(identity_url_of(made)) << bad;
    EXPECT_EQ(identity_url_of(made).error().code, "InvalidRequestContent");
  }
  made.headers.set("x-ms-identity-url", "https://a/");
  made.headers.add("x-ms-identity-url", "https://b/");
  EXPECT_FALSE(identity_url_of(made)) << "which of them?";
}

TEST_F(RequestTest, WholeNumbersOfABodyAreIntegers) {
  http::Request made = request(Method::put);
  made.body = R"({"a":1e3,"b":[30.0,0.5]})";
  EXPECT_EQ(boost::json::serialize(body_of(made, false).value()), R"({"a":1000,"b":[30,5E-1]})");
}

}  // namespace
}  // namespace acceptd::contracts::arm
