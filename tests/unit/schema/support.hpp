#pragma once
/// Schemas written in a test's own text.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/json.hpp"
#include "schema/document.hpp"

namespace acceptd::schema::testing {

/// Text with ' for ": tests stay legible.
inline std::string quoted(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return text;
}

inline json::value parsed(const std::string& text) {
  auto value = model::parse_json(quoted(text));
  if (!value) throw std::runtime_error(value.error().reason + ": " + text);
  return *value;
}

/// A document with one definition, "it", or several.
inline Document document(const std::string& definitions, const Options& options = {}) {
  auto loaded = Document::load(quoted("{'definitions': " + definitions + "}"), {}, options);
  if (!loaded) throw std::runtime_error(fmt::format("{}: {}", loaded.error()[0].pointer, loaded.error()[0].reason));
  return *loaded;
}

/// "path|message" of each violation.
inline std::vector<std::string> shown(const std::vector<Violation>& violations) {
  std::vector<std::string> out;
  for (const Violation& violation : violations) out.push_back(violation.path + "|" + violation.message);
  return out;
}

/// "pointer: reason" of each problem.
inline std::vector<std::string> problems(const std::string& text, const Loader& loader = {}) {
  const auto loaded = Document::load(quoted(text), loader);
  std::vector<std::string> out;
  if (!loaded)
    for (const Problem& problem : loaded.error()) out.push_back(problem.pointer + ": " + problem.reason);
  return out;
}

}  // namespace acceptd::schema::testing
