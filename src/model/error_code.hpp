#pragma once
/// The form of error codes (ARM-041).

#include <algorithm>
#include <string_view>

namespace acceptd::model {

/// ASCII letters and digits, an upper-case letter first: "QuotaExceeded", "OCM3001".
constexpr bool is_pascal_case(std::string_view code) {
  const auto letter_or_digit = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !code.empty() && code.front() >= 'A' && code.front() <= 'Z' && std::ranges::all_of(code, letter_or_digit);
}

}  // namespace acceptd::model
