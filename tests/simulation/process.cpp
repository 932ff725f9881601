#include "simulation/process.hpp"

#include <fmt/format.h>

#include "simulation/places.hpp"

namespace acceptd::simulation {

namespace {

/// A step that lets an exception escape is a bug that the engine only logs.
class BugLog final : public runtime::Log {
 public:
  explicit BugLog(World& world) : world_(world) {}
  void write(runtime::Level level, std::string_view event, std::initializer_list<Field> fields) override {
    if (level != runtime::Level::error) return;
    std::string text(event);
    for (const Field& field : fields) text += fmt::format(" {}={}", field.first, boost::json::serialize(field.second));
    world_.say("log: " + text);
    if (event == "engine.step_failed" || event == "engine.task_failed") world_.fail("the engine met a bug: " + text);
  }

 private:
  World& world_;
};

}  // namespace

Process::Process(World& world, CrashPlan& crashes, std::uint64_t epoch)
    : world_(world),
      crashes_(crashes),
      epoch_(epoch),
      random_(world.random.next()),
      log_(std::make_unique<BugLog>(world)),
      io_(std::make_unique<boost::asio::io_context>(1)),
      clock_(*io_, world.now(), Monotonic(std::chrono::hours(1000 * epoch))) {}

Process::~Process() {
  dead_ = true;
  engine_.reset();
  store_.reset();
  base_store_.reset();
  auto lost = std::exchange(open_, {});
  for (auto& [number, tell] : lost) tell();
}

void Process::start(engine::EngineOptions options, std::unique_ptr<store::Store> base, std::unique_ptr<store::Store> door,
                    std::unique_ptr<engine::TypeRegistry> types) {
  base_store_ = std::move(base);
  store_ = std::move(door);
  types_ = std::move(types);
  options.epoch = epoch_;
  engine_ = std::make_unique<engine::Engine>(io_->get_executor(), options,
                                             engine::Engine::Dependencies{*store_, *types_, clock_, random_, *log_, this});
  boost::asio::co_spawn(*io_, engine_->start(), [](std::exception_ptr, model::Result<void>) {});
}

void Process::at(const char* place) {
  if (dead_) return;
  const auto known = std::ranges::find(kPlaces, std::string_view(place));
  if (known == kPlaces.end()) return world_.fail(fmt::format("the place {} is not in places.hpp", place));
  const std::uint32_t count = ++crashes_.seen[*known];
  for (auto point = crashes_.ahead.begin(); point != crashes_.ahead.end(); ++point) {
    if (point->place != *known || point->occurrence != count) continue;
    const bool after = point->after_effect;
    crashes_.ahead.erase(point);
    crashes_.crashed.insert(*known);
    if (after) {
      doomed_ = true;
      doom_place_ = place;
    } else {
      die(fmt::format("crash before {}", place));
    }
    return;
  }
}

void Process::die(std::string_view why) {
  if (dead_) return;
  dead_ = true;
  world_.say(fmt::format("process {}: {}", epoch_, why));
}

void Process::freeze(bool frozen) {
  world_.say(fmt::format("process {} {}", epoch_, frozen ? "freezes" : "thaws"));
  frozen_ = frozen;
  if (!frozen) thaw_.notify_all();
}

void Process::stop() {
  world_.say(fmt::format("process {} stops", epoch_));
  boost::asio::co_spawn(*io_, engine_->stop(), [this](std::exception_ptr) { die("stopped"); });
}

runtime::Task<void> Process::pass() {
  while (frozen_ && !dead_) co_await thaw_.wait();
  while (dead_) co_await never_.wait();
}

runtime::Task<void> Process::pass_after(Duration delay) {
  if (delay > 0s) co_await clock_.sleep_for(delay);
  co_await pass();
}

void Process::run() {
  clock_.run_until_idle();
  // The place was about to wait for time or for an event: that has no effect to come before the crash.
  if (doomed_ && !dead_) die(fmt::format("crash at {}", doom_place_));
}

}  // namespace acceptd::simulation
