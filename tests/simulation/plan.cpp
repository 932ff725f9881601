#include "simulation/plan.hpp"

#include "simulation/places.hpp"

namespace acceptd::simulation {

namespace {

/// Most seeds leave a fault out, so that faults also come alone; the others have it as often as `most` allows.
double share(Seeded& random, double most) { return random.chance(0.4) ? 0 : random.unit() * most; }

constexpr Duration kBusy = 25min;  ///< about how long callers are at work

void draw_backend(Plan& plan, Seeded& random) {
  plan.lost = share(random, 0.15);
  plan.late = share(random, 0.15);
  plan.dropped = share(random, 0.15);
  plan.duplicated = share(random, 0.1);
  plan.slow = share(random, 0.2);
  plan.rejected = share(random, 0.1);
  plan.silent = share(random, 0.1);
  plan.provision_fails = share(random, 0.2);
  plan.never_finishes = share(random, 0.1);
  plan.unexpected = share(random, 0.1);
  plan.lies = share(random, 0.1);
  plan.refuses_twice = share(random, 1);
  plan.removes_children = random.chance(0.5);
  if (random.chance(0.3)) plan.strangers = 1 + random.below(3);
  for (std::uint64_t i = random.below(3); i > 0; --i) {
    const Duration from = random.between(0s, kBusy);
    const Duration most = random.chance(0.1) ? Duration(3h) : Duration(10min);
    plan.outages.push_back({from, from + random.between(5s, most)});
  }
}

void draw_processes(Plan& plan, Seeded& random) {
  for (std::uint64_t i = 2 + random.below(5); i > 0; --i) {
    const std::uint32_t most = random.chance(0.5) ? 3 : 40;
    plan.crashes.push_back({.place = random.one_of(kPlaces),
                            .occurrence = 1 + static_cast<std::uint32_t>(random.below(most)),
                            .after_effect = random.chance(0.5)});
  }
  for (std::uint64_t i = random.below(4); i > 0; --i) plan.crashes_at.push_back(random.between(1s, kBusy));
  for (std::uint64_t i = random.below(2); i > 0; --i) plan.stops_at.push_back(random.between(1s, kBusy));
  if (plan.store == StoreKind::model && random.chance(0.4)) plan.freezes_at.push_back(random.between(1s, kBusy));
  for (std::uint64_t i = random.below(3); i > 0; --i) {
    const Duration by = random.between(0s, 4s);
    plan.wall_jumps.emplace_back(random.between(1s, kBusy), random.chance(0.5) ? by : -by);
  }
}

}  // namespace

Plan Plan::draw(std::uint64_t seed, StoreKind store) {
  Seeded random(seed ^ 0x706c616e);
  Plan plan{.store = store};
  plan.store_delay = share(random, 0.5);
  plan.store_unavailable = share(random, 0.03);
  plan.store_unknown = share(random, 0.1);
  plan.store_conflict = share(random, 0.1);
  plan.disk_fails = store == StoreKind::sqlite && random.chance(0.3);
  draw_backend(plan, random);
  draw_processes(plan, random);
  plan.callers = 6 + random.below(10);
  plan.requests = 250 + random.below(40);
  plan.think_max = random.chance(0.2) ? 5s : 120s;
  plan.subscriptions_change = random.chance(0.3);
  plan.engine.queue_length_max = random.chance(0.2) ? 1 : 32;
  // Longer than any deadline with its pauses, as the engine requires.
  const bool short_lived = random.chance(0.5);
  plan.engine.retention = short_lived ? 35min : 180min;
  plan.engine.pause_max = short_lived ? 15min : 120min;
  plan.engine.poll_first = 3s;
  plan.engine.poll_max = 2min;
  plan.engine.steps_in_flight_max = random.chance(0.2) ? 2 : 256;
  plan.engine.find_page = random.chance(0.5) ? 2 : 500;
  plan.engine.ramp_per_second = random.chance(0.2) ? 1 : 2000;
  return plan;
}

}  // namespace acceptd::simulation
