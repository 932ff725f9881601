#pragma once
/// `acceptctl conform`: takes one resource of any ARM provider through its life, and tells for each rule of the contract that
/// shows from outside whether it was kept.

#include <boost/json.hpp>
#include <chrono>
#include <string>

#include "apps/acceptctl/conform/conversation.hpp"

namespace acceptd::acceptctl::conform {

struct Options {
  std::string id;           ///< of the resource that is made and deleted; it must not exist
  std::string api_version;  ///< one that the provider has
  json::object body;        ///< a complete, valid PUT
  Identity identity;
  Identity stranger;              ///< another caller, who must not see the operations; nobody if empty
  std::chrono::seconds patience;  ///< for each operation
  bool short_waits = false;       ///< the provider is set to wait less than the contract allows, for tests
};

/// Leaves the resource deleted if the provider lets it. Throws Silence if the provider does not answer.
runtime::Task<void> conform(const Options& options, Report& report, Conversation::Dependencies dependencies);

}  // namespace acceptd::acceptctl::conform
