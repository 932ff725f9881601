#pragma once
/// What the ARM contract forbids in an answer (contracts' rules by id). The server looks at every answer of its own with it, and
/// `acceptctl conform` at those of any provider. Knows nothing of the engine.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "http/message.hpp"

namespace acceptd::contracts::arm::checker {

class Seen;  // seen.hpp

/// What the request is about.
enum class Subject : std::uint8_t { other, resource, list, action, operation_status, operation_result };

/// One request and its answer. Views: for the length of a call.
struct Exchange {
  Subject subject = Subject::other;
  http::Method method = http::Method::get;
  std::string_view path;  ///< of the request, percent-encoded, without the query
  const http::Headers& asked;
  unsigned status = 200;
  const http::Headers& headers;
  std::string_view body;
  /// As a client receives it. The server checks before its HTTP layer has added Date.
  bool as_received = true;
  /// Waiting times below the contract's are wanted (a setting that says so), for tests.
  bool short_waits = false;
};

struct Finding {
  std::string_view rule;  ///< "ARM-120"
  std::string message;
};

/// All that is wrong with one exchange. Pure. `looked_at` gets the rules that had something to say of it, kept or broken.
std::vector<Finding> check(const Exchange& exchange, std::vector<std::string_view>* looked_at = nullptr);

/// The same in the light of earlier exchanges: a terminal status that changed (ARM-182), too. Remembers at most
/// `operations_max` operations, the newest, by their names (of at most 64 bytes). For one thread.
class Observer {
 public:
  explicit Observer(std::size_t operations_max) : operations_max_(operations_max) {}
  std::vector<Finding> check(const Exchange& exchange, std::vector<std::string_view>* looked_at = nullptr);

 private:
  void check_end(Seen& seen);

  std::size_t operations_max_;
  std::unordered_map<std::string, std::string> ended_;  ///< lower-cased name of an operation -> its terminal status
  std::deque<std::string> order_;
};

/// Succeeded, Failed or Canceled, without regard to case (ARM-173).
bool is_terminal(std::string_view status);

}  // namespace acceptd::contracts::arm::checker
