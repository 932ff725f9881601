#pragma once
/// Absolute URLs that clients will follow: their host is the one that the client knows, not this listener's (ARM-011, ARM-012).

#include <string>
#include <string_view>

#include "http/message.hpp"
#include "model/uuid.hpp"

#include "contracts/arm/route.hpp"

namespace acceptd::contracts::arm {

/// "https://management.example.com": of the referer if it is an absolute http(s) URL, else of X-Forwarded-Proto and -Host,
/// else of Host.
std::string public_origin(const http::Request& request);

/// "/subscriptions/{s}/providers/{namespace}/locations/{region}/{statuses or results}/{operation}"
std::string operation_path(const Route& route, std::string_view operation_type, std::string_view region,
                           const model::Uuid& operation);

std::string operation_url(const http::Request& request, std::string_view path, std::string_view api_version);

/// The request's own URL with `$skipToken` set: its other parameters stay (ARM-093).
std::string next_page_url(const http::Request& request, std::string_view skip_token);

}  // namespace acceptd::contracts::arm
