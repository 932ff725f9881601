#include "providers/http_backend/secret_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "runtime/config/file.hpp"

namespace acceptd::providers::http_backend {

namespace {

constexpr std::size_t kSecretBytesMax = std::size_t{16} * 1024;
constexpr std::chrono::seconds kLookEvery{1};
constexpr std::string_view kWhite = " \t\r\n";

}  // namespace

void SecretFile::read() {
  std::string reason;
  auto text = config::file_text(path_, kSecretBytesMax, reason);
  if (!text) {
    problem_ = fmt::format("{} {}", path_, reason);
    return;
  }
  text->erase(text->find_last_not_of(kWhite) + 1);
  text->erase(0, std::min(text->find_first_not_of(kWhite), text->size()));
  const auto fit = [](char c) { return c >= ' ' && c < 0x7f; };
  if (text->empty() || !std::ranges::all_of(*text, fit)) {
    problem_ = fmt::format("{} holds no secret: expected one line of visible ASCII characters", path_);
    return;
  }
  secret_ = std::move(*text);
}

std::expected<std::string, std::string> SecretFile::get() {
  const runtime::Monotonic now = clock_.monotonic();
  if (!looked_ || now - *looked_ >= kLookEvery) {
    looked_ = now;
    std::error_code failed;
    const auto written = std::filesystem::last_write_time(path_, failed);
    const auto bytes = failed ? 0 : std::filesystem::file_size(path_, failed);
    if (failed || written != written_ || bytes != bytes_) {
      written_ = failed ? std::filesystem::file_time_type{} : written;
      bytes_ = failed ? 0 : bytes;
      read();
    }
  }
  if (secret_.empty()) return std::unexpected(problem_);
  return secret_;
}

}  // namespace acceptd::providers::http_backend
