#pragma once
/// Who calls: headers of a trusted front door, or on loopback one fixed local principal (DESIGN §4, Callers without identity).

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "http/message.hpp"
#include "model/error.hpp"

namespace acceptd::contracts::arm {

inline constexpr std::string_view kLocalTenant = "00000000-0000-0000-0000-000000000000";
inline constexpr std::string_view kLocalClient = "local";

/// Networks from which identity headers are believed. Immutable.
class TrustedProxies {
 public:
  /// Addresses or networks in CIDR form. Throws std::invalid_argument naming the text that is neither.
  explicit TrustedProxies(const std::vector<std::string>& networks);
  bool contains(std::string_view numeric_address) const;

 private:
  std::vector<boost::asio::ip::network_v4> v4_;
  std::vector<boost::asio::ip::network_v6> v6_;
};

/// Errors: `invalid` (code Forbidden: 403, ARM-022) if nobody vouches for the caller, or for a header that is not text.
model::Result<engine::Caller> identify(const http::Request& request, const TrustedProxies& proxies);

}  // namespace acceptd::contracts::arm
