#pragma once
/// Resource providers that are declared: a folder with provider.yaml and the API descriptions that it names.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/config/section.hpp"
#include "types/declared/declared_type.hpp"

namespace acceptd::types::declared {

inline constexpr std::string_view kProviderFile = "provider.yaml";
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{32} << 20;
inline constexpr std::size_t kMaxDocuments = 512;

/// Reads the section `backend` of the provider ("") or of one type (its name below the namespace). Called while the file is
/// read; says what is wrong through the section.
using ReadBackend = std::function<void(const std::string& type, config::Section section)>;

struct Provider {
  std::shared_ptr<const Description> description;
  std::map<std::string, TypeSettings> settings;  ///< by the type's lower-case name below the namespace; "" = all others
};

/// What types say that the file does not.
struct Defaults {
  engine::Deadlines deadlines;
  std::chrono::seconds action_deadline{15 * 60};
};

/// Reads and compiles everything. `problems`: all that is wrong, one line each, with file and place; if there are any, the
/// result is not to be used.
Provider load_provider(const std::filesystem::path& folder, const Defaults& defaults, const ReadBackend& read_backend,
                       std::vector<std::string>& problems);

/// The type's name below its namespace, lower case: "appliances/rules".
std::string short_key(const Description& description, const TypeDescription& type);

/// Parents before children. `backend_of` says what drives a type (by its short key); the backends outlive the types.
std::vector<std::unique_ptr<engine::ResourceType>> make_types(
    const Provider& provider, const std::function<engine::Provider&(const std::string& type)>& backend_of);

}  // namespace acceptd::types::declared
