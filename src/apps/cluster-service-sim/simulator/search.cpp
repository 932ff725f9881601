#include "apps/cluster-service-sim/simulator/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

namespace acceptd::simulator {
namespace {

constexpr std::string_view kProperties = "properties.";

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool at_end() {
    skip_blanks();
    return position_ == text_.size();
  }
  bool take(char c) {
    skip_blanks();
    if (position_ == text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  /// A field's path or a keyword; empty if there is none.
  std::string_view word() {
    skip_blanks();
    const std::size_t begin = position_;
    while (position_ < text_.size() && is_word(text_[position_])) ++position_;
    return text_.substr(begin, position_ - begin);
  }
  std::optional<std::string> quoted() {
    if (!take('\'')) return std::nullopt;
    std::string value;
    while (position_ < text_.size()) {
      const char c = text_[position_++];
      if (c != '\'') {
        value += c;
      } else if (position_ < text_.size() && text_[position_] == '\'') {
        value += c;
        ++position_;
      } else {
        return value;
      }
    }
    return std::nullopt;
  }
  std::size_t position() const { return position_; }

 private:
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' || c == '/';
  }
  void skip_blanks() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
  }
  std::string_view text_;
  std::size_t position_ = 0;
};

bool is_keyword(std::string_view word, std::string_view keyword) {
  return std::ranges::equal(word, keyword, [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
}

std::optional<std::vector<std::string>> scan_values(Scanner& scanner) {
  std::vector<std::string> values;
  if (scanner.take('=')) {
    auto value = scanner.quoted();
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
    return values;
  }
  if (!is_keyword(scanner.word(), "in") || !scanner.take('(')) return std::nullopt;
  do {
    auto value = scanner.quoted();
    if (!value || values.size() == Search::kValuesMax) return std::nullopt;
    values.push_back(std::move(*value));
  } while (scanner.take(','));
  if (!scanner.take(')')) return std::nullopt;
  return values;
}

std::string text_of(const json::value* value) {
  if (value == nullptr || value->is_null()) return "";
  return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

}  // namespace

Result<Search> Search::parse(std::string_view text) {
  Search search;
  Scanner scanner(text);
  const auto refuse = [&] {
    return std::unexpected(
        Refusal{400, fmt::format("Failed to parse search '{}': unexpected text at position {}", text, scanner.position())});
  };
  if (scanner.at_end()) return search;
  do {
    const std::string_view field = scanner.word();
    if (field.empty() || search.terms_.size() == kTermsMax) return refuse();
    auto values = scan_values(scanner);
    if (!values) return refuse();
    search.terms_.push_back({std::string(field), std::move(*values)});
    if (scanner.at_end()) return search;
  } while (is_keyword(scanner.word(), "and"));
  return refuse();
}

bool Search::matches(const json::object& object) const {
  return std::ranges::all_of(terms_, [&](const Term& term) {
    return std::ranges::find(term.values, text_of(value_at(object, term.field))) != term.values.end();
  });
}

const json::value* value_at(const json::object& object, std::string_view path) {
  const bool one_key = path.starts_with(kProperties);
  const json::object* parent = &object;
  for (;;) {
    const bool last = one_key && parent != &object;
    const std::size_t dot = last ? std::string_view::npos : path.find('.');
    const json::value* value = parent->if_contains(path.substr(0, dot));
    if (dot == std::string_view::npos || value == nullptr) return value;
    parent = value->if_object();
    if (parent == nullptr) return nullptr;
    path.remove_prefix(dot + 1);
  }
}

}  // namespace acceptd::simulator
