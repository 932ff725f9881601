#include "types/declared/provider.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/config/file.hpp"
#include "schema/node.hpp"

namespace acceptd::types::declared {

namespace {

namespace fs = std::filesystem;
using config::Section;
using std::chrono::days;
using std::chrono::seconds;

constexpr std::size_t kMaxNamespace = 100;
constexpr std::size_t kMaxUnique = 8;

/// What provider.yaml says.
struct File {
  std::string provider;
  std::map<std::string, std::vector<std::string>> versions;  ///< documents of each
  std::map<std::string, TypeSettings> settings;
  schema::Options options{.lenient = true, .fill_absent_objects = false};
};

bool is_namespace(std::string_view name) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '.'; };
  return !name.empty() && name.size() <= kMaxNamespace && name.front() != '.' && name.back() != '.' &&
         std::ranges::all_of(name, allowed);
}

/// YYYY-MM-DD with an optional suffix (ARM-031).
bool is_api_version(const std::string& version) {
  static const re2::RE2 kForm(R"(\d{4}-\d{2}-\d{2}(-(preview|alpha|beta|rc|privatepreview))?)");
  return re2::RE2::FullMatch(version, kForm);
}

/// Within the file system, relative to a folder.
bool is_relative(std::string_view path) { return !path.empty() && !path.starts_with('/') && !path.contains("://"); }

void read_versions(Section section, File& file) {
  std::size_t count = 0;
  for (const std::string& version : section.keys()) {
    const auto value = section.json(version);
    if (!is_api_version(version)) section.complain(version, "expected an API version such as 2025-01-31 or 2025-01-31-preview");
    std::vector<std::string>& documents = file.versions[version];
    const auto take = [&](const boost::json::value& one) {
      if (one.is_string() && is_relative(one.get_string()))
        documents.emplace_back(one.get_string());
      else
        section.complain(version, "expected the relative path of a document, or a list of such paths");
    };
    if (value && value->is_array())
      for (const auto& one : value->get_array()) take(one);
    else if (value)
      take(*value);
    count += documents.size();
    if (value && documents.empty()) section.complain(version, "names no document");
  }
  if (file.versions.empty()) section.complain("", "expected at least one API version with its documents");
  if (count > kMaxDocuments) section.complain("", fmt::format("more than {} documents", kMaxDocuments));
  section.finish();
}

void read_deadlines(Section section, TypeSettings& settings) {
  section.duration("create", settings.deadlines.create, seconds(1), days(30));
  section.duration("update", settings.deadlines.update, seconds(1), days(30));
  section.duration("delete", settings.deadlines.remove, seconds(1), days(30));
  section.duration("action", settings.action_deadline, seconds(1), days(30));
  section.finish();
}

void read_common(Section& section, TypeSettings& settings) {
  read_deadlines(section.child("deadlines"), settings);
  if (const auto submit = section.choice("submit", {"inline", "background"}))
    settings.submit = *submit == 0 ? engine::Submit::inline_ : engine::Submit::background;
}

void read_type(const std::string& name, Section section, File& file, const ReadBackend& read_backend) {
  TypeSettings settings = file.settings.at("");
  read_common(section, settings);
  section.text("location", settings.location);
  section.boolean("parent_ready", settings.parent_ready);
  section.texts("unique", settings.unique);
  if (settings.unique.size() > kMaxUnique) section.complain("unique", fmt::format("more than {} paths", kMaxUnique));
  if (auto backend = section.optional_child("backend")) read_backend(name, std::move(*backend));
  file.settings[model::to_lower(name)] = std::move(settings);
  section.finish();
}

void read_file(Section section, File& file, const Defaults& defaults, const ReadBackend& read_backend) {
  section.required_text("namespace", file.provider);
  if (!file.provider.empty() && !is_namespace(file.provider))
    section.complain("namespace", "expected letters, digits and dots, such as Contoso.Network");
  read_versions(section.child("versions"), file);
  if (const auto enums = section.choice("enums", {"closed", "as_declared"})) file.options.open_enums = *enums == 1;
  file.settings[""] = {.deadlines = defaults.deadlines, .action_deadline = defaults.action_deadline};
  read_common(section, file.settings[""]);
  read_backend("", section.child("backend"));
  Section types = section.child("types");
  for (const std::string& name : types.keys()) read_type(name, types.child(name), file, read_backend);
  types.finish();
  section.finish();
}

/// What a $ref of `document` names, read from its folder or, with "..", beside it.
schema::Loader loader_of(const fs::path& document) {
  return [folder = document.parent_path()](std::string_view path) -> std::optional<std::string> {
    if (!is_relative(path)) return std::nullopt;
    std::string reason;
    return config::file_text((folder / path).lexically_normal().string(), kMaxDocumentBytes, reason);
  };
}

class Loading {
 public:
  Loading(fs::path folder, std::vector<std::string>& problems) : folder_(std::move(folder)), problems_(problems) {}

  void document(const std::string& version, const std::string& name, schema::Options options, std::vector<Source>& out) {
    const fs::path path = (folder_ / name).lexically_normal();
    std::string reason;
    const auto text = config::file_text(path.string(), kMaxDocumentBytes, reason);
    if (!text) return problems_.push_back(fmt::format("{}: {}", path.string(), reason));
    options.name = path.filename().string();
    auto loaded = schema::Document::load(*text, loader_of(path), options);
    if (loaded) return out.push_back({version, path.string(), std::move(*loaded)});
    for (const schema::Problem& problem : loaded.error()) {
      const fs::path file = problem.file.empty() ? path : (path.parent_path() / problem.file).lexically_normal();
      problems_.push_back(to_string(Finding{file.string(), problem.pointer, problem.reason}));
    }
  }

  /// The settings must be about types that there are, and about members that they have.
  void settings(const Provider& provider, const File& file) {
    const std::string where = (folder_ / kProviderFile).string();
    for (const auto& [name, settings] : file.settings) {
      if (name.empty()) continue;
      const TypeDescription* type = provider.description->type(model::to_lower(file.provider) + "/" + name);
      if (!type) {
        problems_.push_back(fmt::format("{}: types.{}: the documents describe no such type", where, name));
        continue;
      }
      if (settings.parent_ready && type->parent_key.empty())
        problems_.push_back(fmt::format("{}: types.{}.parent_ready: the type has no parent", where, name));
      for (const std::string& path : settings.unique) {
        const schema::Slot* slot = slot_at(*type, path);
        if (!slot)
          problems_.push_back(fmt::format("{}: types.{}.unique: the type has no member '{}'", where, name, path));
        else if (slot->access.updatable)
          problems_.push_back(fmt::format(
              "{}: types.{}.unique: '{}' may be updated; only what is fixed at creation can be unique", where, name, path));
      }
    }
  }

 private:
  fs::path folder_;
  std::vector<std::string>& problems_;
};

}  // namespace

std::string short_key(const Description& description, const TypeDescription& type) {
  return type.key().substr(description.provider.size() + 1);
}

Provider load_provider(const fs::path& folder, const Defaults& defaults, const ReadBackend& read_backend,
                       std::vector<std::string>& problems) {
  const std::size_t before = problems.size();
  const std::string name = (folder / kProviderFile).string();
  File file;
  for (const config::Problem& problem :
       config::read_file(name, [&](Section section) { read_file(std::move(section), file, defaults, read_backend); }))
    problems.push_back(config::to_string(problem, name));
  if (problems.size() > before) return {};
  Loading loading(folder, problems);
  std::vector<Source> sources;
  for (const auto& [version, documents] : file.versions)
    for (const std::string& document : documents) loading.document(version, document, file.options, sources);
  if (problems.size() > before) return {};
  std::vector<Finding> contradictions;
  Provider provider{.description = std::make_shared<Description>(describe(file.provider, std::move(sources), contradictions)),
                    .settings = file.settings};
  for (const Finding& finding : contradictions)
    problems.push_back(to_string(finding.file.empty() ? Finding{name, "", finding.reason} : finding));
  loading.settings(provider, file);
  return provider;
}

std::vector<std::unique_ptr<engine::ResourceType>> make_types(
    const Provider& provider, const std::function<engine::Provider&(const std::string& type)>& backend_of) {
  std::vector<std::unique_ptr<engine::ResourceType>> types;
  for (const TypeDescription& type : provider.description->types) {
    const std::string key = short_key(*provider.description, type);
    const auto own = provider.settings.find(key);
    const TypeSettings& settings = own != provider.settings.end() ? own->second : provider.settings.at("");
    types.push_back(std::make_unique<DeclaredType>(provider.description, type, settings, backend_of(key)));
  }
  return types;
}

}  // namespace acceptd::types::declared
