#include "apps/acceptd/process/epoch.hpp"

#include "model/json.hpp"

namespace acceptd::process {

namespace {

constexpr const char* kPartition = "acceptd";
constexpr int kAttempts = 16;  // another process that starts at the same moment takes a number too

std::uint64_t epoch_in(const model::Document& document) {
  const auto body = model::parse_json(document.body);
  const boost::json::value* epoch = body && body->is_object() ? body->get_object().if_contains("epoch") : nullptr;
  return epoch && epoch->is_number() ? epoch->to_number<std::uint64_t>() : 0;
}

}  // namespace

runtime::Task<model::Result<std::uint64_t>> take_epoch(store::Store& store) {
  const model::Key key{kPartition, model::uuid_of_name("acceptd/epoch")};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto stored = co_await store.read(key);
    if (!stored) co_return std::unexpected(stored.error());
    const std::uint64_t next = (*stored ? epoch_in(**stored) : 0) + 1;
    const boost::json::object body{{"epoch", next}};
    model::Write write{.action = *stored ? model::Write::Action::replace : model::Write::Action::create,
                       .expected = *stored ? (*stored)->etag : model::Etag()};
    write.document.key = key;
    write.document.type = "acceptd/epochs";
    write.document.body = model::to_text(body);
    write.document.index = model::Index{.kind = model::DocumentKind::reservation};
    model::Batch batch{.partition = kPartition};
    batch.writes.push_back(std::move(write));
    const auto committed = co_await store.commit(std::move(batch));
    if (committed) co_return next;
    const bool again = committed.error().kind == model::ErrorKind::precondition_failed ||
                       committed.error().kind == model::ErrorKind::unknown_outcome;
    if (!again) co_return std::unexpected(committed.error());
  }
  co_return std::unexpected(model::Error{
      .kind = model::ErrorKind::contended, .code = "Conflict", .message = "other processes keep starting on this store"});
}

}  // namespace acceptd::process
