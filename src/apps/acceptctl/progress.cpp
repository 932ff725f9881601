#include "progress.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>

namespace acceptd::acceptctl {
namespace {

constexpr std::array<std::string_view, 4> kFrames{"-", "\\", "|", "/"};
constexpr std::chrono::seconds kRedraw{1};

}  // namespace

void Progress::state(std::string_view state) {
  state_ = state;
  draw();
}

std::chrono::seconds Progress::elapsed() const {
  return std::chrono::duration_cast<std::chrono::seconds>(clock_.monotonic() - start_);
}

runtime::Task<void> Progress::wait_until(runtime::Monotonic when) {
  while (visible_ && clock_.monotonic() + kRedraw < when) {
    draw();
    co_await clock_.sleep_until(clock_.monotonic() + kRedraw);
  }
  co_await clock_.sleep_until(when);
}

void Progress::draw() {
  if (!visible_) return;
  const auto seconds = elapsed().count();
  fmt::print(stderr, "\r\033[K{} {}  {:02}:{:02}", kFrames[frame_++ % kFrames.size()], state_, seconds / 60, seconds % 60);
  std::fflush(stderr);
}

void Progress::clear() {
  if (!visible_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace acceptd::acceptctl
