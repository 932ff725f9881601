#include "names.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "http/uri.hpp"
#include "model/resource_id.hpp"

namespace acceptd::acceptctl {
namespace {

struct ShortForm {
  std::string_view word;
  std::string_view type;
  std::string_view parent_type;  ///< named by --cluster
};
constexpr std::array kShortForms{
    ShortForm{"cluster", "hcpOpenShiftClusters", ""},
    ShortForm{"nodepool", "nodePools", "hcpOpenShiftClusters"},
};

/// "/a b/c" → "/a%20b/c". The user writes IDs, which are not encoded.
std::string encoded_path(std::string_view path) {
  std::string result;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    result += "/" + http::percent_encode(segment);
    path.remove_prefix(segment.size());
  }
  return result;
}

/// Path down to the type's name, without the resource's.
Outcome<std::string> type_path(const Arguments& arguments, const std::string& word, bool group_needed) {
  if (arguments.subscription.empty()) return usage_problem(fmt::format("'{}' needs -s SUBSCRIPTION", word));
  if (arguments.resource_group.empty() && group_needed) return usage_problem(fmt::format("'{}' needs -g RESOURCE-GROUP", word));
  std::string path = subscription_path(arguments.subscription);
  if (!arguments.resource_group.empty()) path += "/resourceGroups/" + http::percent_encode(arguments.resource_group);
  const auto form =
      std::ranges::find_if(kShortForms, [&](const ShortForm& f) { return model::equals_ignoring_case(f.word, word); });
  if (form == kShortForms.end()) {
    if (std::ranges::count(word, '/') != 1)
      return usage_problem(fmt::format("'{}' is no ID, and neither cluster, nodepool nor Namespace/type", word));
    return path + "/providers" + encoded_path("/" + word);
  }
  path += fmt::format("/providers/{}", kNamespace);
  if (form->parent_type.empty()) return fmt::format("{}/{}", path, form->type);
  if (arguments.resource_group.empty()) return usage_problem(fmt::format("'{}' needs -g RESOURCE-GROUP", word));
  if (arguments.cluster.empty()) return usage_problem(fmt::format("'{}' needs --cluster CLUSTER", word));
  return fmt::format("{}/{}/{}/{}", path, form->parent_type, http::percent_encode(arguments.cluster), form->type);
}

}  // namespace

bool is_path(const std::string& word) { return word.find('/') != std::string::npos; }

std::string subscription_path(const std::string& subscription) { return "/subscriptions/" + http::percent_encode(subscription); }

Outcome<std::string> resource_path(const Arguments& arguments, const std::vector<std::string>& words) {
  if (words.size() == 1) {
    if (!model::ResourceId::parse(words[0])) return usage_problem(fmt::format("'{}' is not a resource ID", words[0]));
    return encoded_path(words[0]);
  }
  auto path = type_path(arguments, words[0], true);
  if (!path) return path;
  return *path + "/" + http::percent_encode(words[1]);
}

Outcome<std::string> list_path(const Arguments& arguments) {
  const std::string& word = arguments.words[0];
  if (word.starts_with('/')) return encoded_path(word);
  return type_path(arguments, word, false);
}

Outcome<std::string> operations_path(const std::string& subscription, const std::string& location) {
  if (subscription.empty()) return usage_problem("-s SUBSCRIPTION is missing");
  return fmt::format("{}/providers/{}/locations/{}/hcpOperationStatuses", subscription_path(subscription), kNamespace,
                     http::percent_encode(location));
}

std::string with_version(std::string path, const std::string& api_version) {
  if (path.find("api-version=") != std::string::npos) return path;
  path += path.find('?') == std::string::npos ? '?' : '&';
  return path + "api-version=" + http::percent_encode(api_version);
}

}  // namespace acceptd::acceptctl
