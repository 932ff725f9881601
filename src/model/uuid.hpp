#pragma once
/// 128-bit identifiers (RFC 9562). New ones come from runtime/ids; this file only names and prints them.

#include <boost/uuid/uuid.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace acceptd::model {

using Uuid = boost::uuids::uuid;

/// Lower case, with hyphens.
std::string to_string(const Uuid& id);

/// The hyphenated form in either case; nullopt for anything else.
std::optional<Uuid> parse_uuid(std::string_view text);

/// UUIDv5 of a name in this project's name space: the same name gives the same id on every machine.
Uuid uuid_of_name(std::string_view name);

}  // namespace acceptd::model
