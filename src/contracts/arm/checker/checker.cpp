#include "contracts/arm/checker/checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "contracts/arm/checker/seen.hpp"
#include "model/json.hpp"
#include "model/resource_id.hpp"

namespace acceptd::contracts::arm::checker {

namespace {

constexpr std::array<std::string_view, 3> kTerminal{"Succeeded", "Failed", "Canceled"};

constexpr std::size_t kNameBytesMax = 64;  // of an operation that is remembered: a UUID has 36

constexpr std::size_t kDepth = model::kMaxStoredDepth;

void look(Seen& seen) {
  check_basics(seen);
  check_resource(seen);
  check_operation(seen);
}

}  // namespace

bool is_terminal(std::string_view status) {
  return std::ranges::any_of(kTerminal, [&](std::string_view one) { return model::equals_ignoring_case(one, status); });
}

Seen::Seen(const Exchange& the_exchange, std::vector<Finding>& findings, std::vector<std::string_view>* looked_at)
    : exchange(the_exchange), findings_(findings), looked_at_(looked_at) {
  auto parsed = model::parse_json(exchange.body, &memory_, kDepth);
  if (!parsed) return;
  readable = true;
  value_ = std::move(*parsed);
  if (value_.is_object()) object = &value_.get_object();
}

std::string_view Seen::provisioning_state() const {
  const json::object* properties = object ? model::object_at(*object, "properties") : nullptr;
  return properties ? model::string_at(*properties, "provisioningState") : std::string_view();
}

std::vector<Finding> check(const Exchange& exchange, std::vector<std::string_view>* looked_at) {
  std::vector<Finding> findings;
  Seen seen(exchange, findings, looked_at);
  look(seen);
  return findings;
}

std::vector<Finding> Observer::check(const Exchange& exchange, std::vector<std::string_view>* looked_at) {
  std::vector<Finding> findings;
  Seen seen(exchange, findings, looked_at);
  look(seen);
  if (exchange.subject == Subject::operation_status && exchange.status == 200 && seen.object) check_end(seen);
  return findings;
}

void Observer::check_end(Seen& seen) {
  const std::string_view status = model::string_at(*seen.object, "status");
  const auto name = operation_name(seen.exchange);
  if (!name || name->empty() || name->size() > kNameBytesMax) return;
  std::string key = model::to_lower(*name);
  if (const auto known = ended_.find(key); known != ended_.end()) {
    seen.expect("ARM-182", status.empty() || model::equals_ignoring_case(known->second, status),
                [&] { return fmt::format("the operation had ended {}, and is {} now", known->second, status); });
    return;
  }
  if (!is_terminal(status)) return;
  if (order_.size() == operations_max_) {
    ended_.erase(order_.front());
    order_.pop_front();
  }
  order_.push_back(key);
  ended_.emplace(std::move(key), status);
}

}  // namespace acceptd::contracts::arm::checker
