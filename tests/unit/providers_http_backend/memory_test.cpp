#include "providers/http_backend/memory.hpp"

#include <gtest/gtest.h>

namespace acceptd::providers::http_backend {
namespace {

model::Uuid id(std::uint8_t number) {
  model::Uuid id{};
  id.data[0] = number;
  return id;
}

TEST(Memory, KeepsTheLatestValue) {
  Memory<int> memory(10);
  EXPECT_EQ(memory.find(id(1)), nullptr);
  memory.keep(id(1), 5);
  memory.keep(id(1), 6);
  EXPECT_EQ(*memory.find(id(1)), 6);
  EXPECT_EQ(memory.size(), 1u);
}

TEST(Memory, ForgetsWhatWasUsedLongestAgo) {
  Memory<int> memory(2);
  memory.keep(id(1), 1);
  memory.keep(id(2), 2);
  memory.find(id(1));
  memory.keep(id(3), 3);
  EXPECT_EQ(memory.size(), 2u);
  EXPECT_NE(memory.find(id(1)), nullptr);
  EXPECT_EQ(memory.find(id(2)), nullptr);
  EXPECT_NE(memory.find(id(3)), nullptr);
}

}  // namespace
}  // namespace acceptd::providers::http_backend
