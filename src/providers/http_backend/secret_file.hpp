#pragma once
/// A secret that lies in a file and may be exchanged while the process runs.

#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "runtime/clock.hpp"

namespace acceptd::providers::http_backend {

/// For one thread. Looks at the file at most once a second, and reads it when its time or size changed.
class SecretFile {
 public:
  SecretFile(std::string path, runtime::Clock& clock) : path_(std::move(path)), clock_(clock) {}

  /// Without white space around it; never empty. The last good one stays while the file cannot be read or holds none.
  /// Error: there never was a good one; says why, without naming the content.
  std::expected<std::string, std::string> get();

 private:
  void read();

  std::string path_;
  runtime::Clock& clock_;
  std::optional<runtime::Monotonic> looked_;
  std::filesystem::file_time_type written_{};
  std::uintmax_t bytes_ = 0;
  std::string secret_;
  std::string problem_;
};

}  // namespace acceptd::providers::http_backend
