#include "locks/turns.hpp"

#include <algorithm>

namespace acceptd::locks {

Turns::Turn::~Turn() {
  if (auto lines = lines_.lock()) pass_on(*lines, key_);
}

void Turns::pass_on(Lines& lines, const std::string& key) {
  const auto found = lines.find(key);
  if (found == lines.end()) return;
  Line& line = found->second;
  if (line.waiting.empty()) {
    lines.erase(found);
    return;
  }
  const auto next = line.waiting.front();  // stays taken: the turn goes straight to the next in line
  line.waiting.pop_front();
  next->notify_all();
}

runtime::Task<std::optional<Turns::Turn>> Turns::take(std::string key, runtime::Duration timeout) {
  Line& line = (*lines_)[key];
  if (!line.taken) {
    line.taken = true;
    co_return Turn(lines_, std::move(key));
  }
  if (line.waiting.size() >= waiting_max_) co_return std::nullopt;
  const auto event = std::make_shared<runtime::Event>();
  line.waiting.push_back(event);
  const runtime::Monotonic until = clock_.monotonic() + timeout;
  ++waiting_;
  bool came = false;
  bool cancelled = false;
  try {
    came = co_await runtime::wait_until(*event, clock_, until);
  } catch (const boost::system::system_error&) {
    cancelled = true;
  }
  --waiting_;
  auto& now_waiting = (*lines_)[key].waiting;
  const auto mine = std::ranges::find(now_waiting, event);
  const bool passed_to_us = mine == now_waiting.end();
  if (!passed_to_us) now_waiting.erase(mine);
  // The turn may have come together with the time-out: it is ours then, and refusing it would stop the line.
  if (passed_to_us && !cancelled) co_return Turn(lines_, std::move(key));
  if (passed_to_us) pass_on(*lines_, key);
  (void)came;
  co_return std::nullopt;
}

}  // namespace acceptd::locks
