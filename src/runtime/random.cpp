#include "runtime/random.hpp"

#include <boost/endian/conversion.hpp>
#include <cstring>

namespace acceptd::runtime {

double Random::unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

std::uint64_t Random::below(std::uint64_t bound) {
  // Rejection: the last, incomplete run of values would favour small results.
  const std::uint64_t limit = bound * (UINT64_MAX / bound);
  for (;;)
    if (const std::uint64_t value = next(); value < limit) return value % bound;
}

boost::uuids::uuid Random::uuid_v4() {
  boost::uuids::uuid id{};
  const std::uint64_t high = next(), low = next();
  boost::endian::store_big_u64(id.data, high);
  boost::endian::store_big_u64(id.data + 8, low);
  id.data[6] = static_cast<std::uint8_t>((id.data[6] & 0x0f) | 0x40);
  id.data[8] = static_cast<std::uint8_t>((id.data[8] & 0x3f) | 0x80);
  return id;
}

boost::uuids::uuid Random::uuid_v7(Time now) {
  boost::uuids::uuid id = uuid_v4();
  const auto milliseconds =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count());
  for (int i = 0; i < 6; ++i) id.data[i] = static_cast<std::uint8_t>(milliseconds >> (40 - 8 * i));
  id.data[6] = static_cast<std::uint8_t>((id.data[6] & 0x0f) | 0x70);
  return id;
}

Duration Random::jitter(Duration base, double part) {
  const double factor = 1.0 - part + 2.0 * part * unit();
  return Duration(static_cast<std::int64_t>(static_cast<double>(base.count()) * factor));
}

}  // namespace acceptd::runtime
