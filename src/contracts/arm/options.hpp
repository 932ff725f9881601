#pragma once
/// What the ARM facade is told at start.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace acceptd::contracts::arm {

/// What ARM clients may be told to wait (ARM-120).
inline constexpr std::chrono::seconds kRetryAfterMin{10};
inline constexpr std::chrono::seconds kRetryAfterMax{600};

/// How a resource provider names its operation routes. `operationStatuses` and `operationResults` are understood besides.
struct ProviderNamespace {
  std::string name;            ///< "Microsoft.RedHatOpenShift", as shown
  std::string statuses_type;   ///< "hcpOperationStatuses"
  std::string results_type;    ///< "hcpOperationResults"
  bool hides_methods = false;  ///< a method that a path does not have is answered as if there were no such path (hcp.md §1.1)
};

/// One answered request, for metrics. All texts are from small fixed sets.
struct RequestRecord {
  std::string_view method;
  std::string_view route;  ///< "resource", "list", … or "none"
  unsigned status = 0;
  std::chrono::nanoseconds duration{};
};

struct Options {
  std::string region;  ///< "westus3": where resources live; part of every operation's URL
  std::vector<ProviderNamespace> namespaces;
  /// Within kRetryAfterMin and kRetryAfterMax unless a non-conforming setting is wanted for tests.
  std::chrono::seconds retry_after = kRetryAfterMin;
  /// Networks ("10.1.0.0/16", "2001:db8::1") whose headers say who calls; loopback is always trusted.
  std::vector<std::string> trusted_proxies;
  std::uint32_t page_size = 20;
  /// How long after its start a request may wait whose answer is that of a finished operation; at most kWaitMax counts.
  std::chrono::nanoseconds wait_max = std::chrono::seconds(20);
  std::function<void(const RequestRecord&)> observe;
  /// Told of each rule that an answer of ours broke.
  std::function<void(std::string_view rule)> count_violation;
  bool abort_on_violation = false;  ///< for tests: the process ends with such an answer
};

}  // namespace acceptd::contracts::arm
