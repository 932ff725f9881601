#include "engine/schedule.hpp"

#include <gtest/gtest.h>

namespace acceptd::engine {
namespace {

using namespace std::chrono_literals;
constexpr runtime::Monotonic kStart{1h};

model::Key key(std::string partition, std::string_view name) { return {std::move(partition), model::uuid_of_name(name)}; }

TEST(Schedule, NothingIsDueBeforeItsTime) {
  Schedule schedule;
  schedule.at(key("a", "1"), kStart + 1s);
  schedule.make_due(kStart);
  EXPECT_FALSE(schedule.take());
  EXPECT_EQ(schedule.next(), kStart + 1s);
  schedule.make_due(kStart + 1s);
  EXPECT_EQ(schedule.take(), key("a", "1"));
  EXPECT_EQ(schedule.size(), 0u);
}

TEST(Schedule, AnEarlierTimeWinsALaterOneDoesNot) {
  Schedule schedule;
  schedule.at(key("a", "1"), kStart + 5s);
  schedule.at(key("a", "1"), kStart + 1s);
  schedule.at(key("a", "1"), kStart + 9s);
  schedule.make_due(kStart + 1s);
  EXPECT_TRUE(schedule.take());
  schedule.make_due(kStart + 10s);
  EXPECT_FALSE(schedule.take());
}

TEST(Schedule, AFloodOfOnePartitionDelaysAnotherByOneTurn) {
  Schedule schedule;
  for (int i = 0; i < 1000; ++i) schedule.at(key("flood", std::to_string(i)), kStart);
  schedule.make_due(kStart);
  schedule.at(key("other", "1"), kStart);
  schedule.make_due(kStart);
  EXPECT_EQ(schedule.take()->partition, "flood");
  EXPECT_EQ(schedule.take()->partition, "other");
}

TEST(Schedule, WhatWasForgottenIsNotHandedOut) {
  Schedule schedule;
  schedule.at(key("a", "1"), kStart);
  schedule.make_due(kStart);
  schedule.forget(key("a", "1"));
  EXPECT_FALSE(schedule.take());
}

}  // namespace
}  // namespace acceptd::engine
