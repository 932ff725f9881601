#include "store/position.hpp"

#include <fmt/format.h>

#include <charconv>

namespace acceptd::store {
namespace {
constexpr std::size_t kUuidTextBytes = 36;
}

Position position_of(const Document& document) {
  return Position{.path = document.index.path, .created = document.index.created, .id = document.key.id};
}

std::string encode_position(DocumentKind kind, const Position& position) {
  if (kind == DocumentKind::operation)
    return fmt::format("t{}{}", model::to_string(position.id), position.created.time_since_epoch().count());
  return fmt::format("p{}{}", model::to_string(position.id), position.path);
}

std::optional<Position> decode_position(DocumentKind kind, std::string_view text) {
  const bool by_time = kind == DocumentKind::operation;
  if (text.size() < 1 + kUuidTextBytes || text.front() != (by_time ? 't' : 'p')) return std::nullopt;
  const auto id = model::parse_uuid(text.substr(1, kUuidTextBytes));
  const std::string_view rest = text.substr(1 + kUuidTextBytes);
  if (!id) return std::nullopt;
  if (!by_time) return Position{.path = std::string(rest), .id = *id};
  Time::rep created = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), created);
  if (error != std::errc{} || end != rest.data() + rest.size()) return std::nullopt;
  return Position{.created = Time(Time::duration(created)), .id = *id};
}

model::Error bad_continuation() {
  return model::Error{.kind = model::ErrorKind::invalid,
                      .code = "InvalidContinuation",
                      .message = "The continuation does not belong to this query."};
}

}  // namespace acceptd::store
