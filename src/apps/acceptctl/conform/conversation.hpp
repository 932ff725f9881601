#pragma once
/// Asks a provider, and looks at every answer with the checker.

#include <boost/json.hpp>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>

#include "apps/acceptctl/conform/report.hpp"
#include "contracts/arm/checker/checker.hpp"
#include "http/client.hpp"
#include "runtime/clock.hpp"
#include "runtime/random.hpp"

namespace acceptd::acceptctl::conform {

namespace json = boost::json;
namespace checker = contracts::arm::checker;

struct Question {
  http::Method method = http::Method::get;
  std::string path;  ///< percent-encoded
  checker::Subject subject = checker::Subject::resource;
  std::string query;  ///< "api-version=…&…"
  http::Headers headers;
  std::string body;
};

struct Reply {
  unsigned status = 0;
  http::Headers headers;
  std::string text;
  json::value body;

  std::string header(std::string_view name) const { return std::string(headers.get(name).value_or("")); }
  const json::object* object() const { return body.is_object() ? &body.get_object() : nullptr; }
  std::string member(std::string_view name) const;  ///< "" unless it is a text
  std::string state() const;                        ///< properties.provisioningState, "" if absent
};

/// The provider gave no answer that could be read: nothing more can be found out.
struct Silence : std::runtime_error {
  using runtime_error::runtime_error;
};

struct Identity {
  std::string tenant, client;  ///< sent if not empty
};

/// For one thread.
class Conversation {
 public:
  struct Dependencies {
    http::Client& client;
    runtime::Clock& clock;
    runtime::Random& random;
  };
  Conversation(Report& report, Identity identity, bool short_waits, Dependencies dependencies)
      : report_(report), identity_(std::move(identity)), short_waits_(short_waits), dependencies_(dependencies) {}

  /// Throws Silence.
  runtime::Task<Reply> ask(Question question);
  /// The same, and whether the status is the one that the rule asks for, or one of two.
  runtime::Task<Reply> expect(std::string_view rule, unsigned status, Question question) {
    return expect(rule, status, status, std::move(question));
  }
  runtime::Task<Reply> expect(std::string_view rule, unsigned status, unsigned other, Question question);

  void act_as(Identity identity) { identity_ = std::move(identity); }
  const Identity& identity() const { return identity_; }
  /// How long the last answer asks to wait; one minute if it does not say (ARM-126).
  std::chrono::nanoseconds wait_of(const Reply& reply) const;
  runtime::Clock& clock() const { return dependencies_.clock; }
  runtime::Random& random() const { return dependencies_.random; }
  Report& report() { return report_; }

 private:
  void examine(const Question& question, const http::Headers& asked, const Reply& reply);

  Report& report_;
  Identity identity_;
  bool short_waits_;
  Dependencies dependencies_;
  checker::Observer observer_{1000};
  std::set<std::string> request_ids_;
  unsigned asked_ = 0;
};

/// "PUT /subscriptions/…", for messages.
std::string describe(const Question& question);

}  // namespace acceptd::acceptctl::conform
