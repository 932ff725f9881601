#include "apps/acceptctl/conform/provider.hpp"

namespace acceptd::acceptctl::conform {

namespace {

using http::Method;

constexpr std::string_view kStaleTag = "\"no-such-tag\"";

struct Cell {
  std::string_view rule;
  Method method;
  std::string_view header, value;  ///< "" = none
  unsigned status;
};

/// The column "resource missing" of the contract's table.
constexpr std::array kCells{
    Cell{"ARM-084", Method::get, "", "", 404},
    Cell{"ARM-102", Method::put, "If-Match", "*", 412},
    Cell{"ARM-103", Method::put, "If-Match", kStaleTag, 412},
    Cell{"ARM-105", Method::patch, "", "", 404},
    Cell{"ARM-106", Method::patch, "If-Match", "*", 404},
    Cell{"ARM-107", Method::patch, "If-Match", kStaleTag, 404},
    Cell{"ARM-108", Method::remove, "", "", 204},
    Cell{"ARM-109", Method::remove, "If-Match", "*", 204},
    Cell{"ARM-110", Method::remove, "If-Match", kStaleTag, 204},
};

Question question_of(const Provider& provider, const Cell& cell) {
  Question asked = provider.question(cell.method);
  if (cell.method == Method::put) asked = provider.put(provider.options().body);
  if (cell.method == Method::patch) asked = provider.patch({{"tags", {{"conformance", "patched"}}}});
  if (!cell.header.empty()) asked.headers.add(cell.header, cell.value);
  return asked;
}

runtime::Task<void> check_versions(Provider& provider) {
  Question without = provider.question(Method::get);
  without.query.clear();
  co_await provider.talk().expect("ARM-030", 400, std::move(without));
  Question misspelt = provider.question(Method::get);
  misspelt.query = "api-version=tomorrow";
  co_await provider.talk().expect("ARM-031", 400, std::move(misspelt));
  Question unknown = provider.question(Method::get);
  unknown.query = "api-version=1999-01-01";
  co_await provider.talk().expect("ARM-032", 400, std::move(unknown));
}

}  // namespace

runtime::Task<void> check_missing(Provider& provider) {
  for (const Cell& cell : kCells) {
    Question asked = question_of(provider, cell);
    co_await provider.talk().expect(cell.rule, cell.status, std::move(asked));
  }
  co_await check_versions(provider);

  Question text = provider.put(provider.options().body);
  text.headers.add("Content-Type", "text/plain");
  co_await provider.talk().expect("ARM-021", 415, std::move(text));

  json::object finished = provider.options().body;
  json::value& properties = finished["properties"];
  if (!properties.is_object()) properties = json::object{};
  properties.get_object()["provisioningState"] = "Succeeded";
  Question claims = provider.put(finished);
  co_await provider.talk().expect("ARM-139", 400, std::move(claims));
}

}  // namespace acceptd::acceptctl::conform
