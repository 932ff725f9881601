/// Readers on many threads beside a writer: nobody sees time run backwards.

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "harness.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace acceptd::testing {
namespace {

using model::DocumentPtr;
using model::Result;
using store::Committed;

constexpr int kVersions = 300;
constexpr int kReaders = 3;

template <class T>
T await(runtime::Task<T> task) {
  boost::asio::io_context io(1);
  std::optional<T> value;
  boost::asio::co_spawn(io, std::move(task), [&](std::exception_ptr error, T result) {
    if (error) std::rethrow_exception(error);
    value = std::move(result);
  });
  io.run();
  return std::move(value.value());
}

class Versions {
 public:
  explicit Versions(store::Store& store) : store_(store) {}

  void write_all() {
    std::string etag;
    for (int version = 1; version <= kVersions; ++version) {
      model::Batch batch{.partition = "p"};
      model::Write write{.document = {.key = {.partition = "p"}, .type = "t", .body = std::to_string(version)}};
      write.action = etag.empty() ? model::Write::Action::create : model::Write::Action::replace;
      write.expected = etag;
      batch.writes.push_back(std::move(write));
      etag = await(store_.commit(std::move(batch))).value().etags.at(0);
      acknowledged_ = version;
    }
  }

  /// By key and by query in turn, until the last version is seen.
  void read_all() {
    int seen = 0;
    for (bool by_query = false; seen < kVersions; by_query = !by_query) {
      const int acknowledged = acknowledged_;
      const int found = by_query ? query() : read();
      if (found < acknowledged || found < seen) ++backwards_;
      seen = found;
    }
  }

  int backwards() const { return backwards_; }

 private:
  static int version_of(const DocumentPtr& document) { return document ? std::stoi(document->body) : 0; }
  int read() { return version_of(await(store_.read({.partition = "p"})).value()); }
  int query() {
    const store::Page page = await(store_.query({.partition = "p"})).value();
    return page.documents.empty() ? 0 : version_of(page.documents.front());
  }

  store::Store& store_;
  std::atomic<int> acknowledged_ = 0;
  std::atomic<int> backwards_ = 0;
};

TEST(SqliteThreadsTest, NoReaderSeesAnOlderVersionAfterANewerOneWasAcknowledgedOrSeen) {
  std::string directory = (std::filesystem::temp_directory_path() / "acceptd-threads-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(directory.data()));
  for (const std::size_t cache_bytes : {std::size_t{0}, std::size_t{1} << 20}) {
    ManualClock clock;
    RecordingLog log;
    const auto store = store::sqlite::SqliteStore::open(
        {.path = fmt::format("{}/{}.db", directory, cache_bytes), .cache_bytes = cache_bytes, .readers = 2}, clock, log);
    Versions versions(*store);
    std::vector<std::thread> readers;
    for (int i = 0; i < kReaders; ++i) readers.emplace_back([&] { versions.read_all(); });
    versions.write_all();
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(versions.backwards(), 0);
  }
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace acceptd::testing
