#include "http/framing.hpp"

#include <algorithm>

namespace acceptd::http {

std::optional<std::size_t> head_length(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  return end + 4;
}

std::optional<std::string> refuse_raw_head(std::string_view head) {
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (head[i] == '\0') return "the header has a NUL";
    if (head[i] == '\n' && (i == 0 || head[i - 1] != '\r')) return "a header line ends with a bare LF";
    if (head[i] == '\r' && (i + 1 >= head.size() || head[i + 1] != '\n')) return "the header has a bare CR";
    if (head[i] == '\n' && i + 1 < head.size() && (head[i + 1] == ' ' || head[i + 1] == '\t')) return "a header line is folded";
  }
  return std::nullopt;
}

std::optional<std::string> refuse_fields(const Headers& headers, unsigned version) {
  const std::size_t hosts = headers.count("Host");
  if (hosts > 1) return "Host is given more than once";
  if (hosts == 0 && version >= 11) return "Host is missing";
  const std::size_t codings = headers.count("Transfer-Encoding");
  if (codings == 0) return std::nullopt;
  std::string coding(*headers.get("Transfer-Encoding"));
  std::ranges::transform(coding, coding.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (codings > 1 || coding != "chunked") return "the only Transfer-Encoding is a single chunked";
  if (version < 11) return "HTTP/1.0 has no Transfer-Encoding";
  if (headers.count("Content-Length") != 0) return "Content-Length and Transfer-Encoding exclude each other";
  return std::nullopt;
}

}  // namespace acceptd::http
