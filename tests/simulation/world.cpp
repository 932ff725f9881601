#include "simulation/world.hpp"

#include <fmt/format.h>

namespace acceptd::simulation {

void Trace::say(Duration at, std::string_view text) {
  std::string line = fmt::format("{:>12.3f} {}", std::chrono::duration<double>(at).count(), text);
  for (const char c : line) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  if (print_) fmt::print("{}\n", line);
  last_.push_back(std::move(line));
  if (last_.size() > kKept) last_.pop_front();
}

bool World::happen() {
  if (queue_.empty() || queue_.begin()->first.first > elapsed_) return false;
  auto node = queue_.extract(queue_.begin());
  node.mapped()();
  return true;
}

}  // namespace acceptd::simulation
