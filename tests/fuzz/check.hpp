#pragma once
/// What a fuzzer says before it gives up on an input.

#include <cstdio>
#include <cstdlib>

namespace acceptd::fuzz {

inline void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

}  // namespace acceptd::fuzz
