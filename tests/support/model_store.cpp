#include "support/model_store.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "store/limits.hpp"
#include "store/position.hpp"

namespace acceptd::testing {
namespace {

using model::DocumentKind;
using model::DocumentPtr;
using model::Result;
using model::Write;
using runtime::Task;
using store::Query;

bool matches(const Query& query, const model::Document& document) {
  const model::Index& index = document.index;
  return index.kind == query.kind && (query.type.empty() || document.type == query.type) &&
         (query.path.empty() || index.path == query.path) &&
         (query.path_prefix.empty() ||
          (index.path.starts_with(query.path_prefix) && index.path.size() > query.path_prefix.size())) &&
         (!query.active || index.active == *query.active) && (!query.created_from || index.created >= *query.created_from) &&
         (!query.created_until || index.created < *query.created_until) &&
         (query.error_code.empty() || index.error_code == query.error_code);
}

bool before(DocumentKind kind, const store::Position& a, const store::Position& b) {
  if (kind == DocumentKind::operation) return std::tie(a.created, a.id) < std::tie(b.created, b.id);
  return std::tie(a.path, a.id) < std::tie(b.path, b.id);
}

}  // namespace

DocumentPtr ModelStore::peek(const model::Key& key) const {
  const auto found = state_.documents.find(key);
  if (found == state_.documents.end() || store::is_expired(found->second->expires_at, clock_.now())) return nullptr;
  return found->second;
}

Task<Result<DocumentPtr>> ModelStore::read(model::Key key) { co_return peek(key); }

Task<Result<store::Committed>> ModelStore::commit(model::Batch batch) { co_return apply(batch); }

Result<store::Committed> ModelStore::apply(model::Batch& batch) {
  if (auto error = store::check_limits(batch)) return std::unexpected(*error);
  for (std::size_t i = 0; i < batch.writes.size(); ++i) {
    const DocumentPtr stored = peek(batch.writes[i].document.key);
    const model::Etag expected = batch.writes[i].action == Write::Action::create ? "" : batch.writes[i].expected;
    const bool must_exist = batch.writes[i].action == Write::Action::replace || batch.writes[i].action == Write::Action::remove;
    if ((stored ? stored->etag : "") != expected || (must_exist && !stored))
      return std::unexpected(store::precondition_failed(i));
  }
  const model::Time now = clock_.now();
  const model::Etag etag = std::to_string(++state_.counter);
  store::Committed committed;
  for (Write& write : batch.writes) {
    const bool stays = write.action == Write::Action::create || write.action == Write::Action::replace;
    committed.etags.push_back(stays ? etag : "");
    if (write.action == Write::Action::remove) state_.documents.erase(write.document.key);
    if (!stays) continue;
    auto document = std::make_shared<model::Document>(std::move(write.document));
    document->etag = etag;
    document->written_at = now;
    const model::Key key = document->key;
    state_.documents.insert_or_assign(key, std::move(document));
  }
  for (model::FeedEntry& entry : batch.feed)
    state_.feed[model::bucket_of(batch.partition)].push_back(
        {.sequence = ++state_.counter, .entry = std::move(entry), .written_at = now});
  return committed;
}

std::vector<DocumentPtr> ModelStore::select(const Query& query) const {
  std::vector<DocumentPtr> selected;
  const model::Time now = clock_.now();
  const auto first = state_.documents.lower_bound(model::Key{.partition = query.partition});
  for (auto it = first; it != state_.documents.end() && it->first.partition == query.partition; ++it)
    if (!store::is_expired(it->second->expires_at, now) && matches(query, *it->second)) selected.push_back(it->second);
  std::ranges::sort(selected, [&](const DocumentPtr& a, const DocumentPtr& b) {
    return before(query.kind, store::position_of(*a), store::position_of(*b));
  });
  return selected;
}

Task<Result<store::Page>> ModelStore::query(Query query) {
  if (auto error = store::check_limits(query)) co_return std::unexpected(*error);
  std::optional<store::Position> after;
  if (!query.continuation.empty() && !(after = store::decode_position(query.kind, query.continuation)))
    co_return std::unexpected(store::bad_continuation());
  store::Page page;
  for (DocumentPtr& document : select(query)) {
    if (after && !before(query.kind, *after, store::position_of(*document))) continue;
    if (page.documents.size() == query.limit) {
      page.continuation = store::encode_position(query.kind, store::position_of(*page.documents.back()));
      break;
    }
    page.documents.push_back(std::move(document));
  }
  co_return page;
}

Task<Result<std::uint64_t>> ModelStore::count(Query query) {
  query.limit = 1;
  if (auto error = store::check_limits(query)) co_return std::unexpected(*error);
  co_return select(query).size();
}

/// In order of (bucket, partition, id); the continuation is "<id><partition>" of the last key.
Task<Result<store::ActivePage>> ModelStore::active(store::ActiveQuery query) {
  if (auto error = store::check_limits(query)) co_return std::unexpected(*error);
  using Place = std::pair<std::uint32_t, model::Key>;
  std::vector<Place> places;
  const model::Time now = clock_.now();
  for (const auto& [key, document] : state_.documents) {
    const std::uint32_t bucket = model::bucket_of(key.partition);
    if (document->index.kind == DocumentKind::operation && document->index.active && bucket >= query.first_bucket &&
        bucket <= query.last_bucket && !store::is_expired(document->expires_at, now))
      places.emplace_back(bucket, key);
  }
  std::ranges::sort(places);
  std::optional<Place> after;
  if (!query.continuation.empty()) {
    const auto position = store::decode_position(DocumentKind::resource, query.continuation);
    if (!position) co_return std::unexpected(store::bad_continuation());
    after = Place(model::bucket_of(position->path), model::Key(position->path, position->id));
  }
  store::ActivePage page;
  for (const Place& place : places) {
    if (after && place <= *after) continue;
    if (page.keys.size() == query.limit) {
      const store::Position last{.path = page.keys.back().partition, .id = page.keys.back().id};
      page.continuation = store::encode_position(DocumentKind::resource, last);
      break;
    }
    page.keys.push_back(place.second);
  }
  co_return page;
}

Task<Result<std::vector<store::FeedRecord>>> ModelStore::feed(store::FeedQuery query) {
  if (auto error = store::check_limits(query)) co_return std::unexpected(*error);
  std::vector<store::FeedRecord> records;
  for (const store::FeedRecord& record : state_.feed[query.bucket])
    if (record.sequence > query.after && record.written_at + feed_time_to_live_ > clock_.now() && records.size() < query.limit)
      records.push_back(record);
  co_return records;
}

Task<Result<std::uint32_t>> ModelStore::purge(std::uint32_t limit) {
  const model::Time now = clock_.now();
  std::uint32_t gone = 0;
  const auto take = [&](bool dead) { return dead && gone < limit && ++gone > 0; };
  std::erase_if(state_.documents, [&](const auto& entry) { return take(store::is_expired(entry.second->expires_at, now)); });
  for (auto& [bucket, records] : state_.feed)
    std::erase_if(records, [&](const auto& record) { return take(record.written_at + feed_time_to_live_ <= now); });
  co_return gone;
}

}  // namespace acceptd::testing
