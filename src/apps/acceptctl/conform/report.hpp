#pragma once
/// What was found out about each rule.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace acceptd::acceptctl::conform {

struct Verdict {
  std::uint32_t looks = 0;     ///< how often the rule was looked at
  std::uint32_t failures = 0;  ///< how often it was broken
  std::string first;           ///< the first failure: request and what was wrong
};

class Report {
 public:
  void kept(std::string_view rule) { ++verdicts_[std::string(rule)].looks; }
  void broken(std::string_view rule, std::string message);
  /// One of both. Returns `good`.
  bool judge(std::string_view rule, bool good, const std::string& message);

  const std::map<std::string, Verdict>& verdicts() const { return verdicts_; }
  bool good() const;

 private:
  std::map<std::string, Verdict> verdicts_;
};

}  // namespace acceptd::acceptctl::conform
