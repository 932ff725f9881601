#include "simulation/run.hpp"

#include <fmt/format.h>

#include "simulation/provider.hpp"
#include "simulation/storage.hpp"
#include "simulation/types/types.hpp"
#include "simulation/workload.hpp"

namespace acceptd::simulation {

namespace {

constexpr Duration kQuietMax = 200h;  ///< past every deadline and pause
constexpr Duration kLongest = 400h;   ///< of a whole run
constexpr std::uint64_t kAdvancesMax = 3'000'000;
constexpr Duration kSettled = 5min;  ///< after the last operation ended, before the books are compared

/// A process and what only it uses.
struct Running {
  std::unique_ptr<SimProvider> clusters, jobs;
  std::unique_ptr<Process> process;  ///< dies first
};

class Run {
 public:
  Run(std::uint64_t seed, const RunOptions& options)
      : plan_(Plan::draw(seed, options.store)),
        world_(seed, options.print),
        backend_(world_, plan_),
        auditor_(world_, backend_, plan_.engine.retention),
        storage_(make_storage(world_, options.store)),
        workload_(world_, plan_, auditor_, [this] { return serving(); }) {
    crashes_.ahead = plan_.crashes;
    if (options.crash) crashes_.ahead.push_back(*options.crash);
    backend_.on_created = [this](const Object& object) { auditor_.object_created(object); };
  }
  ~Run() {
    zombie_.reset();
    current_.reset();
  }

  Outcome execute() {
    try {
      schedule_faults();
      start();
      workload_.begin();
      while (!world_.failure() && !workload_.done()) advance();
      if (!world_.failure()) calm_down();
      while (!world_.failure() && !is_quiet()) advance();
      if (!world_.failure()) auditor_.all_is_quiet();
    } catch (const std::exception& error) {
      world_.fail(std::string("exception: ") + error.what());
    }
    return outcome();
  }

 private:
  /// Who answers callers now.
  Process* serving() { return current_ && !current_->process->dead() ? current_->process.get() : nullptr; }

  void start();
  void crash(std::string_view why);
  void freeze();
  void reap(std::unique_ptr<Running>& running);
  void schedule_faults();
  void calm_down();
  bool is_quiet();
  void advance();
  void settle();
  Outcome outcome() const;

  const Plan plan_;
  Faults faults_;
  World world_;
  CrashPlan crashes_;
  Backend backend_;
  Auditor auditor_;
  std::unique_ptr<Storage> storage_;
  std::unique_ptr<Running> current_, zombie_;
  Workload workload_;
  std::uint64_t epochs_ = 0, faults_made_ = 0, advances_ = 0;
  std::optional<Duration> quiet_since_, calm_since_;
};

void Run::start() {
  auto base = storage_->open(auditor_);
  if (!base) return world_.after(1min, [this] { start(); });
  auto running = std::make_unique<Running>();
  running->process = std::make_unique<Process>(world_, crashes_, ++epochs_);
  Process& process = *running->process;
  running->clusters = std::make_unique<SimProvider>(world_, plan_, faults_, process, backend_, false);
  running->jobs = std::make_unique<SimProvider>(world_, plan_, faults_, process, backend_, true);
  auto door = std::make_unique<SimStore>(world_, plan_, faults_, process, *base, auditor_);
  process.start(plan_.engine, std::move(base), std::move(door), make_types(*running->clusters, *running->jobs));
  world_.say(fmt::format("process {} starts", epochs_));
  current_ = std::move(running);
}

void Run::crash(std::string_view why) {
  if (Process* process = serving()) process->die(why);
}

/// The process stalls, another one takes over, and the first goes on as if nothing had happened.
void Run::freeze() {
  if (!serving() || zombie_) return;
  ++faults_made_;
  zombie_ = std::move(current_);
  zombie_->process->freeze(true);
  start();
  world_.after(world_.random.between(1s, 5min), [this] {
    if (zombie_) zombie_->process->freeze(false);
  });
  world_.after(world_.random.between(6min, 15min), [this] {
    if (zombie_) zombie_->process->die("the old process is switched off");
  });
}

void Run::reap(std::unique_ptr<Running>& running) {
  if (!running || !running->process->dead()) return;
  ++faults_made_;
  const bool serves = &running == &current_;
  if (serves && world_.random.chance(0.5)) {
    storage_->step();  // what was queued becomes durable, and nobody hears of it
    running->process->run();
  }
  running.reset();
  if (!serves) return;
  storage_->closed();
  world_.after(world_.random.chance(0.7) ? world_.random.between(0s, 5s) : world_.random.between(0s, 3min), [this] { start(); });
}

void Run::schedule_faults() {
  for (const Duration at : plan_.crashes_at) world_.after(at, [this] { crash("crash"); });
  for (const Duration at : plan_.freezes_at) world_.after(at, [this] { freeze(); });
  for (const Duration at : plan_.stops_at)
    world_.after(at, [this] {
      if (Process* process = serving()) process->stop();
    });
  for (const auto& jump : plan_.wall_jumps)
    world_.after(jump.first, [this, by = jump.second] {
      ++faults_made_;
      world_.say(fmt::format("the wall clock jumps by {} ms", by.count() / 1'000'000));
      world_.jump_wall(by);
      for (const auto* running : {&current_, &zombie_})
        if (*running) (*running)->process->clock().jump_wall(by);
    });
  for (std::uint64_t i = 0; i < plan_.strangers; ++i)
    world_.after(world_.random.between(0s, 10min), [this] {
      const auto id = *model::ResourceId::parse(world_.random.one_of(workload_.resources()));
      if (id.type_key() != model::to_lower(kJob))
        backend_.add_stranger(id.type_key(), id.key(), world_.random.between(1min, 20min));
    });
  if (plan_.disk_fails)
    for (int i = 0; i < 3; ++i) world_.after(world_.random.between(1s, 20min), [this] { storage_->break_disk(); });
}

/// From here on nothing goes wrong any more, so everything must end.
void Run::calm_down() {
  world_.say("calm");
  faults_.on = false;
  crashes_.ahead.clear();
  backend_.mend();
  if (zombie_) zombie_->process->die("the old process is switched off");
  calm_since_ = world_.elapsed();
}

bool Run::is_quiet() {
  if (world_.elapsed() - *calm_since_ > kQuietMax) return true;
  if (auditor_.mirror().active() > 0)
    quiet_since_.reset();
  else if (!quiet_since_)
    quiet_since_ = world_.elapsed();
  return quiet_since_ && world_.elapsed() - *quiet_since_ > kSettled;
}

/// Runs what is ready now, with all that follows from it.
void Run::settle() {
  do {
    if (zombie_) zombie_->process->run();
    if (current_) current_->process->run();
    if (current_ && !current_->process->dead() && storage_->has_stopped())
      current_->process->die("the store has stopped writing");
  } while (current_ && !current_->process->dead() && storage_->step());
  reap(zombie_);
  reap(current_);
}

void Run::advance() {
  if (++advances_ > kAdvancesMax) return world_.fail("everything ends: too much happens");
  if (world_.elapsed() > kLongest) return world_.fail("everything ends: callers wait for ever");
  settle();
  if (world_.failure() || world_.happen()) return;
  std::optional<Duration> next = world_.next_event();
  for (const auto* running : {&current_, &zombie_}) {
    if (!*running) continue;
    auto& clock = (*running)->process->clock();
    if (const auto wakeup = clock.next_wakeup()) {
      const Duration at = world_.elapsed() + (*wakeup - clock.monotonic());
      next = next ? std::min(*next, at) : at;
    }
  }
  // Nobody waits for anything: only the end of the run is left.
  const Duration target = next ? *next : world_.elapsed() + 1min;
  const Duration step = target - world_.elapsed();
  world_.move_to(target);
  for (const auto* running : {&current_, &zombie_})
    if (*running) (*running)->process->clock().advance(step);
}

Outcome Run::outcome() const {
  Outcome outcome{.violation = world_.failure().value_or(""), .hash = world_.trace().hash(), .simulated = world_.elapsed()};
  outcome.last.assign(world_.trace().last().begin(), world_.trace().last().end());
  const Workload::Figures& figures = workload_.figures();
  outcome.requests = figures.requests;
  outcome.accepted = figures.accepted;
  outcome.refused = figures.refused;
  outcome.lost = figures.lost;
  outcome.resources = figures.resources.size();
  outcome.faults = faults_made_;
  outcome.seen.insert(crashes_.seen.begin(), crashes_.seen.end());
  outcome.crashed = crashes_.crashed;
  return outcome;
}

}  // namespace

Outcome run_seed(std::uint64_t seed, const RunOptions& options) { return Run(seed, options).execute(); }

}  // namespace acceptd::simulation
