#include "commands.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <fstream>
#include <iostream>
#include <iterator>

#include "conformance.hpp"
#include "follow.hpp"
#include "http/uri.hpp"
#include "model/json.hpp"
#include "model/time.hpp"
#include "names.hpp"
#include "output.hpp"

namespace acceptd::acceptctl {
namespace {

/// Pages of a list that are followed; a server that never ends its list is not followed for ever.
constexpr unsigned kPagesMax = 10'000;
constexpr const char* kSubscriptionVersion = "2.0";

constexpr const char* kCancelExplained =
    "ARM has no request that cancels an operation. DELETE the resource: that supersedes what is going on on it and below it,\n"
    "and those operations end Canceled. Try: acceptctl delete RESOURCE --wait";

class Commands {
 public:
  Commands(const Arguments& arguments, Session::Dependencies dependencies)
      : arguments_(arguments),
        dependencies_(dependencies),
        output_(arguments.json),
        session_(arguments, dependencies),
        progress_(dependencies.clock, !arguments.json && isatty(STDERR_FILENO) == 1),
        follower_(session_, arguments, progress_) {}

  runtime::Task<ExitCode> run() {
    auto done = co_await carry_out();
    if (done) co_return ExitCode::ok;
    output_.problem(done.error());
    co_return done.error().code;
  }

 private:
  using Done = Outcome<void>;

  runtime::Task<Done> carry_out() {
    switch (arguments_.command) {
      case Command::put: co_return co_await write(http::Method::put);
      case Command::patch: co_return co_await write(http::Method::patch);
      case Command::remove: co_return co_await remove();
      case Command::action: co_return co_await act();
      case Command::get: co_return co_await get();
      case Command::list: co_return co_await list();
      case Command::operation_show:
      case Command::operation_watch: co_return co_await operation();
      case Command::operation_list: co_return co_await operations();
      case Command::operation_cancel: co_return usage_problem(kCancelExplained);
      case Command::subscription_register: co_return co_await register_subscription();
      case Command::subscription_show: co_return co_await show_subscription();
      case Command::conform: co_return co_await conform();
    }
    co_return usage_problem("unknown command");
  }

  Outcome<std::string> body() const {
    std::string text = arguments_.body;
    if (arguments_.file == "-") {
      text.assign(std::istreambuf_iterator<char>(std::cin), {});
    } else if (!arguments_.file.empty()) {
      std::ifstream file(arguments_.file, std::ios::binary);
      text.assign(std::istreambuf_iterator<char>(file), {});
      if (!file) return usage_problem(fmt::format("cannot read '{}'", arguments_.file));
    }
    if (text.empty()) return text;
    if (auto parsed = model::parse_json(text); !parsed)
      return usage_problem(fmt::format("the body is not JSON: {} (byte {})", parsed.error().reason, parsed.error().offset));
    return text;
  }

  std::string versioned(std::string path) const { return with_version(std::move(path), arguments_.api_version); }

  runtime::Task<Done> write(http::Method method) {
    auto path = resource_path(arguments_, arguments_.words);
    if (!path) co_return std::unexpected(path.error());
    auto text = body();
    if (!text) co_return std::unexpected(text.error());
    if (text->empty()) co_return usage_problem("the body is missing: -f FILE or --body JSON");
    co_return co_await start(method, versioned(*path), std::move(*text));
  }

  runtime::Task<Done> remove() {
    auto path = resource_path(arguments_, arguments_.words);
    if (!path) co_return std::unexpected(path.error());
    co_return co_await start(http::Method::remove, versioned(*path), "");
  }

  runtime::Task<Done> conform() {
    auto path = resource_path(arguments_, arguments_.words);
    if (!path) co_return std::unexpected(path.error());
    auto text = body();
    if (!text) co_return std::unexpected(text.error());
    co_return co_await check_conformance(arguments_, std::move(*path), std::move(*text), dependencies_);
  }

  runtime::Task<Done> act() {
    const std::vector<std::string> resource(arguments_.words.begin() + 1, arguments_.words.end());
    auto path = resource_path(arguments_, resource);
    if (!path) co_return std::unexpected(path.error());
    auto text = body();
    if (!text) co_return std::unexpected(text.error());
    co_return co_await start(http::Method::post, versioned(*path + "/" + http::percent_encode(arguments_.words[0])),
                             std::move(*text));
  }

  /// Sends a write and prints what came of it: the final body with --wait, else the first answer.
  runtime::Task<Done> start(http::Method method, std::string target, std::string text) {
    auto answer = co_await session_.call(method, target, std::move(text));
    if (!answer) co_return std::unexpected(std::move(answer.error()));
    if (answer->status == 204) output_.note("There was nothing to delete");
    const std::string operation(answer->headers.get("Azure-AsyncOperation").value_or(""));
    if (!arguments_.wait) {
      output_.value(answer->body);
      if (!operation.empty()) output_.note("Accepted. Follow it with: acceptctl op watch '" + operation + "'");
      co_return Done();
    }
    auto final_body = co_await follower_.to_the_end(method, std::move(target), std::move(*answer));
    if (!final_body) co_return std::unexpected(std::move(final_body.error()));
    output_.value(*final_body);
    output_.note(fmt::format("Done after {} s", progress_.elapsed().count()));
    co_return Done();
  }

  runtime::Task<Done> show(std::string target) {
    auto answer = co_await session_.call(http::Method::get, std::move(target));
    if (!answer) co_return std::unexpected(std::move(answer.error()));
    output_.value(answer->body);
    co_return Done();
  }

  runtime::Task<Done> get() {
    auto path = resource_path(arguments_, arguments_.words);
    if (!path) co_return std::unexpected(path.error());
    co_return co_await show(versioned(*path));
  }

  /// All pages of a list (ARM-096).
  runtime::Task<Outcome<json::array>> pages(std::string target) {
    json::array all;
    for (unsigned page = 0; page < kPagesMax && !target.empty(); ++page) {
      auto answer = co_await session_.call(http::Method::get, std::exchange(target, {}));
      if (!answer) co_return std::unexpected(std::move(answer.error()));
      const json::object* object = answer->body.if_object();
      const json::value* values = object != nullptr ? object->if_contains("value") : nullptr;
      if (values == nullptr || !values->is_array())
        co_return std::unexpected(Problem{ExitCode::unreachable, "The server's answer is not a list", answer->body});
      all.insert(all.end(), values->get_array().begin(), values->get_array().end());
      const std::string next(model::string_at(*object, "nextLink"));
      if (next.empty()) break;
      auto following = session_.target_of(next);
      if (!following) co_return std::unexpected(following.error());
      target = std::move(*following);
    }
    co_return all;
  }

  runtime::Task<Done> list() {
    auto path = list_path(arguments_);
    if (!path) co_return std::unexpected(path.error());
    auto all = co_await pages(versioned(*path));
    if (!all) co_return std::unexpected(std::move(all.error()));
    output_.resources(*all);
    co_return Done();
  }

  /// The region named, or else the server's own.
  runtime::Task<Outcome<std::string>> region() {
    if (!arguments_.location.empty()) co_return arguments_.location;
    auto answer = co_await session_.call(http::Method::get, "/location");
    if (!answer) co_return std::unexpected(std::move(answer.error()));
    const auto end = answer->text.find_last_not_of(" \r\n");
    co_return answer->text.substr(0, end == std::string::npos ? 0 : end + 1);
  }

  runtime::Task<Outcome<std::string>> operations_target(std::string below) {
    if (arguments_.subscription.empty()) co_return usage_problem("-s SUBSCRIPTION is missing");
    auto location = co_await region();
    if (!location) co_return location;
    auto path = operations_path(arguments_.subscription, *location);
    if (!path) co_return path;
    co_return versioned(*path + below);
  }

  runtime::Task<Done> operation() {
    const std::string& word = arguments_.words[0];
    Outcome<std::string> target;
    if (is_path(word)) {
      target = session_.target_of(word);
      if (target) target = versioned(std::move(*target));
    } else {
      target = co_await operations_target("/" + http::percent_encode(word));
    }
    if (!target) co_return std::unexpected(target.error());
    if (arguments_.command == Command::operation_show) co_return co_await show(std::move(*target));
    auto body = co_await follower_.watch(std::move(*target));
    if (!body) co_return std::unexpected(std::move(body.error()));
    output_.value(*body);
    const std::string status(model::string_at(body->as_object(), "status"));
    if (status == "Succeeded") co_return Done();
    co_return std::unexpected(Problem{ExitCode::operation_failed, "The operation ended " + status, nullptr});
  }

  runtime::Task<Done> operations() {
    auto target = co_await operations_target("");
    if (!target) co_return std::unexpected(target.error());
    auto all = co_await pages(std::move(*target));
    if (!all) co_return std::unexpected(std::move(all.error()));
    output_.operations(*all);
    co_return Done();
  }

  std::string subscription_target() const { return with_version(subscription_path(arguments_.words[0]), kSubscriptionVersion); }

  runtime::Task<Done> register_subscription() {
    json::object properties;
    if (!arguments_.tenant.empty()) properties["tenantId"] = arguments_.tenant;
    const json::object text{{"state", "Registered"},
                            {"registrationDate", model::format_rfc3339(session_.clock().now())},
                            {"properties", std::move(properties)}};
    auto answer = co_await session_.call(http::Method::put, subscription_target(), model::to_text(text));
    if (!answer) co_return std::unexpected(std::move(answer.error()));
    output_.value(answer->body);
    co_return Done();
  }

  runtime::Task<Done> show_subscription() { co_return co_await show(subscription_target()); }

  const Arguments& arguments_;
  Session::Dependencies dependencies_;
  Output output_;
  Session session_;
  Progress progress_;
  Follower follower_;
};

}  // namespace

runtime::Task<ExitCode> run(const Arguments& arguments, Session::Dependencies dependencies) {
  Commands commands(arguments, dependencies);
  co_return co_await commands.run();
}

}  // namespace acceptd::acceptctl
