#pragma once
/// What every test of a store needs: a store of some kind over lasting contents, time, and a way to await it.

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "store/store.hpp"
#include "support/model_store.hpp"

namespace acceptd::testing {

/// Stands still unless moved. Thread-safe: a store's own thread asks it too.
class ManualClock final : public runtime::Clock {
 public:
  runtime::Time now() const override { return runtime::Time(runtime::Duration(now_.load())); }
  runtime::Monotonic monotonic() const override { return runtime::Monotonic(runtime::Duration(now_.load())); }
  runtime::Task<void> sleep_until(runtime::Monotonic when) override;
  void advance(runtime::Duration duration) { now_ += duration.count(); }

 private:
  std::atomic<std::int64_t> now_{1'767'637'798'000'000'000};  // 2026-01-05T18:29:58Z
};

/// Keeps the names of the events.
class RecordingLog final : public runtime::Log {
 public:
  void write(runtime::Level level, std::string_view event, std::initializer_list<Field> fields) override;
  bool contains(std::string_view event) const;

 private:
  std::vector<std::string> events_;
};

/// One kind of store. The contents survive reopen(); every kind starts empty.
class Harness {
 public:
  virtual ~Harness() = default;
  virtual store::Store& store() = 0;
  /// Closes the store properly and opens it again.
  virtual void reopen() = 0;
  /// What the reference holds; nullptr for other kinds.
  virtual const ModelState* model_state() const { return nullptr; }
  /// Runs until no coroutine waits for the store.
  virtual void drive(boost::asio::io_context& io) { io.run(); }

  /// Starts all tasks, in order, before any of them is driven; returns their results in that order.
  template <class T>
  std::vector<T> run_all(std::vector<runtime::Task<T>> tasks) {
    std::vector<std::optional<T>> results(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      auto keep = [&results, i](std::exception_ptr error, T result) {
        if (error) std::rethrow_exception(error);
        results[i] = std::move(result);
      };
      boost::asio::co_spawn(io_, std::move(tasks[i]), std::move(keep));
    }
    io_.restart();
    drive(io_);
    std::vector<T> values;
    for (std::optional<T>& result : results) values.push_back(std::move(result.value()));
    return values;
  }
  template <class T>
  T run(runtime::Task<T> task) {
    std::vector<runtime::Task<T>> tasks;
    tasks.push_back(std::move(task));
    return std::move(run_all(std::move(tasks)).front());
  }

  ManualClock clock;
  RecordingLog log;

 private:
  boost::asio::io_context io_{1};
};

struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<Harness>()> make;
};
inline void PrintTo(const StoreKind& kind, std::ostream* out) { *out << kind.name; }
/// The reference first, then every store that claims to be like it.
std::vector<StoreKind> store_kinds();

/// Everything that can be seen of these partitions, as text: equal text, equal stores.
std::string dump(Harness& harness, const std::vector<std::string>& partitions);

}  // namespace acceptd::testing
