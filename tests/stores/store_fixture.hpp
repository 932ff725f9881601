#pragma once
/// The fixture of the suite that every store passes: short verbs, so that a case reads as a story.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness.hpp"

namespace acceptd::testing {

using model::Batch;
using model::Document;
using model::DocumentKind;
using model::DocumentPtr;
using model::ErrorKind;
using model::Etag;
using model::Key;
using model::Result;
using model::Time;
using model::Uuid;
using model::Write;
using store::Committed;
using store::Query;

inline constexpr const char* kPartition = "11111111-2222-3333-4444-555555555555";

inline Uuid id_of(std::uint8_t number) {
  Uuid id{};
  id.data[15] = number;
  return id;
}

inline Document resource(std::uint8_t number, std::string path = "", std::string body = "{}") {
  Document document{.key = {kPartition, id_of(number)}, .type = "ns/things", .body = std::move(body)};
  document.index = {.kind = DocumentKind::resource, .path = std::move(path)};
  return document;
}

inline Document operation(std::uint8_t number, std::string path = "", bool active = true) {
  Document document = resource(number, std::move(path));
  document.type = "ns/operations";
  document.index.kind = DocumentKind::operation;
  document.index.active = active;
  return document;
}

inline Write create(Document document) { return {.action = Write::Action::create, .document = std::move(document)}; }
inline Write replace(Document document, Etag expected) {
  return {.action = Write::Action::replace, .document = std::move(document), .expected = std::move(expected)};
}
inline Write remove(std::uint8_t number, Etag expected) {
  return {.action = Write::Action::remove, .document = resource(number), .expected = std::move(expected)};
}
inline Write check(std::uint8_t number, Etag expected) {
  return {.action = Write::Action::check, .document = resource(number), .expected = std::move(expected)};
}
inline Batch batch(std::vector<Write> writes, std::vector<model::FeedEntry> feed = {}) {
  return {.partition = kPartition, .writes = std::move(writes), .feed = std::move(feed)};
}
inline model::FeedEntry entry(std::string payload, std::string partition = kPartition) {
  return {.key = {std::move(partition), id_of(1)}, .subject = "test", .payload = std::move(payload)};
}

class StoreTest : public ::testing::TestWithParam<StoreKind> {
 protected:
  Result<Committed> commit(Batch batch) { return harness_->run(harness_->store().commit(std::move(batch))); }
  Result<Committed> commit(Write write) {
    std::vector<Write> writes;
    writes.push_back(std::move(write));
    return commit(batch(std::move(writes)));
  }
  /// Creates or fails the test; returns the etag.
  Etag put(Document document) {
    const auto committed = commit(create(std::move(document)));
    return committed.value().etags.at(0);
  }
  DocumentPtr read(std::uint8_t number) { return read(Key{kPartition, id_of(number)}); }
  DocumentPtr read(Key key) { return harness_->run(harness_->store().read(std::move(key))).value(); }
  std::string body(std::uint8_t number) {
    const DocumentPtr document = read(number);
    return document ? document->body : "none";
  }

  Result<store::Page> page(Query query) {
    query.partition = kPartition;
    return harness_->run(harness_->store().query(std::move(query)));
  }
  /// The last bytes of the ids of all pages, and that count() agrees.
  std::vector<int> select(Query query) {
    std::vector<int> numbers;
    query.partition = kPartition;
    const auto counted = harness_->run(harness_->store().count(query));
    do {
      const store::Page one = page(query).value();
      EXPECT_LE(one.documents.size(), query.limit);
      for (const DocumentPtr& document : one.documents) numbers.push_back(document->key.id.data[15]);
      query.continuation = one.continuation;
    } while (!query.continuation.empty());
    EXPECT_EQ(counted.value(), numbers.size());
    return numbers;
  }
  std::vector<std::string> feed(std::uint64_t after = 0, std::uint32_t limit = 256, const std::string& partition = kPartition) {
    std::vector<std::string> payloads;
    const store::FeedQuery query{.bucket = model::bucket_of(partition), .after = after, .limit = limit};
    for (const store::FeedRecord& record : harness_->run(harness_->store().feed(query)).value()) {
      payloads.push_back(record.entry.payload);
      last_sequence_ = record.sequence;
    }
    return payloads;
  }
  std::uint32_t purge(std::uint32_t limit) { return harness_->run(harness_->store().purge(limit)).value(); }
  Time now() const { return harness_->clock.now(); }
  void expect_refused(const Result<Committed>& result, std::string_view write) {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().kind, ErrorKind::precondition_failed);
    EXPECT_EQ(result.error().target, write);
  }
  void expect_invalid(Batch batch) {
    const auto result = commit(std::move(batch));
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().kind, ErrorKind::invalid) << result.error().message;
  }

  std::unique_ptr<Harness> harness_ = GetParam().make();
  std::uint64_t last_sequence_ = 0;
};

}  // namespace acceptd::testing
