#pragma once
/// A description of a made-up API, targets to call it about, and two backends: one that answers from a script in virtual time,
/// and one that really listens on a loopback port.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "http/server.hpp"
#include "model/uuid.hpp"
#include "providers/http_backend/http_backend.hpp"
#include "runtime/config/file.hpp"
#include "runtime/event.hpp"
#include "runtime/system_clock.hpp"
#include "support/sim_clock.hpp"

namespace acceptd::providers::http_backend {

inline const std::string kApi = R"(
url: http://127.0.0.1:1/v2
idempotency_header: Idempotency-Key
answer:
  internal_id: /id
  state: /status
  percent: /progress
  step: /phase
  message: /note
  result: /output
  error: {code: /error/code, message: /error/text}
  observed: {address: $answer/endpoint}
states: {queued: Accepted, building: Provisioning, changing: Updating, leaving: Deleting, ready: Succeeded, broken: Failed,
         stopped: Canceled, removed: Gone}
errors:
  QUOTA: {code: QuotaExceeded, message: "The quota is used up: {message}"}
  DISK: {code: StorageFailed, message: A disk could not be made.}
create:
  url: /widgets
  body: {name: "{id.name}", label: "{incarnation}", spec: $desired}
update: {method: PATCH, url: "/widgets/{internalId}", body: {size: $desired/size}}
delete: {url: "/widgets/{internalId}"}
actions:
  restart: {url: "/widgets/{parent.internalId}/restart", status: {url: "/jobs/{internalId}"}}
cancel: {url: "/widgets/{internalId}/cancel"}
status: {url: "/widgets/{internalId}"}
)";
inline const std::string kProbe = R"(
probe: {url: "/widgets?name={id.name}", list: /items, stamp: /label, created: /made}
)";

/// Replaces one place of kApi (or another text); a test of something that is not there is none.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

inline std::vector<std::string> problems(const std::string& text, Reports reports = Reports::served) {
  const auto read = [&](config::Section section) { read_spec(std::move(section), reports); };
  std::vector<std::string> lines;
  for (const config::Problem& problem : config::read_text(text, read)) lines.push_back(to_string(problem, "f"));
  return lines;
}

inline Spec spec_of(const std::string& text) {
  Spec spec;
  EXPECT_THAT(problems(text), ::testing::ElementsAre());
  config::read_text(text, [&](config::Section section) { spec = read_spec(std::move(section), Reports::served); });
  return spec;
}

inline constexpr std::string_view kIncarnation = "11111111-2222-4333-8444-555555555555";
inline constexpr std::string_view kOperation = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";

inline engine::Target target(model::RequestKind request, std::string_view name = "w1") {
  engine::Target target;
  target.id =
      *model::ResourceId::parse("/subscriptions/SUB/resourceGroups/Rg/providers/Contoso.Things/widgets/" + std::string(name));
  target.request = request;
  if (request != model::RequestKind::create) target.internal_id = "i-7";
  target.parent_internal_id = "i-7";
  target.incarnation = *model::parse_uuid(kIncarnation);
  target.operation = *model::parse_uuid(kOperation);
  target.location = "westus3";
  target.correlation_id = "correlation-1";
  target.desired = {{"size", 3}};
  if (request == model::RequestKind::action) {
    target.internal_id = "";
    target.action = "Restart";
  }
  return target;
}

class SeededRandom : public runtime::Random {
 public:
  std::uint64_t next() override { return engine_(); }

 private:
  std::mt19937_64 engine_{1};
};

/// Keeps the names of the events, and everything as one text.
class KeepingLog : public runtime::Log {
 public:
  void write(runtime::Level, std::string_view event, std::initializer_list<Field> fields) override {
    events.emplace_back(event);
    for (const Field& field : fields) text += std::string(field.first) + "=" + boost::json::serialize(field.second) + "\n";
  }
  std::vector<std::string> events;
  std::string text;
};

/// A file of this test's own that is gone after it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            (std::string("acceptd-") + test->test_suite_name() + "-" + test->name() + "-" + std::to_string(::getpid()));
    write(text);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  /// Every write has a time of its own, however fast it comes after the last one.
  void write(const std::string& text) {
    std::ofstream(path_, std::ios::trunc) << text;
    std::filesystem::last_write_time(path_, std::filesystem::file_time_type{} + std::chrono::hours(++writes_));
  }
  void remove() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
  int writes_ = 0;
};

/// Answers from a script.
class FakeClient : public http::Client {
 public:
  using Sent = std::expected<http::Response, http::ClientError>;
  FakeClient(std::deque<Sent>& script, std::vector<http::ClientRequest>& requests) : script_(script), requests_(requests) {}
  runtime::Task<Sent> send(http::ClientRequest request) override {
    requests_.push_back(std::move(request));
    if (script_.empty()) {
      ADD_FAILURE() << "no answer left for " << requests_.back().target;
      co_return std::unexpected(http::ClientError{http::Failure::not_sent, "nothing scripted"});
    }
    Sent sent = std::move(script_.front());
    script_.pop_front();
    co_return sent;
  }

 private:
  std::deque<Sent>& script_;
  std::vector<http::ClientRequest>& requests_;
};

struct ScriptedTest : ::testing::Test {
  /// Made at first use, so that a test can set `api` before.
  HttpBackend& backend() {
    if (!backend_) {
      Calls::Dependencies dependencies{std::make_unique<FakeClient>(script, requests), clock, random, log};
      backend_ = make_provider(spec_of(api), std::move(dependencies));
    }
    return *backend_;
  }
  ScriptedTest& answer(unsigned status, std::string body = "", std::string retry_after = "") {
    http::Response response{.status = status};
    response.body = std::move(body);
    if (!retry_after.empty()) response.headers.add("Retry-After", retry_after);
    script.push_back(std::move(response));
    return *this;
  }
  ScriptedTest& fail(http::Failure failure) {
    script.push_back(std::unexpected(http::ClientError{failure, "scripted"}));
    return *this;
  }
  /// Runs the task to its end; virtual time passes as it needs.
  template <class T>
  T run(runtime::Task<T> task) {
    std::optional<T> result;
    auto keep = [&result](std::exception_ptr error, T value) {
      if (error) std::rethrow_exception(error);
      result = std::move(value);
    };
    boost::asio::co_spawn(io, std::move(task), std::move(keep));
    clock.run_until_idle();
    while (!result && clock.advance_to_next()) {
    }
    if (!result) throw std::logic_error("the task does not end");
    return std::move(*result);
  }
  void TearDown() override { EXPECT_TRUE(script.empty()) << script.size() << " answers were not asked for"; }

  std::string api = kApi + "calls: {read_attempts: 1}\n";
  boost::asio::io_context io;
  testing::SimClock clock{io};
  SeededRandom random;
  KeepingLog log;
  std::deque<FakeClient::Sent> script;
  std::vector<http::ClientRequest> requests;

 private:
  std::unique_ptr<HttpBackend> backend_;
};

/// The same against a server that listens.
struct LoopbackTest : ::testing::Test {
  LoopbackTest() {
    auto handler = [this](http::Request request) { return serve(std::move(request)); };
    server = std::make_unique<http::Server>(io.get_executor(), http::ListenOptions{}, handler, nullptr,
                                            http::Server::Dependencies{clock, log});
    server->start();
  }
  runtime::Task<http::Response> serve(http::Request request) {
    requests.push_back(request);
    if (silent) co_await release.wait();
    co_return answer;
  }
  void describe(const std::string& text) {
    Spec spec = spec_of(with(text, "127.0.0.1:1/", "127.0.0.1:" + std::to_string(server->port()) + "/"));
    Calls::Dependencies dependencies{http::make_client(io.get_executor(), client_options(spec), clock), clock, random, log};
    backend = make_provider(std::move(spec), std::move(dependencies));
  }
  template <class T>
  T run(runtime::Task<T> task) {
    std::optional<T> result;
    auto keep = [&result](std::exception_ptr error, T value) {
      if (error) std::rethrow_exception(error);
      result = std::move(value);
    };
    boost::asio::co_spawn(io, std::move(task), std::move(keep));
    io.restart();
    while (!result) io.run_one();
    return std::move(*result);
  }
  void say(unsigned status, std::string body) {
    answer = {.status = status};
    answer.body = std::move(body);
  }

  boost::asio::io_context io{1};
  runtime::SystemClock clock;
  SeededRandom random;
  KeepingLog log;
  runtime::Event release;
  bool silent = false;
  http::Response answer;
  std::vector<http::Request> requests;
  std::unique_ptr<http::Server> server;
  std::unique_ptr<HttpBackend> backend;
};

}  // namespace acceptd::providers::http_backend
