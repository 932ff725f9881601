#include "conformance.hpp"

#include <fmt/format.h>

#include <iostream>

#include "apps/acceptctl/conform/conform.hpp"
#include "model/json.hpp"

namespace acceptd::acceptctl {
namespace {

void print_table(const conform::Report& report) {
  std::cout << fmt::format("{:<9} {:<7} {:>5}  {}\n", "RULE", "RESULT", "LOOKS", "FIRST FINDING");
  for (const auto& [rule, verdict] : report.verdicts())
    std::cout << fmt::format("{:<9} {:<7} {:>5}  {}\n", rule, verdict.failures ? "BROKEN" : "kept", verdict.looks, verdict.first);
}

void print_json(const conform::Report& report) {
  json::object rules;
  for (const auto& [rule, verdict] : report.verdicts()) {
    json::object entry{{"kept", verdict.failures == 0}, {"looks", verdict.looks}, {"failures", verdict.failures}};
    if (!verdict.first.empty()) entry["first"] = verdict.first;
    rules[rule] = std::move(entry);
  }
  std::cout << json::serialize(json::object{{"rules", std::move(rules)}}) << '\n';
}

std::string broken_rules(const conform::Report& report) {
  std::string names;
  for (const auto& [rule, verdict] : report.verdicts())
    if (verdict.failures != 0) names += (names.empty() ? "" : ", ") + rule;
  return names;
}

}  // namespace

runtime::Task<Outcome<void>> check_conformance(const Arguments& arguments, std::string id, std::string body,
                                               Session::Dependencies dependencies) {
  auto parsed = model::parse_json(body);
  if (!parsed || !parsed->is_object()) co_return usage_problem("the body of the PUT is missing: -f FILE or --body JSON");
  const conform::Options options{.id = std::move(id),
                                 .api_version = arguments.api_version,
                                 .body = std::move(parsed->get_object()),
                                 .identity = {arguments.tenant, arguments.client},
                                 .stranger = {arguments.stranger, arguments.stranger},
                                 .patience = arguments.timeout,
                                 .short_waits = arguments.short_waits};
  conform::Report report;
  std::string silence;
  try {
    const conform::Conversation::Dependencies own{dependencies.client, dependencies.clock, dependencies.random};
    co_await conform::conform(options, report, own);
  } catch (const conform::Silence& error) {
    silence = error.what();
  }
  arguments.json ? print_json(report) : print_table(report);
  if (!silence.empty()) {
    Problem problem{ExitCode::unreachable, "no answer: " + silence, nullptr};
    co_return std::unexpected(std::move(problem));
  }
  if (report.good()) co_return Outcome<void>();
  Problem problem{ExitCode::not_conforming, "broken: " + broken_rules(report), nullptr};
  co_return std::unexpected(std::move(problem));
}

}  // namespace acceptd::acceptctl
