#pragma once
/// Random numbers of cryptographic quality, for identifiers that nobody may guess.

#include "runtime/random.hpp"

namespace acceptd::runtime {

class SystemRandom final : public Random {
 public:
  std::uint64_t next() override;  ///< throws std::runtime_error if OpenSSL has no entropy
};

}  // namespace acceptd::runtime
