#include "providers/cluster_service/breaker.hpp"

namespace acceptd::providers::cluster_service {

Breaker::State Breaker::state(runtime::Monotonic now) const {
  if (!open_) return State::closed;
  return now < open_until_ ? State::open : State::half_open;
}

bool Breaker::admit(runtime::Monotonic now) {
  switch (state(now)) {
    case State::closed: return true;
    case State::open: return false;
    case State::half_open: break;
  }
  if (probing_) return false;
  probing_ = true;
  return true;
}

void Breaker::succeeded() {
  failures_ = 0;
  open_ = false;
  probing_ = false;
}

void Breaker::failed(runtime::Monotonic now) {
  ++failures_;
  // A failure of a call that began before it opened must not prolong the pause: only a probe's does.
  const bool opens = open_ ? probing_ && now >= open_until_ : failures_ >= failures_max_;
  if (!opens) return;
  open_ = true;
  probing_ = false;
  open_until_ = now + open_for_;
}

void Breaker::abandoned() { probing_ = false; }

}  // namespace acceptd::providers::cluster_service
