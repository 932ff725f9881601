#pragma once
/// What the stock parser lets through and a server on a hostile network must not (STYLE B2): checks on the bytes of a
/// request's head before it is parsed, and on its fields after. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "http/message.hpp"

namespace acceptd::http {

/// Length of the head including the empty line, or nullopt if `bytes` does not hold a whole head yet.
std::optional<std::size_t> head_length(std::string_view bytes);

/// Why the raw head is refused: folded lines, bare CR or LF, NUL. nullopt: fine.
std::optional<std::string> refuse_raw_head(std::string_view head);

/// Why the parsed fields are refused: Host missing or given twice, transfer codings other than one "chunked",
/// chunked in HTTP/1.0, Content-Length beside Transfer-Encoding. `version` is 10 or 11.
std::optional<std::string> refuse_fields(const Headers& headers, unsigned version);

}  // namespace acceptd::http
