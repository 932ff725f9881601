#pragma once
/// The part of the `search` parameter's language that this simulator knows:
/// `field = 'value' and field in ('a','b')`. A quote inside a value is doubled.

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cluster-service-sim/simulator/answer.hpp"

namespace acceptd::simulator {

class Search {
 public:
  /// 400 for anything else than the language above, for more than kTermsMax terms or kValuesMax values. Blank: all
  /// objects.
  static Result<Search> parse(std::string_view text);

  /// `object` as a GET shows it. Fields are dotted paths; all that follows `properties.` is one key. A field that is
  /// absent equals the empty string; numbers and booleans are compared by their JSON text.
  bool matches(const json::object& object) const;

  static constexpr std::size_t kTermsMax = 50;
  static constexpr std::size_t kValuesMax = 1000;

 private:
  struct Term {
    std::string field;
    std::vector<std::string> values;  ///< any of them
  };
  std::vector<Term> terms_;
};

/// The value at a dotted path, or nullptr.
const json::value* value_at(const json::object& object, std::string_view path);

}  // namespace acceptd::simulator
