#pragma once
/// From what the user names to the path that the server knows.

#include <string>

#include "arguments.hpp"
#include "outcome.hpp"

namespace acceptd::acceptctl {

inline constexpr const char* kNamespace = "Microsoft.RedHatOpenShift";

/// Percent-encoded path of the resource that `words` (ID, or type and name) and the scope flags name.
Outcome<std::string> resource_path(const Arguments& arguments, const std::vector<std::string>& words);
/// Path of the list that one word (type, or path) and the scope flags name.
Outcome<std::string> list_path(const Arguments& arguments);
/// True if `word` is a URL or a path rather than a bare ID.
bool is_path(const std::string& word);
/// Path of the operations of a subscription in a region; an operation's status is one segment below.
Outcome<std::string> operations_path(const std::string& subscription, const std::string& location);
std::string subscription_path(const std::string& subscription);
/// `path` with ?api-version=…; a query that is there is kept.
std::string with_version(std::string path, const std::string& api_version);

}  // namespace acceptd::acceptctl
