#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "apps/cluster-service-sim/simulator/routes.hpp"
#include "apps/cluster-service-sim/simulator/search.hpp"
#include "http/uri.hpp"

namespace acceptd::simulator {
namespace {

constexpr std::size_t kPageSizeDefault = 100;
constexpr std::size_t kPageSizeMax = 500;  // what is asked for beyond it is not given
constexpr std::size_t kPageMax = 1'000'000;

Result<std::size_t> positive(const http::Request& request, std::string_view name, std::size_t fallback, std::size_t most) {
  const auto text = request.parameter(name);
  if (!text) return fallback;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number == 0)
    return std::unexpected(Refusal{400, fmt::format("Parameter '{}' must be a positive integer, not '{}'", name, *text)});
  return std::min(number, most);
}

/// The search as a form writes it: the service's Go clients and curl send '+' for a blank, which the server's own
/// decoding leaves alone.
std::string search_text(const http::Request& request) {
  constexpr std::string_view kName = "search=";
  std::string_view rest = request.target;
  rest.remove_prefix(std::min(rest.find('?'), rest.size()));
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view parameter = rest.substr(0, rest.find('&'));
    rest.remove_prefix(parameter.size());
    if (!parameter.starts_with(kName)) continue;
    std::string text(parameter.substr(kName.size()));
    std::ranges::replace(text, '+', ' ');
    return http::percent_decode(text).value_or("");
  }
  return "";
}

}  // namespace

Answer reply_list(const Call& call, std::string_view kind, const json::array& items) {
  const auto search = Search::parse(search_text(call.request));
  if (!search) return std::unexpected(search.error());
  const auto page = positive(call.request, "page", 1, kPageMax);
  if (!page) return std::unexpected(page.error());
  const auto size = positive(call.request, "size", kPageSizeDefault, kPageSizeMax);
  if (!size) return std::unexpected(size.error());
  json::array selected;
  std::size_t total = 0;
  for (const json::value& item : items) {
    if (!search->matches(item.as_object())) continue;
    if (total / *size == *page - 1) selected.push_back(item);
    ++total;
  }
  const std::size_t given = selected.size();
  return reply_json(
      200, json::object{{"kind", kind}, {"page", *page}, {"size", given}, {"total", total}, {"items", std::move(selected)}});
}

std::string cluster_href(std::string_view id) { return fmt::format("{}/clusters/{}", kBase, id); }

Refusal not_found(std::string_view what, std::string_view id) { return {404, fmt::format("{} '{}' not found", what, id)}; }

Activity begin(Work work, runtime::Time now, runtime::Duration duration, const Treatment& treatment) {
  return {work, now, treatment.duration.value_or(duration), treatment.outcome, treatment.failure, treatment.lies};
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lowered;
}

}  // namespace acceptd::simulator
