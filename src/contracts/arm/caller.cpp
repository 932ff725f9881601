#include "contracts/arm/caller.hpp"

#include <fmt/format.h>

#include <boost/asio/ip/address.hpp>
#include <stdexcept>

#include "contracts/arm/text.hpp"

namespace acceptd::contracts::arm {

namespace {

namespace ip = boost::asio::ip;
using model::Error;
using model::ErrorKind;

constexpr std::size_t kMaxIdentity = 256;

Error forbidden(std::string message) {
  return Error{.kind = ErrorKind::invalid, .code = "Forbidden", .message = std::move(message)};
}

/// Absent and empty are the same: no stored value is ever empty, so nothing may match an empty one.
model::Result<std::string> identity_header(const http::Request& request, std::string_view name) {
  const std::string_view value = request.headers.get(name).value_or("");
  if (request.headers.count(name) > 1)  // a proxy that appends instead of replacing would let the caller choose
    return std::unexpected(Error{.kind = ErrorKind::invalid,
                                 .code = "InvalidRequestContent",
                                 .message = fmt::format("The header '{}' must be given once.", name)});
  if (value.size() <= kMaxIdentity && is_printable(value)) return std::string(trim(value));
  return std::unexpected(
      Error{.kind = ErrorKind::invalid,
            .code = "InvalidRequestContent",
            .message = fmt::format("The header '{}' must be printable ASCII of at most {} bytes.", name, kMaxIdentity)});
}

}  // namespace

TrustedProxies::TrustedProxies(const std::vector<std::string>& networks) {
  for (const std::string& text : networks) {
    boost::system::error_code not_v4, not_v6;
    const bool has_prefix = text.contains('/');
    const auto v4 = ip::make_network_v4(has_prefix ? text : text + "/32", not_v4);
    const auto v6 = ip::make_network_v6(has_prefix ? text : text + "/128", not_v6);
    if (!not_v4)
      v4_.push_back(v4.canonical());
    else if (!not_v6)
      v6_.push_back(v6.canonical());
    else
      throw std::invalid_argument(fmt::format("\"{}\" is neither an IP address nor a network such as 10.1.0.0/16", text));
  }
}

bool TrustedProxies::contains(std::string_view numeric_address) const {
  boost::system::error_code failed;
  ip::address address = ip::make_address(std::string(numeric_address), failed);
  if (failed) return false;
  if (address.is_v6() && address.to_v6().is_v4_mapped()) address = ip::make_address_v4(ip::v4_mapped, address.to_v6());
  if (address.is_v4()) {
    for (const auto& network : v4_)
      if (ip::network_v4(address.to_v4(), network.prefix_length()).canonical() == network) return true;
    return false;
  }
  for (const auto& network : v6_)
    if (ip::network_v6(address.to_v6(), network.prefix_length()).canonical() == network) return true;
  return false;
}

model::Result<engine::Caller> identify(const http::Request& request, const TrustedProxies& proxies) {
  if (!request.loopback && !proxies.contains(request.remote_address))
    return std::unexpected(
        forbidden("This address takes requests from trusted front doors only (setting listeners.arm.trusted_proxies)."));
  auto tenant = identity_header(request, "x-ms-home-tenant-id");
  auto client = identity_header(request, "x-ms-client-object-id");
  auto name = identity_header(request, "x-ms-client-principal-name");
  for (const auto* header : {&tenant, &client, &name})
    if (!*header) return std::unexpected(header->error());
  const bool complete = !tenant->empty() && !client->empty();
  if (!complete && !request.loopback)
    return std::unexpected(forbidden("The headers 'x-ms-home-tenant-id' and 'x-ms-client-object-id' must say who calls."));
  engine::Caller caller{.tenant = std::move(*tenant), .client = std::move(*client), .principal = std::move(*name)};
  if (caller.principal.empty()) caller.principal = caller.client;
  if (caller.tenant.empty()) caller.tenant = kLocalTenant;
  if (caller.client.empty()) caller.client = kLocalClient;
  return caller;
}

}  // namespace acceptd::contracts::arm
