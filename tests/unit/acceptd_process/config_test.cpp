#include "apps/acceptd/process/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "runtime/config/section.hpp"

namespace acceptd::process {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kLeast = R"(region: westus3
store: {sqlite: {path: a.db}}
cluster_service: {url: "http://127.0.0.1:8203"}
)";

/// All that is wrong, as `acceptd check` prints it.
std::vector<std::string> problems(const std::string& text) {
  const auto config = parse_config(text);
  std::vector<std::string> lines;
  if (!config)
    for (const config::Problem& problem : config.error()) lines.push_back(to_string(problem, "f"));
  return lines;
}

TEST(Config, LittleIsRequired) {
  const auto config = parse_config(kLeast);
  ASSERT_TRUE(config.has_value()) << problems(kLeast).front();
  EXPECT_EQ(config->region, "westus3");
  EXPECT_EQ(config->arm.listen.port, 8202);
  EXPECT_EQ(config->admin.listen.port, 8204);
  EXPECT_EQ(config->retry_after, seconds(10));
  EXPECT_EQ(config->engine.retention, std::chrono::days(7));
}

TEST(Config, TheExampleIsGoodAndShowsTheDefaults) {
  std::ifstream in(ACCEPTD_EXAMPLE_CONFIG);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_THAT(problems(text), ElementsAre());
  const Config shown = parse_config(text).value(), defaults = parse_config(kLeast).value();
  EXPECT_EQ(shown.cluster_service.connection.concurrency, defaults.cluster_service.connection.concurrency);
  EXPECT_EQ(shown.cluster_service.connection.breaker_open_for, defaults.cluster_service.connection.breaker_open_for);
  EXPECT_EQ(shown.cluster_service.settle_time, defaults.cluster_service.settle_time);
  EXPECT_EQ(shown.arm.listen.limits.idle_timeout, defaults.arm.listen.limits.idle_timeout);
  EXPECT_EQ(shown.engine.inline_budget, defaults.engine.inline_budget);
  EXPECT_EQ(shown.engine.pause_max, defaults.engine.pause_max);
  EXPECT_EQ(shown.engine.poll_max, defaults.engine.poll_max);
  EXPECT_EQ(shown.deadlines.remove, defaults.deadlines.remove);
  EXPECT_EQ(shown.stop_grace, defaults.stop_grace);
}

TEST(Config, SaysFileLineColumnKeyAndWhatWouldBeRight) {
  EXPECT_THAT(problems(kLeast + "listeners:\n  arm:\n    port: 80a\n"),
              ElementsAre(R"(f:6:11: listeners.arm.port: expected an integer from 1 to 65535, got "80a")"));
}

TEST(Config, ReportsEverythingAtOnceInTheOrderOfTheFile) {
  EXPECT_THAT(problems("region: West US\nregin: x\nlog: {level: loud}\nstore: {sqlite: {path: a.db, path: b.db}}\n"
                       "cluster_service: {url: ftp://x}\nengine: [1]\n"),
              ElementsAre(HasSubstr("f:1:9: region: expected lower-case"), HasSubstr("f:2:1: regin: unknown key; known here: "),
                          HasSubstr("f:3:14: log.level: expected one of debug, info, warn, error, got \"loud\""),
                          HasSubstr("f:4:30: store.sqlite.path: is given twice"),
                          HasSubstr("f:5:24: cluster_service.url: expected http://"),
                          HasSubstr("f:6:9: engine: expected keys and values, got a list")));
}

TEST(Config, RequiredKeysAreNamed) {
  EXPECT_THAT(problems("log: {level: info}\n"),
              ElementsAre(HasSubstr("cluster_service.url: is required"), HasSubstr("store.sqlite.path: is required"),
                          HasSubstr("f:1:1: region: is required")));
  EXPECT_EQ(problems("").size(), 3u);
  EXPECT_THAT(problems("a: [").front(), HasSubstr("is not YAML"));
}

TEST(Config, ARM_120_RetryAfterKeepsTheContractsBounds) {
  const auto with = [](const std::string& setting) { return kLeast + "engine: {" + setting + "}\n"; };
  EXPECT_EQ(parse_config(with("retry_after: 600s"))->retry_after, seconds(600));
  EXPECT_THAT(problems(with("retry_after: 9s")), ElementsAre(HasSubstr("engine.retry_after: expected a time from 10s to 10m")));
  EXPECT_THAT(problems(with("retry_after: 601s")), ElementsAre(HasSubstr("engine.retry_after: ")));
  EXPECT_EQ(parse_config(with("non_conforming_retry_after_seconds: 0"))->retry_after, seconds(0));
}

TEST(Config, ActiveOperationsNeverExpire) {
  EXPECT_THAT(problems(kLeast + "engine: {retention: 30h, deadlines: {delete: 12h}, pause_max: 24h}\n"),
              ElementsAre(HasSubstr("engine.retention: must be longer than the longest deadline with its pause (36h)")));
  EXPECT_THAT(problems(kLeast + "engine: {retention: 37h}\n"), ElementsAre());
}

TEST(Config, PollTimesAreOrdered) {
  EXPECT_THAT(problems(kLeast + "engine: {poll_first: 20s, poll_max: 10s}\n"),
              ElementsAre(HasSubstr("engine.poll_first: must not be longer")));
}

TEST(Config, ListenersAndProxiesAreChecked) {
  EXPECT_THAT(problems(kLeast + "listeners: {arm: {address: localhost, trusted_proxies: [10.1.0.0/33]}, admin: {port: 0}}\n"),
              ElementsAre(HasSubstr("listeners.arm.address: expected a numeric IP address"),
                          HasSubstr("listeners.arm.trusted_proxies: \"10.1.0.0/33\""),
                          HasSubstr("listeners.admin.port: expected an integer from 1")));
  EXPECT_THAT(problems(kLeast + "listeners: {admin: {port: 8202}}\n"),
              ElementsAre(HasSubstr("listeners.admin: has the same address and port")));
  EXPECT_THAT(problems(kLeast + "listeners: {arm: {tls: {private_key: k}}}\n"),
              ElementsAre(HasSubstr("listeners.arm.tls.certificate_chain: is required")));
}

TEST(Config, TheEmbeddedStoreNeedsBothRoles) {
  EXPECT_THAT(problems(kLeast + "roles: [frontend]\n"), ElementsAre(HasSubstr("roles: with the embedded store")));
  EXPECT_THAT(problems(kLeast + "roles: [frontend, backend, cook]\n"), ElementsAre(HasSubstr("got \"cook\"")));
}

TEST(Config, AFileThatCannotBeReadIsAProblem) {
  const auto config = load_config("/nonexistent/acceptd.yaml");
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(to_string(config.error().front(), "x.yaml"), "x.yaml: cannot be read: No such file or directory");
}

TEST(Config, ADirectoryIsNoConfiguration) {
  const auto config = load_config("/");
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(to_string(config.error().front(), "/"), "/: is a directory, expected a file");
}

TEST(Config, ASecondDocumentIsRefusedSinceNothingWouldReadIt) {
  EXPECT_THAT(problems(kLeast + "---\nregion: westus3\n"), ElementsAre(HasSubstr("a second document begins here")));
}

TEST(Durations, HaveAUnit) {
  EXPECT_EQ(config::parse_duration("200ms"), milliseconds(200));
  EXPECT_EQ(config::parse_duration("90s"), seconds(90));
  EXPECT_EQ(config::parse_duration("60m"), std::chrono::hours(1));
  EXPECT_EQ(config::parse_duration("7d"), std::chrono::days(7));
  for (const char* bad : {"", "s", "10", "-1s", "1.5s", "1 s", "1w", "99999999999999999999d", "1000000d"})
    EXPECT_EQ(config::parse_duration(bad), std::nullopt) << bad;
  EXPECT_EQ(config::format_duration(seconds(0)), "0s");
  EXPECT_EQ(config::format_duration(milliseconds(1500)), "1500ms");
  EXPECT_EQ(config::format_duration(seconds(3600)), "1h");
  EXPECT_EQ(config::format_duration(seconds(600)), "10m");
}

}  // namespace
}  // namespace acceptd::process
