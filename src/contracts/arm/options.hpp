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
  std::string name;           ///< "Microsoft.RedHatOpenShift", as shown
  std::string statuses_type;  ///< "hcpOperationStatuses"
  std::string results_type;   ///< "hcpOperationResults"
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
  std::function<void(const RequestRecord&)> observe;
};

}  // namespace acceptd::contracts::arm
