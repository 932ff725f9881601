#include "engine/schedule.hpp"

namespace acceptd::engine {

void Schedule::at(const model::Key& key, runtime::Monotonic when, bool replace) {
  const auto [found, added] = times_.try_emplace(key, when);
  if (!added) {
    if (found->second == kDue) return;
    if (!replace && found->second <= when) return;
    found->second = when;
  }
  timers_.push(Timer{when, key});
}

void Schedule::forget(const model::Key& key) { times_.erase(key); }

bool Schedule::contains(const model::Key& key) const { return times_.contains(key); }

void Schedule::make_due(runtime::Monotonic now) {
  while (!timers_.empty() && timers_.top().when <= now) {
    const Timer timer = timers_.top();
    timers_.pop();
    const auto found = times_.find(timer.key);
    if (found == times_.end() || found->second != timer.when) continue;  // outdated
    found->second = kDue;
    auto& line = due_[timer.key.partition];
    if (line.empty()) round_.push_back(timer.key.partition);
    line.push_back(timer.key.id);
    ++due_count_;
  }
}

std::optional<model::Key> Schedule::take() {
  while (!round_.empty()) {
    std::string partition = std::move(round_.front());
    round_.pop_front();
    const auto line = due_.find(partition);
    const model::Key key{partition, line->second.front()};
    line->second.pop_front();
    --due_count_;
    if (line->second.empty())
      due_.erase(line);
    else
      round_.push_back(std::move(partition));
    const auto found = times_.find(key);
    if (found == times_.end() || found->second != kDue) continue;  // forgotten meanwhile
    times_.erase(found);
    return key;
  }
  return std::nullopt;
}

std::optional<runtime::Monotonic> Schedule::next() const {
  if (timers_.empty()) return std::nullopt;
  return timers_.top().when;
}

}  // namespace acceptd::engine
