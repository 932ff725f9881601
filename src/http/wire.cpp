#include "http/wire.hpp"

namespace acceptd::http {

Incoming refuse(Refused refused, std::string reason) {
  Incoming incoming;
  incoming.refused = refused;
  incoming.reason = std::move(reason);
  return incoming;
}

Incoming gone() {
  Incoming incoming;
  incoming.closed = true;
  return incoming;
}

Method method_of(beast::http::verb verb) {
  switch (verb) {
    case beast::http::verb::get: return Method::get;
    case beast::http::verb::head: return Method::head;
    case beast::http::verb::put: return Method::put;
    case beast::http::verb::patch: return Method::patch;
    case beast::http::verb::post: return Method::post;
    case beast::http::verb::delete_: return Method::remove;
    case beast::http::verb::options: return Method::options;
    default: return Method::other;
  }
}

std::string_view reason_phrase(unsigned status) {
  const auto text = beast::http::obsolete_reason(static_cast<beast::http::status>(status));
  return {text.data(), text.size()};
}

void append_field(std::string& head, std::string_view name, std::string_view value) {
  const auto append = [&head](std::string_view text) {
    static constexpr std::string_view kEndsLine("\r\n\0", 3);
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t end = std::min(text.find_first_of(kEndsLine, start), text.size());
      head.append(text.substr(start, end - start));
      start = end + 1;
    }
  };
  append(name);
  head.append(": ");
  append(value);
  head.append("\r\n");
}

std::string response_head(const Response& response, const Answering& answering) {
  std::string head;
  head.reserve(512);
  fmt::format_to(std::back_inserter(head), "HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
  for (const auto& [name, value] : response.headers.all()) append_field(head, name, value);
  append_field(head, "Date", answering.date);
  if (response.status != 204 && response.status != 304)
    fmt::format_to(std::back_inserter(head), "Content-Length: {}\r\n", response.body.size());
  if (!answering.keep_alive) head.append("Connection: close\r\n");
  return head.append("\r\n");
}

}  // namespace acceptd::http
