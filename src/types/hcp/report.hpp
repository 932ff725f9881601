#pragma once
/// What is wrong with a body, beyond what its schema says.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "schema/message.hpp"
#include "schema/schema.hpp"

namespace acceptd::types::hcp {

class Report {
 public:
  explicit Report(std::vector<schema::Violation> found) : found_(std::move(found)) {}
  void add(std::string path, std::string message, schema::Rule rule = schema::Rule::invalid) {
    if (found_.size() < schema::kMaxViolations) found_.push_back({std::move(path), rule, std::move(message)});
  }
  void invalid(std::string path, std::string_view value, std::string_view detail) {
    add(std::move(path), schema::message::invalid(value, detail));
  }
  void required(std::string path) { add(std::move(path), schema::message::required(), schema::Rule::required); }
  bool names(std::string_view path) const {
    return std::ranges::any_of(found_, [&](const schema::Violation& one) { return one.path == path; });
  }
  const std::vector<schema::Violation>& found() const { return found_; }

 private:
  std::vector<schema::Violation> found_;
};

}  // namespace acceptd::types::hcp
