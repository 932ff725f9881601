#include "runtime/system_random.hpp"

#include <openssl/rand.h>

#include <array>
#include <cstring>
#include <stdexcept>

namespace acceptd::runtime {

std::uint64_t SystemRandom::next() {
  // A block per thread: one call into OpenSSL per 32 numbers.
  thread_local std::array<std::uint64_t, 32> block;
  thread_local std::size_t left = 0;
  if (left == 0) {
    if (RAND_bytes(reinterpret_cast<unsigned char*>(block.data()), sizeof block) != 1)
      throw std::runtime_error("the system has no random numbers to give");
    left = block.size();
  }
  return block[--left];
}

}  // namespace acceptd::runtime
