#include "apps/acceptctl/conform/report.hpp"

#include <algorithm>

namespace acceptd::acceptctl::conform {

void Report::broken(std::string_view rule, std::string message) {
  Verdict& verdict = verdicts_[std::string(rule)];
  ++verdict.looks;
  if (verdict.failures++ == 0) verdict.first = std::move(message);
}

bool Report::judge(std::string_view rule, bool good, const std::string& message) {
  if (good)
    kept(rule);
  else
    broken(rule, message);
  return good;
}

bool Report::good() const {
  return std::ranges::none_of(verdicts_, [](const auto& entry) { return entry.second.failures != 0; });
}

}  // namespace acceptd::acceptctl::conform
