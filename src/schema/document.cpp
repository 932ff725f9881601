#include "schema/document.hpp"

#include <fmt/format.h>

#include <array>

#include "schema/compile.hpp"

namespace acceptd::schema {

namespace {

constexpr std::array<std::string_view, 7> kMethods{"get", "put", "post", "patch", "delete", "head", "options"};

/// The key of a body: method, path and, for an answer, its status.
std::string body_key(std::string_view method, std::string_view path, std::string_view status) {
  return fmt::format("{} {} {}", method, path, status);
}

using Bodies = std::map<std::string, const Schema*, std::less<>>;

/// Finds the schemas of all requests and answers.
class Walk {
 public:
  Walk(Files& files, Compiler& compiler, Bodies& bodies) : files_(files), compiler_(compiler), bodies_(bodies) {}

  void paths(const Place& place) {
    for (const std::string& path : keys(place))
      for (const std::string& method : keys(place / path))
        if (std::ranges::find(kMethods, method) != kMethods.end()) operation(place / path / method, method, path);
  }

 private:
  void operation(const Place& place, const std::string& method, const std::string& path) {
    for (const std::string& key : keys(place)) {
      if (key == "parameters") {
        for (const std::string& index : keys(place / key)) parameter(follow(place / key / index), method, path);
      } else if (key == "requestBody") {
        content(follow(place / key), method, path, "");
      } else if (key == "responses") {
        for (const std::string& status : keys(place / key)) content(follow(place / key / status), method, path, status);
      }
    }
  }

  void parameter(const Place& place, const std::string& method, const std::string& path) {
    const json::value* in = has(place, "in") ? files_.at(place / "in", place) : nullptr;
    if (in && in->is_string() && in->get_string() == "body" && has(place, "schema")) add(place / "schema", method, path, "");
  }

  /// Swagger 2.0 has the schema here, OpenAPI 3 one for each media type.
  void content(const Place& place, const std::string& method, const std::string& path, std::string_view status) {
    if (has(place, "schema")) return add(place / "schema", method, path, status);
    const Place json_body = place / "content" / "application/json";
    if (has(place, "content") && has(place / "content", "application/json") && has(json_body, "schema"))
      add(json_body / "schema", method, path, status);
  }

  void add(const Place& place, const std::string& method, const std::string& path, std::string_view status) {
    if (const Schema* schema = compiler_.want(place)) bodies_.emplace(body_key(method, path, status), schema);
  }

  bool has(const Place& place, std::string_view key) {
    const json::value* value = files_.at(place, place);
    return value && value->is_object() && value->get_object().contains(key);
  }

  Place follow(const Place& place) {
    if (!has(place, "$ref")) return place;
    const json::value* reference = files_.at(place / "$ref", place);
    return reference->is_string() ? files_.resolve(place, reference->get_string()) : place;
  }

  std::vector<std::string> keys(const Place& place) {
    std::vector<std::string> out;
    const json::value* value = files_.at(place, place);
    if (!value) return out;
    if (value->is_object())
      for (const auto& [key, member] : value->get_object()) out.emplace_back(key);
    else if (value->is_array())
      for (std::size_t i = 0; i < value->get_array().size(); ++i) out.push_back(std::to_string(i));
    return out;
  }

  Files& files_;
  Compiler& compiler_;
  Bodies& bodies_;
};

}  // namespace

struct Document::Compiled {
  std::deque<Schema> schemas;
  std::map<std::string, const Schema*, std::less<>> definitions;
  Bodies bodies;
  std::string version;
};

Document::Document(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

std::expected<Document, std::vector<Problem>> Document::load(std::string_view text, const Loader& loader,
                                                             const Options& options) {
  Problems problems;
  Files files(loader, problems);
  const json::value* root = files.add_root(text);
  if (!root) return std::unexpected(problems.take());

  const json::object& document = root->get_object();
  auto compiled = std::make_shared<Compiled>();
  Compiler compiler(files, problems, options);
  const auto define = [&](const Place& place, const json::value& definitions) {
    if (!definitions.is_object()) return problems.add(place, "must be an object");
    for (const auto& [name, schema] : definitions.get_object())
      if (const Schema* wanted = compiler.want(place / name)) compiled->definitions.emplace(name, wanted);
  };
  if (const json::value* definitions = document.if_contains("definitions")) define(Place{} / "definitions", *definitions);
  if (const json::value* components = document.if_contains("components"); components && components->is_object())
    if (const json::value* schemas = components->get_object().if_contains("schemas"))
      define(Place{} / "components" / "schemas", *schemas);
  if (document.contains("paths")) Walk(files, compiler, compiled->bodies).paths(Place{} / "paths");
  if (const json::value* info = document.if_contains("info"); info && info->is_object())
    if (const json::value* version = info->get_object().if_contains("version"); version && version->is_string())
      compiled->version = version->get_string();

  compiled->schemas = compiler.finish();
  if (!problems.empty()) return std::unexpected(problems.take());
  return Document(std::move(compiled));
}

const Schema* Document::definition(std::string_view name) const {
  const auto found = compiled_->definitions.find(name);
  return found == compiled_->definitions.end() ? nullptr : found->second;
}

const Schema* Document::request_body(std::string_view path, std::string_view method) const {
  return response_body(path, method, "");
}

const Schema* Document::response_body(std::string_view path, std::string_view method, std::string_view status) const {
  const auto found = compiled_->bodies.find(body_key(method, path, status));
  return found == compiled_->bodies.end() ? nullptr : found->second;
}

std::string_view Document::version() const { return compiled_->version; }

}  // namespace acceptd::schema
