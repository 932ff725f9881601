/// Every store gives the answers of the reference, whatever is asked of it in whatever order.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "harness.hpp"
#include "workload.hpp"

namespace acceptd::testing {
namespace {

using namespace std::chrono_literals;
using model::Result;
using store::Committed;

template <class T, class Show>
std::string show(const Result<T>& result, Show show_value) {
  if (result) return show_value(*result);
  return fmt::format("error {} {}", static_cast<int>(result.error().kind), result.error().target);
}

std::string show_document(const model::DocumentPtr& document) {
  return document ? fmt::format("{}@{}", document->body, document->etag) : "none";
}

/// One kind of store and what it answered.
struct Subject {
  std::unique_ptr<Harness> harness;

  std::string commit(std::vector<model::Batch> batches) {
    std::vector<runtime::Task<Result<Committed>>> tasks;
    for (model::Batch& batch : batches) tasks.push_back(harness->store().commit(std::move(batch)));
    std::string text;
    for (const auto& result : harness->run_all(std::move(tasks)))
      text += show(result, [](const Committed& committed) { return fmt::format("{};", fmt::join(committed.etags, ",")); });
    return text;
  }
  std::string walk(store::Query query) {
    std::string text = show(harness->run(harness->store().count(query)), [](auto count) { return std::to_string(count); });
    do {
      const auto page = harness->run(harness->store().query(query));
      if (!page) return text + show(page, [](const auto&) { return ""; });
      for (const auto& document : page->documents) text += "|" + show_document(document);
      text += " end of page";
      query.continuation = page->continuation;
    } while (!query.continuation.empty());
    return text;
  }
  std::string read(model::Key key) { return show(harness->run(harness->store().read(std::move(key))), show_document); }
  std::string purge(std::uint32_t limit) {
    return show(harness->run(harness->store().purge(limit)), [](auto gone) { return std::to_string(gone); });
  }
  std::string feed(store::FeedQuery query) {
    return show(harness->run(harness->store().feed(query)), [](const auto& records) {
      std::string text;
      for (const auto& record : records) text += fmt::format("{}:{} ", record.sequence, record.entry.payload);
      return text;
    });
  }
};

/// Says what was done and what came of it.
std::string step(Choices& choices, Subject& subject, const ModelState& state) {
  const model::Time now = subject.harness->clock.now();
  switch (choices.below(10)) {
    case 0:
    case 1:
    case 2: {
      std::vector<model::Batch> batches;
      for (std::uint32_t i = 1 + choices.below(4); i > 0; --i) batches.push_back(make_batch(choices, state, now));
      return "commit " + subject.commit(std::move(batches));
    }
    case 3: return "read " + subject.read(make_key(choices));
    case 4:
    case 5: return "query " + subject.walk(make_query(choices, now));
    case 6: {
      const std::string& partition = workload_partitions()[choices.below(2)];
      return "feed " +
             subject.feed({.bucket = model::bucket_of(partition), .after = choices.below(20), .limit = 1 + choices.below(5)});
    }
    case 7:
      subject.harness->clock.advance(std::chrono::seconds(choices.below(256)) * (choices.below(8) == 1 ? 400 : 1) / 8);
      return "advance";
    case 8: return "purge " + subject.purge(1000);  // which ones go first under a smaller limit is the store's choice
    default:
      if (choices.below(3) == 1) subject.harness->reopen();
      return "reopen " + dump(*subject.harness, workload_partitions());
  }
}

class AgreementTest : public ::testing::TestWithParam<StoreKind> {};

std::vector<StoreKind> kinds_beside_the_reference() {
  std::vector<StoreKind> kinds = store_kinds();
  kinds.erase(kinds.begin());
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Stores, AgreementTest, ::testing::ValuesIn(kinds_beside_the_reference()),
                         [](const auto& info) { return info.param.name; });

TEST_P(AgreementTest, AnswersLikeTheReference) {
  const bool agrees = rc::check([&] {
    using Bytes = std::vector<std::uint8_t>;
    const auto bytes_of_a_step = rc::gen::resize(60, rc::gen::arbitrary<Bytes>());
    const auto steps = *rc::gen::scale(0.5, rc::gen::container<std::vector<Bytes>>(bytes_of_a_step));
    Subject reference{store_kinds().front().make()};
    Subject subject{GetParam().make()};
    for (const Bytes& bytes : steps) {
      const ModelState& state = *reference.harness->model_state();
      Choices same = Choices(bytes);
      Choices choices = Choices(bytes);
      const std::string actual = step(choices, subject, state);
      RC_ASSERT(actual == step(same, reference, state));
    }
    RC_ASSERT(dump(*subject.harness, workload_partitions()) == dump(*reference.harness, workload_partitions()));
  });
  EXPECT_TRUE(agrees);
}

}  // namespace
}  // namespace acceptd::testing
