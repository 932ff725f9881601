#pragma once
/// Texts of callers, made fit for answers, documents and logs.

#include <string>
#include <string_view>

namespace acceptd::contracts::arm {

inline constexpr std::size_t kMaxShown = 256;

/// Printable ASCII, at most `size_max` bytes; what is not becomes '?'. Header fields and path segments may hold any byte, JSON
/// may not.
inline std::string printable(std::string_view text, std::size_t size_max = kMaxShown) {
  std::string out(text.substr(0, size_max));
  for (char& c : out)
    if (c < 0x20 || c == 0x7f) c = '?';  // char is signed: bytes from 0x80 on are negative
  return out;
}
inline bool is_printable(std::string_view text) { return printable(text, text.size()) == text; }

/// Without blanks around it.
inline std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace acceptd::contracts::arm
