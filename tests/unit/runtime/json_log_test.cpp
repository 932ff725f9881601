#include "runtime/json_log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "support/sim_clock.hpp"

namespace acceptd::runtime {
namespace {

struct JsonLogTest : ::testing::Test {
  asio::io_context io;
  testing::SimClock clock{io};
  int ends[2] = {-1, -1};

  void SetUp() override { ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0); }
  void TearDown() override {
    close(ends[0]);
    close(ends[1]);
  }
  std::string written() {
    std::string text;
    char some[4096];
    for (ssize_t got; (got = read(ends[0], some, sizeof some)) > 0;) text.append(some, static_cast<std::size_t>(got));
    return text;
  }
};

TEST_F(JsonLogTest, WritesOneObjectPerLine) {
  JsonLog log(ends[1], Level::debug, clock);
  clock.advance(std::chrono::milliseconds(250));
  log.info("accept.committed", {{"id", "x\n\"y"}, {"count", 3}, {"none", nullptr}});
  log.error("b");
  EXPECT_EQ(written(),
            "{\"time\":\"2026-01-05T18:29:58.250000Z\",\"level\":\"info\",\"event\":\"accept.committed\",\"id\":\"x\\n\\\"y\","
            "\"count\":3,\"none\":null}\n"
            "{\"time\":\"2026-01-05T18:29:58.250000Z\",\"level\":\"error\",\"event\":\"b\"}\n");
}

TEST_F(JsonLogTest, LeavesOutWhatIsBelowItsLevel) {
  JsonLog log(ends[1], Level::warn, clock);
  log.debug("a");
  log.info("b");
  EXPECT_EQ(written(), "");
  log.warn("c");
  EXPECT_NE(written().find("\"c\""), std::string::npos);
}

TEST_F(JsonLogTest, RepairsTextThatIsNotUtf8) {
  JsonLog log(ends[1], Level::info, clock);
  log.info("a", {{"bad", "x\xff\xc3\xa9\xed\xa0\x80\xe2\x82"}});
  EXPECT_NE(written().find("\"bad\":\"x\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd"), std::string::npos);
  log.info("a", {{"bad", "\xe2\x82"}});
  EXPECT_NE(written().find("\"bad\":\"\xef\xbf\xbd\xef\xbf\xbd\"}"), std::string::npos);
}

TEST_F(JsonLogTest, CutsALineThatIsTooLong) {
  JsonLog log(ends[1], Level::info, clock);
  log.info("long", {{"text", std::string(20'000, 'x')}});
  const std::string line = written();
  EXPECT_LT(line.size(), 200u);
  EXPECT_NE(line.find("\"event\":\"long\""), std::string::npos);
  EXPECT_NE(line.find("\"dropped\""), std::string::npos);
}

TEST_F(JsonLogTest, LinesOfManyThreadsStayWhole) {
  JsonLog log(ends[1], Level::info, clock);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&log] {
      for (int i = 0; i < 50; ++i) log.info("e", {{"text", std::string(100, 'y')}});
    });
  threads.clear();
  const std::string text = written();
  std::size_t lines = 0;
  for (std::size_t start = 0; start < text.size(); ++lines) {
    const std::size_t end = text.find('\n', start);
    ASSERT_NE(end, std::string::npos);
    boost::system::error_code error;
    boost::json::parse(text.substr(start, end - start), error);
    EXPECT_FALSE(error);
    start = end + 1;
  }
  EXPECT_EQ(lines, 200u);
}

}  // namespace
}  // namespace acceptd::runtime
