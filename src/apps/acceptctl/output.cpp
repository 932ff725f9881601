#include "output.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "model/json.hpp"
#include "model/resource_id.hpp"

namespace acceptd::acceptctl {
namespace {

std::string text_of(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : model::to_text(value);
}

std::string at(const json::value& object, std::string_view name) {
  return object.is_object() ? std::string(model::string_at(object.get_object(), name)) : "";
}

std::string property(const json::value& resource, std::string_view name) {
  const json::object* properties = resource.is_object() ? model::object_at(resource.get_object(), "properties") : nullptr;
  return properties != nullptr ? std::string(model::string_at(*properties, name)) : "";
}

/// {"a": {"b": 1}} → a.b 1
void flatten(const json::value& value, const std::string& path, std::vector<std::pair<std::string, std::string>>& into) {
  if (const json::object* object = value.if_object(); object != nullptr && !object->empty()) {
    for (const auto& member : *object)
      flatten(member.value(), path.empty() ? std::string(member.key()) : path + "." + std::string(member.key()), into);
  } else {
    into.emplace_back(path, text_of(value));
  }
}

/// "2026-11-21T13:54:38.40174234Z" → "2026-11-21T13:54:38Z"
std::string to_the_second(std::string time) {
  const std::size_t dot = time.find('.');
  if (dot != std::string::npos && time.ends_with('Z')) time.replace(dot, std::string::npos, "Z");
  return time;
}

/// The last names of an ID: "demo", "demo/pool".
std::string short_name(const std::string& resource_id) {
  const auto id = model::ResourceId::parse(resource_id);
  if (!id) return resource_id;
  std::string name;
  for (const auto& segment : id->segments()) name += (name.empty() ? "" : "/") + segment.name;
  return name;
}

bool is_state(std::string_view path) { return path == "status" || path.ends_with("provisioningState"); }

}  // namespace

Output::Output(bool as_json) : as_json_(as_json), colour_(isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr) {}

std::string Output::coloured(const std::string& state, std::size_t width) const {
  const std::string padded = fmt::format("{:<{}}", state, width);
  if (!colour_) return padded;
  if (model::equals_ignoring_case(state, "Succeeded")) return "\033[32m" + padded + "\033[0m";
  if (model::equals_ignoring_case(state, "Failed") || model::equals_ignoring_case(state, "Canceled"))
    return "\033[31m" + padded + "\033[0m";
  return "\033[33m" + padded + "\033[0m";
}

void Output::value(const json::value& value) const {
  if (as_json_) return fmt::print("{}\n", model::to_text(value));
  if (value.is_null()) return;
  std::vector<std::pair<std::string, std::string>> fields;
  flatten(value, "", fields);
  std::size_t width = 0;
  for (const auto& [path, text] : fields) width = std::max(width, path.size());
  for (auto& [path, text] : fields) {
    if (!text.contains('\n')) {
      fmt::print("{:<{}}  {}\n", path, width, is_state(path) ? coloured(text) : text);
      continue;
    }
    fmt::print("{}\n", path);  // several lines, such as a kubeconfig: below their name
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) fmt::print("  {}\n", line);
  }
}

void Output::table(const std::vector<Row>& rows, std::size_t state_column) const {
  std::vector<std::size_t> widths(rows[0].size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t width = i + 1 < row.size() ? widths[i] + 2 : 0;
      line += i == state_column && &row != &rows[0] ? coloured(row[i], width) : fmt::format("{:<{}}", row[i], width);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print("{}\n", line);
  }
}

void Output::resources(const json::array& resources) const {
  if (as_json_) return fmt::print("{}\n", model::to_text(resources));
  std::vector<Row> rows{{"NAME", "RESOURCE GROUP", "LOCATION", "STATE"}};
  for (const json::value& resource : resources) {
    const auto id = model::ResourceId::parse(at(resource, "id"));
    rows.push_back({at(resource, "name"), id ? id->resource_group() : "", at(resource, "location"),
                    property(resource, "provisioningState")});
  }
  table(rows, 3);
}

void Output::operations(const json::array& operations) const {
  if (as_json_) return fmt::print("{}\n", model::to_text(operations));
  std::vector<Row> rows{{"OPERATION", "REQUEST", "RESOURCE", "STATUS", "STARTED", "ENDED"}};
  for (const json::value& operation : operations)
    rows.push_back({at(operation, "name"), at(operation, "operation"), short_name(at(operation, "resourceId")),
                    at(operation, "status"), to_the_second(at(operation, "startTime")), to_the_second(at(operation, "endTime"))});
  table(rows, 3);
}

void Output::note(const std::string& text) const {
  if (!as_json_) fmt::print(stderr, "{}\n", text);
}

void Output::problem(const Problem& problem) const {
  if (as_json_ && !problem.body.is_null()) fmt::print("{}\n", model::to_text(problem.body));
  fmt::print(stderr, "acceptctl: {}\n", problem.message);
}

}  // namespace acceptd::acceptctl
