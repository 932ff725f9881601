#pragma once
/// What the user reads: tables and fields, or the server's JSON.

#include <boost/json.hpp>
#include <string>
#include <vector>

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
  using Row = std::vector<std::string>;

  std::string coloured(const std::string& state, std::size_t width = 0) const;
  void table(const std::vector<Row>& rows, std::size_t state_column) const;  ///< the first row is the heading

  bool as_json_;
  bool colour_;
};

}  // namespace acceptd::acceptctl
