#include "providers/cluster_service/listing.hpp"

#include <fmt/format.h>

#include <utility>

#include "providers/cluster_service/answers.hpp"
#include "providers/cluster_service/field_map.hpp"

namespace acceptd::providers::cluster_service {

runtime::Task<Fetched<json::object>> fetch_object(Connection& connection, std::string target, std::string correlation_id) {
  using Kind = Fetched<json::object>::Kind;
  Reply reply = co_await connection.read(std::move(target), std::move(correlation_id));
  Fetched<json::object> fetched;
  fetched.summary = summary_of(reply);
  if (reply.failed()) co_return fetched;
  if (reply.is(404)) {
    fetched.kind = Kind::gone;
  } else if (reply.is(200) && reply.body.is_object()) {
    fetched.kind = Kind::here;
    fetched.value = std::move(reply.body.get_object());
  } else {
    fetched.kind = Kind::unexpected;
    if (reply.ok()) fetched.summary += " with a body that is no JSON object";
  }
  co_return fetched;
}

runtime::Task<Fetched<json::array>> fetch_items(Connection& connection, std::string target, std::string correlation_id) {
  using Kind = Fetched<json::array>::Kind;
  const char joint = target.find('?') == std::string::npos ? '?' : '&';
  Fetched<json::array> all;
  for (std::size_t page = 1;; ++page) {
    std::string url = fmt::format("{}{}page={}&size={}", target, joint, page, kPageItems);
    auto fetched = co_await fetch_object(connection, std::move(url), correlation_id);
    all.summary = std::move(fetched.summary);
    all.kind = static_cast<Kind>(fetched.kind);
    if (all.kind != Kind::here) co_return all;
    const json::array* items = items_at(fetched.value, "items");
    const auto total = whole_at(fetched.value, "total");
    if (!items && total != 0) {
      all.kind = Kind::unexpected;
      all.summary += " without items";
      co_return all;
    }
    if (items) all.value.insert(all.value.end(), items->begin(), items->end());
    const bool complete = !items || items->empty() || (total && static_cast<std::int64_t>(all.value.size()) >= *total);
    if (complete) co_return all;
    if (all.value.size() > kItemsMax) {
      all.kind = Kind::unexpected;
      all.summary += " with more items than can be";
      co_return all;
    }
  }
}

}  // namespace acceptd::providers::cluster_service
