#pragma once
/// The resource under test, as the steps speak of it.

#include <optional>
#include <string>

#include "apps/acceptctl/conform/conform.hpp"
#include "model/resource_id.hpp"

namespace acceptd::acceptctl::conform {

/// How an operation that began with a write ended.
struct Ending {
  std::string status;  ///< "" if it was not to be learnt in time
  std::string status_url, result_url;
};

class Provider {
 public:
  Provider(const Options& options, Report& report, Conversation::Dependencies dependencies);

  Question question(http::Method method) const;  ///< about the resource
  Question put(const json::object& body) const;
  Question patch(const json::object& body) const;
  Question list() const;  ///< of the resource's type, where it lives

  /// Follows a write to its end by the ways that its answer names.
  runtime::Task<Ending> follow(Question begun, Reply answer);
  /// A page chain's items that are the resource.
  runtime::Task<std::size_t> count_in_list();
  /// Path and query of a URL that the provider gave.
  std::optional<Question> question_of(const std::string& url, checker::Subject subject) const;

  const Options& options() const { return options_; }
  Conversation& talk() { return talk_; }
  Report& report() { return report_; }

 private:
  runtime::Task<std::string> watch_status(Question status, Reply begun, bool removes);
  runtime::Task<std::string> watch_resource(Reply begun);
  runtime::Task<void> compare_with_resource(std::string status_before, const Question& status);

  const Options& options_;
  Report& report_;
  Conversation talk_;
  model::ResourceId id_;
};

runtime::Task<void> check_missing(Provider& provider);     // missing.cpp: before it exists
runtime::Task<bool> check_creation(Provider& provider);    // writing.cpp: false if it cannot be made
runtime::Task<void> check_conditions(Provider& provider);  // conditions.cpp: ETags, states and names that do not fit
runtime::Task<void> check_change(Provider& provider);      // writing.cpp
runtime::Task<void> check_removal(Provider& provider);     // writing.cpp

}  // namespace acceptd::acceptctl::conform
