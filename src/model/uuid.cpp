#include "model/uuid.hpp"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/string_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace acceptd::model {

namespace {
/// This project's name space for UUIDv5: stored ids depend on it, so it never changes.
constexpr Uuid kNamespace{{0x6f, 0x1c, 0x5a, 0x52, 0x0d, 0x3e, 0x4b, 0x8a, 0x9a, 0x55, 0x2e, 0x7b, 0x41, 0xc3, 0x90, 0xd7}};
}  // namespace

std::string to_string(const Uuid& id) { return boost::uuids::to_string(id); }

std::optional<Uuid> parse_uuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Uuid id{};
  std::size_t digit = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (c != '-') return std::nullopt;
      continue;
    }
    int value = 0;
    if (c >= '0' && c <= '9')
      value = c - '0';
    else if (c >= 'a' && c <= 'f')
      value = c - 'a' + 10;
    else if (c >= 'A' && c <= 'F')
      value = c - 'A' + 10;
    else
      return std::nullopt;
    auto& byte = id.data[digit / 2];
    byte = static_cast<std::uint8_t>(digit % 2 == 0 ? value << 4 : byte | value);
    ++digit;
  }
  return id;
}

Uuid uuid_of_name(std::string_view name) {
  const boost::uuids::name_generator_sha1 generate(kNamespace);
  return generate(name.data(), name.size());
}

}  // namespace acceptd::model
