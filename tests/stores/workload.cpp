#include "workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace acceptd::testing {
namespace {

using namespace std::chrono_literals;
using model::Document;
using model::DocumentKind;
using model::Write;

constexpr std::uint32_t kDocuments = 7;

const std::vector<std::string>& paths() {
  static const std::vector<std::string> all{
      "/subscriptions/s/resourcegroups/rg/providers/ns/clusters/a",
      "/subscriptions/s/resourcegroups/rg/providers/ns/clusters/a/pools/p",
      "/subscriptions/s/resourcegroups/rg/providers/ns/clusters/ab",
      "/subscriptions/s/resourcegroups/rg2/providers/ns/clusters/a",
      "/subscriptions/s/resourcegroups/rg/providers/ns/clusters/a/pools/p/parts/q",
      "/things/1",
      "",
  };
  return all;
}

template <class T>
const T& pick(Choices& choices, const std::vector<T>& from) {
  return from[choices.below(static_cast<std::uint32_t>(from.size()))];
}

Document make_document(Choices& choices, model::Key key, model::Time now) {
  Document document{.key = std::move(key), .type = choices.flag() ? "ns/b" : "ns/a"};
  const std::uint32_t kind = choices.below(4);
  document.index.kind = kind < 2 ? DocumentKind::operation : kind == 2 ? DocumentKind::resource : DocumentKind::companion;
  document.index.active = choices.flag();
  document.index.path = pick(choices, paths());
  document.index.created = model::Time(std::chrono::seconds(choices.below(4)));
  document.index.error_code = choices.below(3) == 1 ? "Boom" : "";
  if (const std::uint32_t ttl = choices.below(4); ttl > 0) document.expires_at = now + std::chrono::seconds(ttl * 10);
  document.body = std::string(choices.below(3) * 1500, static_cast<char>('a' + choices.below(20)));
  return document;
}

}  // namespace

const std::vector<std::string>& workload_partitions() {
  static const std::vector<std::string> all{"s", "tenant"};
  return all;
}

model::Key make_key(Choices& choices) {
  model::Key key{.partition = pick(choices, workload_partitions())};
  key.id.data[0] = static_cast<std::uint8_t>(choices.below(kDocuments));
  return key;
}

model::Batch make_batch(Choices& choices, const ModelState& state, model::Time now) {
  const model::Key first = make_key(choices);
  model::Batch batch{.partition = first.partition};
  const std::uint32_t count = choices.below(4);
  for (std::uint32_t i = 0; i < count; ++i) {
    model::Key key = first;
    key.id.data[0] = static_cast<std::uint8_t>((first.id.data[0] + i) % kDocuments);
    const auto found = state.documents.find(key);
    Write write{.action = Write::Action::create, .document = make_document(choices, key, now)};
    if (found != state.documents.end()) {
      constexpr Write::Action kActions[] = {Write::Action::replace, Write::Action::remove, Write::Action::check,
                                            Write::Action::replace};
      write.action = kActions[choices.below(4)];
      write.expected = found->second->etag;
    }
    switch (choices.below(16)) {
      case 1: write.expected = "1"; break;
      case 2: write.action = Write::Action::create; break;
      case 3: write.expected = ""; break;
    }
    batch.writes.push_back(std::move(write));
  }
  for (std::uint32_t i = choices.below(3); i > 0; --i)
    batch.feed.push_back({.key = first, .subject = "s", .payload = fmt::format("payload {}", choices.below(256))});
  return batch;
}

store::Query make_query(Choices& choices, model::Time) {
  constexpr DocumentKind kKinds[] = {DocumentKind::operation, DocumentKind::resource, DocumentKind::companion,
                                     DocumentKind::subscription};
  store::Query query{.partition = pick(choices, workload_partitions()), .kind = kKinds[choices.below(4)]};
  query.limit = 1 + choices.below(4);
  if (choices.below(4) == 1) query.type = choices.flag() ? "ns/a" : "ns/c";
  if (choices.below(4) == 1) query.path = pick(choices, paths());
  if (choices.below(3) == 1) {
    // Some path cut off after some of its segments.
    const std::string path = pick(choices, paths()) + "/";
    std::size_t end = path.find('/');
    for (std::uint32_t i = choices.below(10); i > 0 && end + 1 < path.size(); --i) end = path.find('/', end + 1);
    query.path_prefix = path.substr(0, end + 1);
  }
  if (choices.below(3) == 1) query.active = choices.flag();
  if (choices.below(4) == 1) query.created_from = model::Time(std::chrono::seconds(choices.below(4)));
  if (choices.below(4) == 1) query.created_until = model::Time(std::chrono::seconds(choices.below(5)));
  if (choices.below(4) == 1) query.error_code = choices.flag() ? "Boom" : "None";
  return query;
}

}  // namespace acceptd::testing
