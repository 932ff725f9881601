#include "apps/cluster-service-sim/simulator/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace acceptd::simulator {
namespace {

constexpr std::string_view kObject = "object/";
constexpr std::string_view kTally = "tally/";
constexpr std::string_view kRule = "rule/";
constexpr std::string_view kMeta = "meta";
constexpr std::string_view kDurations = "durations";
constexpr double kSecondsMax = 1e9;

struct NamedDuration {
  std::string_view name;
  runtime::Duration Durations::* member;
};
constexpr std::array kNamed{
    NamedDuration{"cluster_create_seconds", &Durations::cluster_create},
    NamedDuration{"cluster_update_seconds", &Durations::cluster_update},
    NamedDuration{"cluster_delete_seconds", &Durations::cluster_delete},
    NamedDuration{"node_pool_create_seconds", &Durations::node_pool_create},
    NamedDuration{"node_pool_update_seconds", &Durations::node_pool_update},
    NamedDuration{"node_pool_delete_seconds", &Durations::node_pool_delete},
    NamedDuration{"credential_seconds", &Durations::credential},
    NamedDuration{"revocation_seconds", &Durations::revocation},
};

Entry object_entry(const Object& object) {
  const json::object stored{{"kind", to_string(object.kind)},
                            {"cluster_id", object.cluster_id},
                            {"id", object.id},
                            {"created_ns", object.created.time_since_epoch().count()},
                            {"sequence", object.sequence},
                            {"body", object.body},
                            {"was_ready", object.was_ready},
                            {"activity", to_json(object.activity)}};
  return {std::string(kObject) + key_of(object.kind, object.cluster_id, object.id), json::serialize(stored)};
}

Object object_from_json(const json::value& stored) {
  Object object;
  const std::string_view kind = stored.at("kind").as_string();
  object.kind = kind == "cluster" ? Kind::cluster : kind == "node_pool" ? Kind::node_pool : Kind::credential;
  object.cluster_id = stored.at("cluster_id").as_string();
  object.id = stored.at("id").as_string();
  object.created = runtime::Time(runtime::Duration(stored.at("created_ns").to_number<std::int64_t>()));
  object.sequence = stored.at("sequence").to_number<std::uint64_t>();
  object.body = stored.at("body").as_object();
  object.was_ready = stored.at("was_ready").as_bool();
  object.activity = activity_from_json(stored.at("activity").as_object());
  return object;
}

Entry rule_entry(const Rule& rule) { return {fmt::format("{}{:010}", kRule, rule.id), json::serialize(to_json(rule))}; }

Entry tally_entry(const std::string& name, const Tally& tally) {
  const json::object stored{{"created", tally.created}, {"duplicates", tally.duplicates}, {"refused", tally.refused}};
  return {std::string(kTally) + name, json::serialize(stored)};
}

/// splitmix64: every number of the sequence is computed from its position, so the position is all there is to store.
std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace

json::object to_json(const Durations& durations) {
  json::object text;
  for (const NamedDuration& named : kNamed) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(durations.*named.member);
    json::value& seconds = text[named.name];
    if (whole == durations.*named.member) {
      seconds = whole.count();  // easier to read than the 1E1 that a double becomes
    } else {
      seconds = std::chrono::duration<double>(durations.*named.member).count();
    }
  }
  return text;
}

Result<void> change(Durations& durations, const json::object& text) {
  for (const auto& member : text) {
    const auto named = std::ranges::find(kNamed, std::string_view(member.key()), &NamedDuration::name);
    if (named == kNamed.end())
      return std::unexpected(Refusal{400, fmt::format("'{}' is not a duration", std::string_view(member.key()))});
    const double seconds = member.value().is_number() ? member.value().to_number<double>() : -1;
    if (!(seconds >= 0 && seconds <= kSecondsMax))
      return std::unexpected(Refusal{400, fmt::format("'{}' must be a number from 0 to {}", named->name, kSecondsMax)});
    durations.*named->member = std::chrono::duration_cast<runtime::Duration>(std::chrono::duration<double>(seconds));
  }
  return {};
}

std::string key_of(Kind kind, std::string_view cluster_id, std::string_view id) {
  return fmt::format("{}/{}/{}", to_string(kind), cluster_id, id);
}

World::World(Journal& journal, const runtime::Clock& clock, Durations defaults, std::uint64_t seed)
    : journal_(journal), clock_(clock), defaults_(defaults), seed_(seed), durations_(defaults) {
  try {
    for (const auto& [key, value] : journal_.load()) restore(key, value);
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("the simulator's file cannot be read: {}", error.what()));
  }
}

void World::restore(const std::string& key, const std::string& value) {
  const json::value stored = json::parse(value);
  if (key.starts_with(kObject)) {
    Object object = object_from_json(stored);
    std::string object_key = key_of(object.kind, object.cluster_id, object.id);
    objects_.insert_or_assign(std::move(object_key), std::move(object));
  } else if (key.starts_with(kTally)) {
    const auto number = [&](std::string_view name) { return stored.at(name).to_number<std::uint64_t>(); };
    tallies_[key.substr(kTally.size())] = {number("created"), number("duplicates"), number("refused")};
  } else if (key.starts_with(kRule)) {
    auto rule = parse_rule(stored);
    if (!rule) throw std::runtime_error(rule.error().reason);
    rules_.push_back(std::move(*rule));
  } else if (key == kDurations) {
    if (const auto changed = change(durations_, stored.as_object()); !changed) throw std::runtime_error(changed.error().reason);
  } else if (key == kMeta) {
    offset_ = runtime::Duration(stored.at("offset_ns").to_number<std::int64_t>());
    sequence_ = stored.at("sequence").to_number<std::uint64_t>();
    rules_added_ = stored.at("rules_added").to_number<std::uint64_t>();
  }
}

void World::commit(std::vector<Entry> entries) {
  const json::object meta{{"offset_ns", offset_.count()}, {"sequence", sequence_}, {"rules_added", rules_added_}};
  entries.push_back({std::string(kMeta), json::serialize(meta)});
  journal_.commit(entries);
}

void World::advance(runtime::Duration by) {
  const runtime::Duration before = std::exchange(offset_, offset_ + by);
  try {
    commit({});
  } catch (...) {
    offset_ = before;
    throw;
  }
}

bool World::alive(const Object& object) const {
  if (!true_state(object.kind, object.activity, now())) return false;
  if (object.kind == Kind::cluster) return true;
  const auto cluster = objects_.find(key_of(Kind::cluster, object.cluster_id, object.cluster_id));
  return cluster != objects_.end() && alive(cluster->second);
}

const Object* World::find(Kind kind, std::string_view cluster_id, std::string_view id) const {
  const auto found = objects_.find(key_of(kind, cluster_id, id));
  return found != objects_.end() && alive(found->second) ? &found->second : nullptr;
}

std::vector<const Object*> World::list(Kind kind, std::string_view cluster_id) const {
  const std::string prefix = cluster_id.empty() ? fmt::format("{}/", to_string(kind)) : key_of(kind, cluster_id, "");
  std::vector<const Object*> found;
  for (auto it = objects_.lower_bound(prefix); it != objects_.end() && it->first.starts_with(prefix); ++it)
    if (alive(it->second)) found.push_back(&it->second);
  std::ranges::sort(found, {}, &Object::sequence);
  return found;
}

std::optional<std::string_view> World::state(const Object& object) const {
  return shown_state(object.kind, object.activity, now());
}

bool World::ready_by_now(const Object& object) const {
  if (object.was_ready) return true;
  return object.activity.work == Work::create && finished(object.activity, now()) && !failed(object.activity, now());
}

void World::sweep(std::vector<Entry>& entries) {
  auto it = objects_.upper_bound(swept_);
  for (std::size_t looked_at = 0; looked_at < kSweepMax && it != objects_.end(); ++looked_at, ++it) {
    swept_ = it->first;
    if (!alive(it->second)) entries.push_back({std::string(kObject) + it->first, std::nullopt});
  }
  if (it == objects_.end()) swept_.clear();
}

void World::save(std::vector<Object> objects, const std::map<std::string, Tally>& tallies) {
  std::vector<Entry> entries;
  sweep(entries);
  const std::vector<Entry> swept = entries;
  for (const Object& object : objects) entries.push_back(object_entry(object));
  for (const auto& [name, tally] : tallies) entries.push_back(tally_entry(name, tally));
  commit(std::move(entries));
  for (const Entry& entry : swept) objects_.erase(entry.key.substr(kObject.size()));
  for (Object& object : objects) {
    std::string key = key_of(object.kind, object.cluster_id, object.id);
    objects_.insert_or_assign(std::move(key), std::move(object));
  }
  for (const auto& [name, tally] : tallies) tallies_[name] = tally;
}

Tally World::tally(const std::string& name) const {
  const auto found = tallies_.find(name);
  return found == tallies_.end() ? Tally{} : found->second;
}

void World::add_rules(std::vector<Rule> rules) {
  std::vector<Entry> entries;
  for (Rule& rule : rules) {
    rule.id = ++rules_added_;
    entries.push_back(rule_entry(rule));
  }
  commit(std::move(entries));
  std::ranges::move(rules, std::back_inserter(rules_));
}

void World::clear_rules() {
  std::vector<Entry> entries{{std::string(kDurations), std::nullopt}};
  for (const Rule& rule : rules_) entries.push_back({rule_entry(rule).key, std::nullopt});
  commit(std::move(entries));
  rules_.clear();
  durations_ = defaults_;
}

Treatment World::treat(const Subject& subject) {
  Treatment treatment;
  std::vector<Rule> rules = rules_;
  std::vector<Entry> entries;
  const auto unit = [this] { return static_cast<double>(draw() >> 11) * 0x1p-53; };
  for (Rule& rule : rules)
    if (apply(rule, subject, unit, treatment)) entries.push_back(rule_entry(rule));
  if (entries.empty()) return treatment;
  commit(std::move(entries));
  rules_ = std::move(rules);
  return treatment;
}

void World::set_durations(const Durations& durations) {
  commit({{std::string(kDurations), json::serialize(to_json(durations))}});
  durations_ = durations;
}

void World::reset() {
  journal_.clear();
  objects_.clear();
  tallies_.clear();
  rules_.clear();
  durations_ = defaults_;
  offset_ = runtime::Duration(0);
  sequence_ = 0;
  rules_added_ = 0;
  swept_.clear();
}

std::uint64_t World::draw() { return scramble(seed_ ^ scramble(++sequence_)); }

std::string World::new_id() {
  static constexpr std::string_view kAlphabet = "0123456789abcdefghijklmnopqrstuv";
  std::string id;
  for (int word = 0; word < 3; ++word) {
    std::uint64_t bits = draw();
    for (int i = 0; i < 12; ++i, bits >>= 5) id += kAlphabet[bits & 31];
  }
  id.resize(32);
  return id;
}

}  // namespace acceptd::simulator
