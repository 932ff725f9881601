#pragma once
/// An exchange as the rules look at it: parsed once.

#include <array>
#include <boost/json.hpp>
#include <optional>

#include "contracts/arm/checker/checker.hpp"

namespace acceptd::contracts::arm::checker {

namespace json = boost::json;

class Seen {
 public:
  Seen(const Exchange& exchange, std::vector<Finding>& findings, std::vector<std::string_view>* looked_at);

  const Exchange& exchange;
  bool readable = false;                 ///< the body is JSON
  const json::object* object = nullptr;  ///< the body, if it is a JSON object

  bool has(std::string_view header) const { return exchange.headers.get(header).has_value(); }
  std::string_view header(std::string_view name) const { return exchange.headers.get(name).value_or(""); }
  bool success() const { return exchange.status >= 200 && exchange.status < 300; }
  bool refused() const { return exchange.status >= 400; }
  /// "" if the body has none.
  std::string_view provisioning_state() const;
  /// The rule applies here. `message` is asked for only if it is broken: nearly all answers are good. Returns `kept`.
  template <class Message>
  bool expect(std::string_view rule, bool kept, Message message) {
    if (looked_at_) looked_at_->push_back(rule);
    if (!kept) findings_.push_back({rule, std::string(message())});
    return kept;
  }

 private:
  std::array<unsigned char, 8 * 1024> space_;  ///< most bodies fit: nothing is allocated for them
  json::monotonic_resource memory_{space_.data(), space_.size()};
  json::value value_ = json::value(nullptr, json::storage_ptr(&memory_));
  std::vector<Finding>& findings_;
  std::vector<std::string_view>* looked_at_;
};

/// The last part of an operation's path, decoded; nullopt if it cannot be.
std::optional<std::string> operation_name(const Exchange& exchange);  // operation.cpp

void check_basics(Seen& seen);     // basics.cpp: identifiers, errors, media types, URIs, waiting times
void check_resource(Seen& seen);   // resource.cpp: envelopes, lists, answers to writes
void check_operation(Seen& seen);  // operation.cpp: status and result routes

}  // namespace acceptd::contracts::arm::checker
