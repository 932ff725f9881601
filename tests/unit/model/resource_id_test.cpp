#include "model/resource_id.hpp"

#include <gtest/gtest.h>

namespace acceptd::model {
namespace {

constexpr const char* kPool =
    "/subscriptions/1D3378D3-5A3F-4712-85A1-2485495DFC4B/resourceGroups/Rg/providers/Microsoft.RedHatOpenShift/"
    "hcpOpenShiftClusters/MyCluster/nodePools/Np";

TEST(ResourceId, KeepsTheCasingAndComparesWithoutIt) {
  const auto id = ResourceId::parse(kPool);
  ASSERT_TRUE(id);
  EXPECT_EQ(id->text(), kPool);
  EXPECT_EQ(*id, *ResourceId::parse(to_lower(kPool)));
  EXPECT_EQ(id->document_id(), ResourceId::parse(to_lower(kPool))->document_id());
}

TEST(ResourceId, NamesItsParts) {
  const auto id = ResourceId::parse(kPool);
  ASSERT_TRUE(id);
  EXPECT_EQ(id->subscription(), "1D3378D3-5A3F-4712-85A1-2485495DFC4B");
  EXPECT_EQ(id->partition(), "1d3378d3-5a3f-4712-85a1-2485495dfc4b");
  EXPECT_EQ(id->resource_group(), "Rg");
  EXPECT_EQ(id->provider(), "Microsoft.RedHatOpenShift");
  EXPECT_EQ(id->type_key(), "microsoft.redhatopenshift/hcpopenshiftclusters/nodepools");
  EXPECT_EQ(id->name(), "Np");
}

TEST(ResourceId, TheParentIsTheIdWithoutItsLastPair) {
  const auto id = ResourceId::parse(kPool);
  ASSERT_TRUE(id);
  const auto parent = id->parent();
  ASSERT_TRUE(parent);
  EXPECT_EQ(parent->name(), "MyCluster");
  EXPECT_FALSE(parent->parent());
}

TEST(ResourceId, SubscriptionScopeHasNoResourceGroup) {
  const auto id = ResourceId::parse("/subscriptions/s/providers/Ns/types/t");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->resource_group(), "");
  EXPECT_EQ(id->type_key(), "ns/types");
}

class NotAnId : public testing::TestWithParam<std::string> {};
TEST_P(NotAnId, IsRefused) { EXPECT_FALSE(ResourceId::parse(GetParam())); }
INSTANTIATE_TEST_SUITE_P(ResourceId, NotAnId,
                         testing::Values("", "/", "subscriptions/s/providers/n/t/x", "/subscriptions/s",
                                         "/subscriptions/s/providers/n/t", "/subscriptions/s/providers/n/t/x/y",
                                         "/subscriptions//providers/n/t/x", "/subscriptions/s/providers/n/t/x/",
                                         "/subscriptions/s/resourceGroups/r/n/t/x", "/tenants/s/providers/n/t/x"));

}  // namespace
}  // namespace acceptd::model
