#include "simulation/mirror.hpp"

namespace acceptd::simulation {

namespace {

EntryPtr parse(model::DocumentPtr document) {
  auto entry = std::make_shared<Entry>();
  entry->document = std::move(document);
  if (entry->document->index.kind == model::DocumentKind::operation)
    entry->operation = model::operation_from(*entry->document).value();
  if (entry->document->index.kind == model::DocumentKind::resource)
    entry->resource = model::resource_from(*entry->document).value();
  return entry;
}

}  // namespace

EntryPtr Mirror::find(const model::Key& key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  const auto& expires_at = found->second->document->expires_at;
  return expires_at && *expires_at <= world_.now() ? nullptr : found->second;
}

const model::Operation* Mirror::operation(const model::Key& key) const {
  const EntryPtr entry = find(key);
  return entry && entry->operation ? &*entry->operation : nullptr;
}

const model::Resource* Mirror::resource(const model::ResourceId& id) const {
  const EntryPtr entry = find(model::Key{id.partition(), id.document_id()});
  return entry && entry->resource ? &*entry->resource : nullptr;
}

void Mirror::put(const model::Key& key, EntryPtr entry) {
  active_.erase(key);
  if (!entry) {
    entries_.erase(key);
    return;
  }
  if (entry->operation && entry->operation->active()) active_.emplace(key, entry->operation->target);
  entries_.insert_or_assign(key, std::move(entry));
}

std::vector<Touched> Mirror::apply(const model::Batch& batch, const std::vector<model::Etag>& etags) {
  std::vector<Touched> touched;
  for (std::size_t i = 0; i < batch.writes.size(); ++i) {
    const model::Write& write = batch.writes[i];
    const model::Key& key = write.document.key;
    Touched one{.action = write.action, .key = key, .expected = write.expected, .before = find(key)};
    if (write.action == model::Write::Action::check) {
      one.after = one.before;
    } else if (write.action == model::Write::Action::remove) {
      put(key, nullptr);
    } else {
      auto document = std::make_shared<model::Document>(write.document);
      document->etag = etags[i];
      document->written_at = world_.now();
      one.after = parse(std::move(document));
      put(key, one.after);
    }
    touched.push_back(std::move(one));
  }
  return touched;
}

void Mirror::set(const model::Key& key, model::DocumentPtr document) { put(key, document ? parse(document) : nullptr); }

}  // namespace acceptd::simulation
