#include "schema/document.hpp"

#include <algorithm>

#include "schema/compile.hpp"
#include "schema/reader.hpp"

namespace acceptd::schema {

struct Document::Compiled {
  std::deque<Schema> schemas;
  std::map<std::string, const Schema*, std::less<>> definitions;
  std::vector<Operation> operations;
  std::vector<Problem> notes;
  std::string version;
};

Document::Document(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}

std::expected<Document, std::vector<Problem>> Document::load(std::string_view text, const Loader& loader,
                                                             const Options& options) {
  Problems problems;
  Files files(loader, problems, options.name);
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
  if (document.contains("paths")) compiled->operations = read_operations(files, compiler, problems);
  if (const json::value* info = document.if_contains("info"); info && info->is_object())
    if (const json::value* version = info->get_object().if_contains("version"); version && version->is_string())
      compiled->version = version->get_string();

  compiled->schemas = compiler.finish();
  compiled->notes = compiler.notes();
  if (document.contains("x-ms-paths")) compiled->notes.push_back({"", "/x-ms-paths", "not served: paths with a query"});
  if (!problems.empty()) return std::unexpected(problems.take());
  return Document(std::move(compiled));
}

const Schema* Document::definition(std::string_view name) const {
  const auto found = compiled_->definitions.find(name);
  return found == compiled_->definitions.end() ? nullptr : found->second;
}

const std::vector<Operation>& Document::operations() const { return compiled_->operations; }

const std::vector<Problem>& Document::notes() const { return compiled_->notes; }

const Schema* Document::request_body(std::string_view path, std::string_view method) const {
  for (const Operation& one : compiled_->operations)
    if (one.path == path && one.method == method) return one.body;
  return nullptr;
}

const Schema* Document::response_body(std::string_view path, std::string_view method, std::string_view status) const {
  for (const Operation& one : compiled_->operations)
    if (one.path == path && one.method == method)
      if (const Answer* answer = one.answer(status)) return answer->body;
  return nullptr;
}

std::string_view Document::version() const { return compiled_->version; }

}  // namespace acceptd::schema
