#include "model/status.hpp"

#include <gtest/gtest.h>

#include <string>

namespace acceptd::model {
namespace {

constexpr std::array kAll{Status::intended, Status::accepted,  Status::provisioning, Status::updating,
                          Status::deleting, Status::succeeded, Status::failed,       Status::canceled};

TEST(StatusTable, ARM_182_NothingFollowsATerminalStatus) {
  for (const Status from : {Status::succeeded, Status::failed, Status::canceled})
    for (const Status to : kAll) EXPECT_FALSE(may_follow(from, to)) << to_string(from) << " to " << to_string(to);
}

TEST(StatusTable, EveryActiveStatusCanEndInEveryWay) {
  for (const Status from : kAll)
    if (!is_terminal(from))
      for (const Status to : {Status::succeeded, Status::failed, Status::canceled})
        EXPECT_TRUE(may_follow(from, to)) << to_string(from) << " to " << to_string(to);
}

TEST(StatusTable, NothingIsHiddenAgain) {
  for (const Status from : kAll) EXPECT_FALSE(may_follow(from, Status::intended));
}

TEST(StatusTable, NamesReadBack) {
  for (const Status status : kAll) EXPECT_EQ(parse_status(to_string(status)), status);
  EXPECT_FALSE(parse_status("succeeded"));
  EXPECT_FALSE(parse_status(""));
}

TEST(StatusTable, CL_07_NoRunningNameLooksTerminalToClients) {
  for (const Status status : kAll) {
    if (is_terminal(status)) continue;
    std::string name(to_string(status));
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    for (const char* part : {"succeeded", "fail", "cancel"}) EXPECT_EQ(name.find(part), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace acceptd::model
