// Runs a fuzzer's check on the files that are named: what a build without libFuzzer does with the seeds.

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** arguments) {
  if (count < 2) {
    std::fputs("no seeds\n", stderr);
    return 1;
  }
  for (int i = 1; i < count; ++i) {
    std::ifstream file(arguments[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot read %s\n", arguments[i]);
      return 1;
    }
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
}
