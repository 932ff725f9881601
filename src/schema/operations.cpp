#include "schema/operations.hpp"

#include <algorithm>
#include <array>

#include "model/json.hpp"
#include "schema/reader.hpp"

namespace acceptd::schema {

namespace {

constexpr std::array<std::string_view, 8> kMethods{"get", "put", "post", "patch", "delete", "head", "options", "trace"};
constexpr int kMaxReferenceChain = 32;

std::optional<std::size_t> count_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (!value || !value->is_number()) return std::nullopt;
  boost::system::error_code failed;
  const auto count = value->to_number<std::uint32_t>(failed);
  return failed ? std::nullopt : std::optional<std::size_t>(count);
}

/// A media type whose body is JSON: "application/json", also with a parameter or as "…+json".
bool is_json(std::string_view media_type) {
  const std::string_view plain = media_type.substr(0, media_type.find(';'));
  return plain == "application/json" || plain.ends_with("+json") || plain == "*/*";
}

class Reader {
 public:
  Reader(Files& files, Compiler& compiler, Problems& problems) : files_(files), compiler_(compiler), problems_(problems) {}

  std::vector<Operation> read(const Place& paths) {
    for (const auto& [path, text] : object_at(paths)) {
      if (!path.starts_with('/')) continue;  // an extension
      const Place item = followed(paths / path);
      const json::object& methods = object_at(item);
      for (const auto& [method, operation] : methods)
        if (std::ranges::find(kMethods, std::string_view(method)) != kMethods.end()) read_operation(item, path, method);
    }
    return std::move(found_);
  }

 private:
  void read_operation(const Place& item, std::string_view path, std::string_view method) {
    const Place place = item / method;
    const json::object& text = object_at(place);
    Operation& operation = found_.emplace_back(
        Operation{.path = std::string(path), .method = std::string(method), .file = place.file, .pointer = place.pointer});
    // Parameters of the path as a whole come first: the operation's own replace them.
    for (const Place& owner : {item, place})
      if (object_at(owner).contains("parameters")) read_parameters(owner / "parameters", operation);
    if (text.contains("requestBody")) {
      const Place body = followed(place / "requestBody");
      operation.body = content(body);
      operation.body_required = flag(object_at(body), "required");
    }
    if (text.contains("responses"))
      for (const auto& [status, answer] : object_at(place / "responses"))
        operation.answers.push_back({std::string(status), content(followed(place / "responses" / status))});
    operation.long_running = flag(text, "x-ms-long-running-operation");
    if (const json::object* options = model::object_at(text, "x-ms-long-running-operation-options"))
      operation.final_state_via = model::string_at(*options, "final-state-via");
  }

  void read_parameters(const Place& list, Operation& operation) {
    const json::value* text = files_.at(list, list);
    if (!text || !text->is_array()) return problems_.add(list, "must be a list of parameters");
    for (std::size_t i = 0; i < text->get_array().size(); ++i) {
      const Place place = followed(list / std::to_string(i));
      const json::object& parameter = object_at(place);
      const std::string_view in = model::string_at(parameter, "in");
      if (in == "body") {
        operation.body = parameter.contains("schema") ? compiler_.want(place / "schema") : nullptr;
        operation.body_required = flag(parameter, "required");
      } else if (in == "path") {
        read_path_parameter(parameter, place, operation);
      }
    }
  }

  void read_path_parameter(const json::object& parameter, const Place& place, Operation& operation) {
    PathParameter read{.name = std::string(model::string_at(parameter, "name"))};
    // Swagger 2.0 says it of the parameter, OpenAPI 3 of its schema.
    const json::object& says = parameter.contains("schema") ? object_at(followed(place / "schema")) : parameter;
    read.length_least = count_at(says, "minLength");
    read.length_most = count_at(says, "maxLength");
    read.pattern = model::string_at(says, "pattern");
    if (const json::value* allowed = says.if_contains("enum"); allowed && allowed->is_array())
      for (const json::value& one : allowed->get_array())
        if (one.is_string()) read.allowed.emplace_back(one.get_string());
    std::erase_if(operation.parameters, [&](const PathParameter& known) { return known.name == read.name; });
    operation.parameters.push_back(std::move(read));
  }

  /// Swagger 2.0 has the schema here, OpenAPI 3 one for each media type.
  const Schema* content(const Place& place) {
    const json::object& text = object_at(place);
    if (text.contains("schema")) return compiler_.want(place / "schema");
    if (!text.contains("content")) return nullptr;
    for (const auto& [media_type, body] : object_at(place / "content"))
      if (is_json(media_type) && body.is_object() && body.get_object().contains("schema"))
        return compiler_.want(place / "content" / media_type / "schema");
    return nullptr;
  }

  static bool flag(const json::object& text, std::string_view key) {
    const json::value* value = text.if_contains(key);
    return value && value->is_bool() && value->get_bool();
  }

  /// An empty object, and a problem, if there is something else.
  const json::object& object_at(const Place& place) {
    static const json::object kNothing;
    const json::value* value = files_.at(place, place);
    if (value && value->is_object()) return value->get_object();
    if (value) problems_.add(place, "must be an object");
    return kNothing;
  }

  Place followed(const Place& wanted) {
    Place place = wanted;
    for (int chain = 0; chain < kMaxReferenceChain; ++chain) {
      const json::value* text = files_.at(place, wanted);
      const json::value* reference = text && text->is_object() ? text->get_object().if_contains("$ref") : nullptr;
      if (!reference || !reference->is_string()) return place;
      place = files_.resolve(place, reference->get_string());
    }
    problems_.add(wanted, "references go round in a circle");
    return wanted;
  }

  Files& files_;
  Compiler& compiler_;
  Problems& problems_;
  std::vector<Operation> found_;
};

}  // namespace

const Answer* Operation::answer(std::string_view status) const {
  const auto found = std::ranges::find(answers, status, &Answer::status);
  return found == answers.end() ? nullptr : &*found;
}

const PathParameter* Operation::parameter(std::string_view name) const {
  const auto found = std::ranges::find(parameters, name, &PathParameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

std::vector<Operation> read_operations(Files& files, Compiler& compiler, Problems& problems) {
  return Reader(files, compiler, problems).read(Place{} / "paths");
}

}  // namespace acceptd::schema
