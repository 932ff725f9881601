#include "model/uuid.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace acceptd::model {
namespace {

TEST(Uuid, IsReadInEitherCaseAndWrittenInLower) {
  const auto id = parse_uuid("0F8FAD5B-d9cb-469f-A165-70867728950e");
  ASSERT_TRUE(id);
  EXPECT_EQ(to_string(*id), "0f8fad5b-d9cb-469f-a165-70867728950e");
}

class NotAUuid : public ::testing::TestWithParam<std::string> {};
TEST_P(NotAUuid, IsRefused) { EXPECT_FALSE(parse_uuid(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Uuid, NotAUuid,
                         ::testing::Values("", "0f8fad5bd9cb469fa16570867728950e", "{0f8fad5b-d9cb-469f-a165-70867728950e}",
                                           "0f8fad5b-d9cb-469f-a165-70867728950", "0f8fad5b-d9cb-469f-a165-70867728950e0",
                                           "0f8fad5g-d9cb-469f-a165-70867728950e", "0f8fad5b_d9cb_469f_a165_70867728950e",
                                           "0f8fad5bd-9cb-469f-a165-70867728950e"));

// A constant of the stored format: documents written by an earlier release are looked up by these ids.
TEST(Uuid, OfANameNeverChanges) {
  EXPECT_EQ(to_string(uuid_of_name("")), "669c64d1-b588-504e-b6f9-b039eb5fbee5");
  EXPECT_EQ(to_string(uuid_of_name("/subscriptions/s/resourcegroups/g")), "aa275700-e703-5626-8ad8-d3b7578f5c2f");
}

RC_GTEST_PROP(Uuid, OfANameIsOfVersionFiveAndReadsBack, (const std::string& name, const std::string& other)) {
  const Uuid id = uuid_of_name(name);
  RC_ASSERT(id.version() == Uuid::version_name_based_sha1);
  RC_ASSERT(id.variant() == Uuid::variant_rfc_4122);
  RC_ASSERT(parse_uuid(to_string(id)) == id);
  RC_ASSERT((uuid_of_name(other) == id) == (name == other));
}

}  // namespace
}  // namespace acceptd::model
