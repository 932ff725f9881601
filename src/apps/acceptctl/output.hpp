#pragma once
/// What the user reads: tables and fields, or the server's JSON.

#include <boost/json.hpp>

#include "outcome.hpp"

namespace acceptd::acceptctl {

class Output {
 public:
  /// `as_json`: one line of JSON per answer, problems too. Colours only on a terminal, unless NO_COLOR is set.
  explicit Output(bool as_json);

  void value(const json::value& value) const;  ///< a resource, an operation, a subscription
  void resources(const json::array& resources) const;
  void operations(const json::array& operations) const;
  void note(const std::string& text) const;  ///< for people only; on standard error
  void problem(const Problem& problem) const;

 private:
  std::string coloured(const std::string& state, std::size_t width = 0) const;

  bool as_json_;
  bool colour_;
};

}  // namespace acceptd::acceptctl
