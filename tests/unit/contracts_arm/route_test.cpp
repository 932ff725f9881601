#include "contracts/arm/route.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/contracts_arm/support.hpp"

namespace acceptd::contracts::arm {
namespace {

using http::Method;
using testing::kSubscription;

const std::string kScope = std::string("/subscriptions/") + kSubscription;
const std::string kProvider = kScope + "/providers/Contoso.Kites";
const std::string kGroup = kScope + "/resourceGroups/Sky/providers/Contoso.Kites";

struct PathCase {
  Method method;
  std::string path;
  RouteKind kind;
};
void PrintTo(const PathCase& one, std::ostream* out) { *out << http::to_string(one.method) << " " << one.path; }

class PathTest : public ::testing::TestWithParam<PathCase> {
 protected:
  testing::Types types_;
};

TEST_P(PathTest, NamesWhatItSays) {
  const PathCase& given = GetParam();
  const http::Request request = testing::request(given.method, given.path);
  const Route route = parse_route(request, types_.registry, types_.namespaces);
  EXPECT_EQ(to_string(route.kind), to_string(given.kind)) << given.path;
}

INSTANTIATE_TEST_SUITE_P(
    Paths, PathTest,
    ::testing::Values(
        PathCase{Method::get, "/healthz", RouteKind::health}, PathCase{Method::get, "/location", RouteKind::location},
        PathCase{Method::get, "/providers/contoso.kites/operations", RouteKind::provider_operations},
        PathCase{Method::get, "/providers/Contoso.Boats/operations", RouteKind::unknown},
        PathCase{Method::get, "/", RouteKind::unknown}, PathCase{Method::get, "/subscriptions", RouteKind::unknown},
        PathCase{Method::put, kScope, RouteKind::subscription},
        PathCase{Method::get, kScope + "/resourceGroups", RouteKind::unknown},
        PathCase{Method::get, kScope + "/resourceGroups/Sky", RouteKind::unknown},
        PathCase{Method::get, kProvider + "/kites", RouteKind::list}, PathCase{Method::get, kGroup + "/kites", RouteKind::list},
        PathCase{Method::get, kGroup + "/kites/", RouteKind::list},
        PathCase{Method::get, kGroup + "/kites/Red/tails", RouteKind::list},
        PathCase{Method::get, kGroup + "/kites/Red", RouteKind::resource},
        PathCase{Method::put, kGroup + "/kites/Red/tails/Long", RouteKind::resource},
        PathCase{Method::post, kGroup + "/kites/Red/reelIn", RouteKind::action},
        PathCase{Method::post, kGroup + "/kites/Red/REELIN", RouteKind::action},
        PathCase{Method::post, kGroup + "/kites/Red/burn", RouteKind::unknown},
        PathCase{Method::post, kGroup + "/kites/Red/tails", RouteKind::unknown},
        PathCase{Method::get, kGroup + "/kites/Red/reelIn", RouteKind::action},  // and 405
        PathCase{Method::get, kGroup + "/boats/Red", RouteKind::unknown},
        PathCase{Method::get, kGroup + "/tails/Long", RouteKind::unknown},
        PathCase{Method::get, kScope + "/providers/Contoso.Boats/kites", RouteKind::unknown},
        PathCase{Method::get, kProvider, RouteKind::unknown},
        PathCase{Method::get, kProvider + "/locations/westus3/kiteOperationStatuses/x", RouteKind::operation_status},
        PathCase{Method::get, kProvider + "/locations/westus3/operationStatuses/x", RouteKind::operation_status},
        PathCase{Method::get, kProvider + "/locations/westus3/operationsStatus/x", RouteKind::operation_status},
        PathCase{Method::get, kProvider + "/locations/westus3/kiteOperationStatuses", RouteKind::operation_statuses},
        PathCase{Method::get, kProvider + "/locations/westus3/kiteOperationResults/x", RouteKind::operation_result},
        PathCase{Method::get, kProvider + "/locations/westus3/operationresults/x", RouteKind::operation_result},
        PathCase{Method::get, kProvider + "/locations/westus3/operationResults", RouteKind::unknown},
        PathCase{Method::post, kProvider + "/CheckNameAvailability", RouteKind::name_availability},
        PathCase{Method::post, kProvider + "/locations/westus3/checkNameAvailability", RouteKind::name_availability},
        PathCase{Method::post, kGroup + "/checkNameAvailability", RouteKind::unknown},
        PathCase{Method::get, kGroup + "/kites/Red/SKUs", RouteKind::skus},
        PathCase{Method::get, kGroup + "/kites/skus", RouteKind::resource},
        PathCase{Method::get, kGroup + "/boats/Red/skus", RouteKind::unknown},
        PathCase{Method::get, kProvider + "/locations/westus3/moons/x", RouteKind::unknown},
        PathCase{Method::get, kProvider + "/locations/westus3/operationResults/x/y", RouteKind::unknown}));

class RouteTest : public ::testing::Test {
 protected:
  Route route(Method method, const std::string& path) {
    request_ = testing::request(method, path);
    return parse_route(request_, types_.registry, types_.namespaces);
  }
  std::string refusal(const std::string& path) {
    const Route parsed = route(Method::put, path);
    const auto refused = refuse_names(parsed, request_.segments);
    return refused ? refused->code : "";
  }
  testing::Types types_;
  http::Request request_;
};

TEST_F(RouteTest, ARM_013_FixedWordsAndTypesCompareWithoutRegardToCase) {
  const Route found = route(Method::get, "/SUBSCRIPTIONS/" + std::string(kSubscription) +
                                             "/RESOURCEGROUPS/sKY/PROVIDERS/CONTOSO.kites/KITES/rED/Tails/lONG");
  EXPECT_EQ(found.kind, RouteKind::resource);
  EXPECT_EQ(found.id->key(), model::to_lower(kGroup + "/kites/red/tails/long"));
  EXPECT_EQ(found.type->info().name, "Contoso.Kites/kites/tails");
}

TEST_F(RouteTest, KeepsTheCasingOfTheRequest) {
  const Route found = route(Method::put, kScope + "/resourceGroups/Sky/providers/CONTOSO.Kites/kites/rEd");
  EXPECT_EQ(found.id->text(), kScope + "/resourceGroups/Sky/providers/CONTOSO.Kites/kites/rEd");
  EXPECT_EQ(found.resource_group, "Sky");
}

TEST_F(RouteTest, ARM_066_ChildTypesAreFoundBelowTheirParents) {
  const Route list = route(Method::get, kGroup + "/kites/Red/tails");
  EXPECT_EQ(list.type->info().name, "Contoso.Kites/kites/tails");
  EXPECT_EQ(list.id->name(), "Red");
  const Route child = route(Method::get, kGroup + "/kites/Red/tails/Long");
  EXPECT_EQ(child.id->name(), "Long");
  EXPECT_EQ(child.type, list.type);
}

TEST_F(RouteTest, ARM_050_ResourceGroupNames) {
  const auto with_group = [&](const std::string& group) {
    return refusal(kScope + "/resourceGroups/" + group + "/providers/Contoso.Kites/kites/Red");
  };
  EXPECT_EQ(with_group("a-b_(c).d9"), "");
  EXPECT_EQ(with_group(std::string(90, 'g')), "");
  for (const std::string& bad :
       {std::string(91, 'g'), std::string("ends."), std::string("a%20b"), std::string("a+b"), std::string("%C3%A4")})
    EXPECT_EQ(with_group(bad), "InvalidResourceGroupName") << bad;
}

TEST_F(RouteTest, ARM_052_ResourceNames) {
  EXPECT_EQ(refusal(kGroup + "/kites/Red-1_x.y%20z"), "");
  EXPECT_EQ(refusal(kGroup + "/kites/" + std::string(260, 'n')), "");
  EXPECT_EQ(refusal(kGroup + "/kites/" + std::string(261, 'n')), "InvalidResourceName");
  for (const char* bad : {"%3C", "%3E", "%25", "%26", "a:b", "%5C", "%3F", "a%2Fb", "%00", "%1f", "%7F", "%80", "%C3%A4"})
    EXPECT_EQ(refusal(kGroup + "/kites/" + bad), "InvalidResourceName") << bad;
  EXPECT_EQ(refusal(kGroup + "/kites/Red%26/tails/Long"), "InvalidResourceName");
}

TEST_F(RouteTest, HCP_021_SubscriptionIdsAreUuids) {
  EXPECT_EQ(refusal("/subscriptions/not-a-uuid/resourceGroups/Sky/providers/Contoso.Kites/kites/Red"), "InvalidSubscriptionID");
  EXPECT_EQ(refusal("/subscriptions/" + model::to_lower(kSubscription)), "");
}

TEST_F(RouteTest, ARM_068A_EachTypeHasItsOwnVersions) {
  const Route kite = route(Method::get, kGroup + "/kites/Red");
  EXPECT_EQ(known_version(kite, types_.registry, "2025-01-01"), "2025-01-01");
  EXPECT_EQ(known_version(kite, types_.registry, "2026-01-01-PREVIEW"), "2026-01-01-preview");
  EXPECT_EQ(known_version(kite, types_.registry, "2024-01-01"), std::nullopt);
  const Route tail = route(Method::get, kGroup + "/kites/Red/tails/Long");
  EXPECT_EQ(known_version(tail, types_.registry, "2025-01-01"), std::nullopt);
  const Route operation = route(Method::get, kProvider + "/locations/westus3/operationResults/x");
  EXPECT_EQ(known_version(operation, types_.registry, "2025-01-01"), "2025-01-01");
  EXPECT_EQ(known_version(operation, types_.registry, "2026-01-01-preview"), "2026-01-01-preview");
}

}  // namespace
}  // namespace acceptd::contracts::arm
