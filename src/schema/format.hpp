#pragma once
/// Named string and number formats, checked by hand, and the network arithmetic behind some of them.

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string_view>

namespace acceptd::schema {

struct Ipv4Block {
  std::uint32_t address = 0;  ///< host order, as written (host bits may be set)
  int prefix = 32;            ///< 0 to 32
  std::uint32_t mask() const { return prefix == 0 ? 0 : ~std::uint32_t{0} << (32 - prefix); }
  bool canonical() const { return (address & ~mask()) == 0; }
  bool overlaps(const Ipv4Block& other) const {
    const std::uint32_t common = mask() & other.mask();
    return (address & common) == (other.address & common);
  }
};

/// Dotted decimal without leading zeros.
std::optional<std::uint32_t> parse_ipv4(std::string_view text);
/// "10.0.0.0/16".
std::optional<Ipv4Block> parse_ipv4_block(std::string_view text);

/// A format's check: `detail` completes "must be …"; `check` is null where the name is only a hint to tools.
struct Format {
  std::string_view name;
  std::string_view detail;
  bool (*check)(const boost::json::value&) = nullptr;
};

/// nullptr for a name that is not known.
const Format* find_format(std::string_view name);

}  // namespace acceptd::schema
