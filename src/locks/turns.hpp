#pragma once
/// Turns per key: whoever comes first goes first, nobody polls. For one thread.

#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "runtime/clock.hpp"
#include "runtime/event.hpp"

namespace acceptd::locks {

class Turns {
  struct Line {
    bool taken = false;
    std::deque<std::shared_ptr<runtime::Event>> waiting;
  };
  using Lines = std::unordered_map<std::string, Line>;

 public:
  /// Held until destroyed; then the next in line goes on.
  class Turn {
   public:
    Turn(std::weak_ptr<Lines> lines, std::string key) : lines_(std::move(lines)), key_(std::move(key)) {}
    Turn(Turn&& other) noexcept : lines_(std::exchange(other.lines_, {})), key_(std::move(other.key_)) {}
    Turn& operator=(Turn&& other) noexcept {
      std::swap(lines_, other.lines_);
      std::swap(key_, other.key_);
      return *this;
    }
    ~Turn();

   private:
    std::weak_ptr<Lines> lines_;
    std::string key_;
  };

  /// `waiting_max`: how many may wait for one key. Refused (nullopt) at once beyond it, or after `timeout`.
  Turns(runtime::Clock& clock, std::size_t waiting_max) : clock_(clock), waiting_max_(waiting_max) {}

  runtime::Task<std::optional<Turn>> take(std::string key, runtime::Duration timeout);
  std::size_t waiting() const { return waiting_; }

 private:
  static void pass_on(Lines& lines, const std::string& key);

  runtime::Clock& clock_;
  std::size_t waiting_max_;
  std::size_t waiting_ = 0;
  std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
};

}  // namespace acceptd::locks
