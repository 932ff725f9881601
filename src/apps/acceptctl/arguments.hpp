#pragma once
/// The command line.

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace acceptd::acceptctl {

enum class Command : std::uint8_t {
  put,
  patch,
  get,
  list,
  remove,
  action,
  operation_show,
  operation_watch,
  operation_list,
  operation_cancel,
  subscription_register,
  subscription_show,
  conform,
};

struct Arguments {
  Command command = Command::get;
  std::vector<std::string> words;  ///< the command's own words: an ID, or a type's short form and a name

  std::string server = "http://127.0.0.1:8202";
  std::string api_version = "2025-12-23-preview";
  std::string tenant, client;
  std::chrono::seconds timeout{7200};
  bool json = false;

  std::string subscription, resource_group, cluster, location;
  std::string file, body;
  std::string if_match;
  bool wait = false;
  std::string stranger;      ///< tenant of another caller, for conform
  bool short_waits = false;  ///< the server waits less than the contract allows, for conform
};

/// nullopt-like: the text was handled (help, version, mistake), the process ends with this code.
std::expected<Arguments, int> parse_arguments(int argc, char** argv);

}  // namespace acceptd::acceptctl
