#pragma once
/// Where a page ended, as the opaque text of a continuation. Keyset positions, so that a walk is stable under writes.

#include <optional>
#include <string>
#include <string_view>

#include "store/store.hpp"

namespace acceptd::store {

/// The last document of a page in the order of its query: by path, or for operations by creation time.
struct Position {
  std::string path;  ///< unused for operations
  Time created{};    ///< used for operations only
  model::Uuid id{};
  bool operator==(const Position&) const = default;
};

Position position_of(const Document& document);

/// `kind` is that of the query. Texts of another kind or shape read as nullopt.
std::string encode_position(DocumentKind kind, const Position& position);
std::optional<Position> decode_position(DocumentKind kind, std::string_view text);

/// `invalid`: the continuation was not given out by a query like this one.
model::Error bad_continuation();

}  // namespace acceptd::store
