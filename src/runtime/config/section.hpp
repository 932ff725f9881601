#pragma once
/// Typed reading of a YAML mapping. Nothing is implicit: a scalar is what the reader asks for, or a problem with its place.

#include <yaml-cpp/yaml.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace acceptd::config {

/// One thing that is wrong: "acceptd.yaml:4:11: listeners.arm.port: expected an integer from 1 to 65535, got "80a"".
struct Problem {
  std::size_t line = 0, column = 0;  ///< from 1; 0 = about the file as a whole
  std::string key;
  std::string reason;
};
using Problems = std::vector<Problem>;
std::string to_string(const Problem& problem, std::string_view file);

/// A mapping at a path of keys ("listeners.arm"), absent ones included. Every member that was asked for is a known one;
/// finish() reports the others. Members keep their defaults where the file says nothing.
class Section {
 public:
  Section(YAML::Node node, std::string path, Problems& problems);

  Section child(const std::string& key);
  /// Like child(); nullopt if the file has no such section.
  std::optional<Section> optional_child(const std::string& key);

  void text(const std::string& key, std::string& value);
  void required_text(const std::string& key, std::string& value);
  void texts(const std::string& key, std::vector<std::string>& values);
  /// true or false.
  void boolean(const std::string& key, bool& value);
  /// The member's names in the order of the file, for mappings whose keys are data. A name that is asked for is known.
  std::vector<std::string> keys() const;
  /// Any value as JSON: an unquoted scalar is null, true, false or a number if it is written as in JSON, all others are texts.
  std::optional<boost::json::value> json(const std::string& key);
  /// One of a list of texts; returns its index.
  std::optional<std::size_t> choice(const std::string& key, const std::vector<std::string_view>& choices);

  template <class Integer>
  void integer(const std::string& key, Integer& value, std::int64_t least, std::int64_t most) {
    if (const auto read = read_integer(key, least, most)) value = static_cast<Integer>(*read);
  }
  /// "200ms", "20s", "60m", "12h", "7d".
  template <class Rep, class Period>
  void duration(const std::string& key, std::chrono::duration<Rep, Period>& value, std::chrono::milliseconds least,
                std::chrono::milliseconds most) {
    if (const auto read = read_duration(key, least, most))
      value = std::chrono::duration_cast<std::chrono::duration<Rep, Period>>(*read);
  }

  /// A problem with the value of `key`, or with the whole section if it is "".
  void complain(const std::string& key, std::string reason);
  void finish();

 private:
  YAML::Node find(const std::string& key);
  std::optional<std::string> scalar(const std::string& key, std::string_view expected);
  std::optional<std::int64_t> read_integer(const std::string& key, std::int64_t least, std::int64_t most);
  std::optional<std::chrono::milliseconds> read_duration(const std::string& key, std::chrono::milliseconds least,
                                                         std::chrono::milliseconds most);
  std::optional<boost::json::value> json_of(const YAML::Node& node, const std::string& key, std::size_t depth);
  std::string path_of(const std::string& key) const;
  void complain_at(const YAML::Node& node, const std::string& key, std::string reason);

  YAML::Node node_;
  std::string path_;
  Problems& problems_;
  std::set<std::string> known_;
};

/// "90s", "2m", "36h"; nullopt for anything else.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
std::string format_duration(std::chrono::milliseconds duration);

}  // namespace acceptd::config
