#pragma once
/// The line that shows, on a terminal, that something is going on. Writes nothing elsewhere.

#include <string>
#include <string_view>

#include "runtime/clock.hpp"

namespace acceptd::acceptctl {

class Progress {
 public:
  /// `visible`: standard error is a terminal and nobody asked for JSON.
  Progress(runtime::Clock& clock, bool visible) : clock_(clock), visible_(visible), start_(clock.monotonic()) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void state(std::string_view state);  ///< what the next lines say
  /// Waits until `when`, redrawing once a second.
  runtime::Task<void> wait_until(runtime::Monotonic when);
  std::chrono::seconds elapsed() const;

 private:
  void draw();
  void clear();

  runtime::Clock& clock_;
  bool visible_;
  runtime::Monotonic start_;
  std::string state_ = "Waiting";
  unsigned frame_ = 0;
};

}  // namespace acceptd::acceptctl
