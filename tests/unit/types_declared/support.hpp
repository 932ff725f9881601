#pragma once
/// Providers written in a test's own text.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/json.hpp"
#include "types/declared/declared_type.hpp"

namespace acceptd::types::declared::testing {

namespace json = boost::json;

inline std::string quoted(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return text;
}

inline json::value parsed(const std::string& text) {
  auto value = model::parse_json(quoted(text));
  if (!value) throw std::runtime_error(value.error().reason + ": " + text);
  return *value;
}

inline Source source(std::string version, const std::string& text) {
  auto loaded = schema::Document::load(quoted(text), {}, {.lenient = true, .fill_absent_objects = false});
  if (!loaded) throw std::runtime_error(loaded.error()[0].pointer + ": " + loaded.error()[0].reason);
  return {std::move(version), "doc.json", std::move(*loaded)};
}

inline constexpr std::string_view kGroupPath = "/subscriptions/{s}/resourceGroups/{g}/providers/Contoso.Air";
inline constexpr std::string_view kSubscriptionPath = "/subscriptions/{s}/providers/Contoso.Air";

/// {"method": operation} of paths; "~" at the beginning of a path stands for the group's, "^" for the subscription's.
inline std::string document(const std::vector<std::pair<std::string, std::string>>& paths, const std::string& definitions = "") {
  std::string text;
  for (const auto& [path, item] : paths) {
    std::string full = path;
    if (full.starts_with('~')) full = std::string(kGroupPath) + full.substr(1);
    if (full.starts_with('^')) full = std::string(kSubscriptionPath) + full.substr(1);
    text += fmt::format("{}'{}': {}", text.empty() ? "" : ", ", full, item);
  }
  return "{'paths': {" + text + "}, 'definitions': {" + definitions + "}}";
}

class NoProvider final : public engine::Provider {
 public:
  engine::ProviderTraits traits() const override { return {}; }
  engine::Task<engine::Submission> submit(engine::Target) override { throw std::logic_error("not called"); }
  engine::Task<engine::Observation> observe(engine::Target) override { throw std::logic_error("not called"); }
  engine::Task<engine::SearchResult> search(engine::Target) override { throw std::logic_error("not called"); }
  engine::Task<engine::Result<json::value>> result(engine::Target) override { throw std::logic_error("not called"); }
};

}  // namespace acceptd::types::declared::testing
