#include "runtime/config/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <tuple>

namespace acceptd::config {

namespace {

Problem at(const YAML::Mark& mark, std::string reason) {
  return {.line = static_cast<std::size_t>(std::max(mark.line, 0)) + 1,
          .column = static_cast<std::size_t>(std::max(mark.column, 0)) + 1,
          .reason = std::move(reason)};
}

}  // namespace

Problems read_text(const std::string& text, const std::function<void(Section)>& read) {
  Problems problems;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1)
      return {at(documents[1].Mark(), "a second document begins here; a configuration file has one: remove the \"---\"")};
    read(Section(documents.empty() ? YAML::Node(YAML::NodeType::Undefined) : documents[0], "", problems));
  } catch (const YAML::Exception& error) {
    return {at(error.mark, "is not YAML: " + error.msg)};
  }
  std::ranges::sort(problems, {}, [](const Problem& one) { return std::tie(one.line, one.column, one.key, one.reason); });
  return problems;
}

std::optional<std::string> file_text(const std::string& path, std::size_t bytes_max, std::string& reason) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (std::filesystem::is_directory(status)) {
    reason = "is a directory, expected a file";
    return std::nullopt;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    reason = fmt::format("cannot be read: {}", std::generic_category().message(errno));
    return std::nullopt;
  }
  std::string text(bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() <= bytes_max) return text;
  reason = fmt::format("is larger than {} bytes", bytes_max);
  return std::nullopt;
}

Problems read_file(const std::string& path, const std::function<void(Section)>& read) {
  std::string reason;
  const auto text = file_text(path, kMaxFileBytes, reason);
  if (!text) return {Problem{.reason = std::move(reason)}};
  return read_text(*text, read);
}

}  // namespace acceptd::config
