#pragma once
/// std::mutex with the annotations that -Wthread-safety checks; libstdc++'s own has none.

#include <mutex>

#define ACCEPTD_GUARDED_BY(mutex) __attribute__((guarded_by(mutex)))
#define ACCEPTD_REQUIRES(mutex) __attribute__((requires_capability(mutex)))

namespace acceptd::runtime {

class __attribute__((capability("mutex"))) Mutex {
 public:
  void lock() __attribute__((acquire_capability())) { mutex_.lock(); }
  void unlock() __attribute__((release_capability())) { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

/// Holds the mutex for its life. Never across a co_await.
class __attribute__((scoped_lockable)) Lock {
 public:
  explicit Lock(Mutex& mutex) __attribute__((acquire_capability(mutex))) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() __attribute__((release_capability())) { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace acceptd::runtime
