#include "types/declared/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "schema/node.hpp"
#include "types/declared/path.hpp"

namespace acceptd::types::declared {

namespace {

using engine::Answered;
using model::to_lower;
using schema::Operation;
using schema::Schema;

/// An operation with what its path names.
struct Placed {
  const Operation* operation;
  Path path;
  std::string file;
};

/// What the documents of one API version say of one type.
struct Draft {
  std::string name, parent_key;
  std::map<std::string, Placed> methods;  ///< of …/{type}/{name}, by method
  std::map<std::string, Placed> actions;  ///< by lower-case name
  std::set<std::string> fixed_names;
  bool any_name = false;
  bool in_group = false, in_subscription = false, list = false, list_subscription = false;
};
using Drafts = std::map<std::string, Draft>;

const Schema* body_of(const Operation& operation, std::initializer_list<std::string_view> statuses) {
  for (const std::string_view status : statuses)
    if (const schema::Answer* answer = operation.answer(status); answer && answer->body) return answer->body;
  return nullptr;
}

bool runs_long(const Operation& operation) { return operation.long_running || operation.answer("202"); }

/// Whether callers must send the member; parts of the schema say it as well.
bool requires_member(const Schema& schema, std::string_view name) {
  return std::ranges::find(schema.required, name) != schema.required.end() ||
         std::ranges::any_of(schema.all_of, [&](const Schema* part) { return requires_member(*part, name); });
}

class Describer {
 public:
  Describer(Description& description, std::vector<Finding>& problems) : description_(description), problems_(problems) {}

  void run() {
    std::set<std::string> versions;
    for (const Source& source : description_.sources) versions.insert(source.api_version);
    for (const std::string& version : versions) read_version(version);
    for (auto& [key, type] : types_) description_.types.push_back(std::move(type));
    if (description_.types.empty() && problems_.empty())
      problems_.push_back({.reason = fmt::format("the documents describe no resource type of {}", description_.provider)});
    std::ranges::sort(description_.notes);
    const auto again = std::ranges::unique(description_.notes);
    description_.notes.erase(again.begin(), again.end());
  }

 private:
  void note(const Placed& at, std::string reason) {
    description_.notes.push_back({at.file, at.operation->pointer, std::move(reason)});
  }

  void read_version(const std::string& version) {
    Drafts drafts;
    std::vector<Placed> collections;
    for (const Source& source : description_.sources) {
      if (source.api_version != version) continue;
      for (const schema::Problem& problem : source.document.notes())
        description_.notes.push_back({problem.file.empty() ? source.file : problem.file, problem.pointer, problem.reason});
      for (const Operation& operation : source.document.operations()) place(source, operation, drafts, collections);
    }
    for (const Placed& one : collections) read_collection(one, drafts);
    // Keys of parents are beginnings of their children's, so parents come first.
    for (auto& [key, draft] : drafts) add_type(version, key, draft);
  }

  void place(const Source& source, const Operation& operation, Drafts& drafts, std::vector<Placed>& collections) {
    Placed placed{&operation, parse_path(operation.path, description_.provider),
                  operation.file.empty() ? source.file : operation.file};
    switch (placed.path.kind) {
      case Path::Kind::foreign: note(placed, "not served: " + placed.path.reason); break;
      case Path::Kind::built_in: name_operations(placed.path.operations_type); break;
      case Path::Kind::collection: collections.push_back(std::move(placed)); break;
      case Path::Kind::resource: read_resource(std::move(placed), drafts); break;
    }
  }

  void name_operations(const std::string& type) {
    if (to_lower(type).contains("status")) description_.statuses_type = type;
    if (to_lower(type).contains("result")) description_.results_type = type;
  }

  void read_resource(Placed placed, Drafts& drafts) {
    static constexpr std::array<std::string_view, 4> kServed{"get", "put", "patch", "delete"};
    const std::string method = placed.operation->method;
    if (method == "head") return;  // a GET without its body
    if (std::ranges::find(kServed, method) == kServed.end()) return note(placed, "not served: this method on a resource");
    const std::size_t count = placed.path.segments.size();
    Draft& draft = drafts[placed.path.type_key(description_.provider, count)];
    if (draft.name.empty()) {
      draft.name = placed.path.type_name(description_.provider, count);
      if (count > 2) draft.parent_key = placed.path.type_key(description_.provider, count - 2);
    }
    const PathSegment& name = placed.path.segments.back();
    (placed.path.in_group ? draft.in_group : draft.in_subscription) = true;
    if (name.parameter)
      draft.any_name = true;
    else
      draft.fixed_names.insert(to_lower(name.text));
    const auto known = draft.methods.find(method);
    if (known == draft.methods.end()) {
      draft.methods.emplace(method, std::move(placed));
    } else if (known->second.path.in_group == placed.path.in_group && known->second.path.segments.back().parameter &&
               name.parameter) {
      problems_.push_back({placed.file, placed.operation->pointer,
                           fmt::format("contradicts '{}': the same method on the same path", known->second.operation->path)});
    }
  }

  void read_collection(const Placed& placed, Drafts& drafts) {
    const std::string& method = placed.operation->method;
    const std::size_t count = placed.path.segments.size();
    if (method == "get") {
      const auto listed = drafts.find(placed.path.type_key(description_.provider, count));
      if (listed == drafts.end()) return note(placed, "not served: a list of what has no GET or PUT of its own");
      const bool whole_subscription = !placed.path.in_group && count == 1;
      (whole_subscription ? listed->second.list_subscription : listed->second.list) = true;
    } else if (method == "post" && count > 1) {
      const auto owner = drafts.find(placed.path.type_key(description_.provider, count - 1));
      if (owner == drafts.end()) return note(placed, "not served: an action of what has no GET or PUT of its own");
      owner->second.actions.emplace(to_lower(placed.path.segments.back().text), placed);
    } else if (method == "post") {
      note(placed, "not served: an action of no resource");
    } else if (method != "head") {
      note(placed, "not served: this method on a list");
    }
  }

  void add_type(const std::string& version, const std::string& key, const Draft& draft) {
    const Placed& any = draft.methods.begin()->second;
    const auto put = draft.methods.find("put"), get = draft.methods.find("get");
    if (put == draft.methods.end() && get == draft.methods.end()) return note(any, "not served: a type without GET and PUT");
    if (!draft.parent_key.empty()) {
      const auto parent = types_.find(draft.parent_key);
      if (parent == types_.end() || !parent->second.versions.contains(version))
        return note(any, "not served: the enclosing type has no GET or PUT of its own");
    }
    TypeShape shape;
    if (put != draft.methods.end()) shape.request = body_of_put(put->second);
    if (get != draft.methods.end()) shape.answer = body_of(*get->second.operation, {"200"});
    if (!shape.answer && put != draft.methods.end()) shape.answer = body_of(*put->second.operation, {"200", "201", "202"});
    if (!shape.answer) shape.answer = shape.request;
    if (!shape.request && put != draft.methods.end()) shape.request = shape.answer;
    if (!shape.answer) return note(any, "not served: nothing says what the resource looks like");
    if (put == draft.methods.end()) note(any, "has no PUT: none is ever there, and lists are empty");
    if (const auto patch = draft.methods.find("patch"); patch != draft.methods.end()) shape.patch = patch->second.operation->body;
    shape.verbs = verbs_of(draft);
    shape.names = names_of(draft);
    for (const auto& [name, action] : draft.actions) shape.actions.emplace(name, action_of(action));

    TypeDescription& type = types_[key];
    const Schema& body = shape.request ? *shape.request : *shape.answer;
    const auto location = body.members.find("location");
    type.name = draft.name;
    type.parent_key = draft.parent_key;
    type.in_group |= draft.in_group;
    type.in_subscription |= draft.in_subscription;
    type.tracked = location != body.members.end() && !location->second.access.read_only();
    type.location_required = type.tracked && requires_member(body, "location");
    type.versions.emplace(version, std::move(shape));
  }

  const Schema* body_of_put(const Placed& put) {
    if (!put.operation->body) note(put, "has no body in its PUT: it is taken to be what GET answers");
    return put.operation->body;
  }

  engine::Verbs verbs_of(const Draft& draft) {
    engine::Verbs verbs;
    const auto has = [&](const char* method) { return draft.methods.contains(method); };
    verbs.get.offered = has("get");
    verbs.list.offered = draft.list;
    verbs.list_subscription.offered = draft.list_subscription;
    verbs.put.offered = has("put");
    if (verbs.put.offered) {
      const Operation& put = *draft.methods.at("put").operation;
      const bool only_accepts = !put.answer("200") && !put.answer("201");
      verbs.put.answered = !runs_long(put) ? Answered::when_done : only_accepts ? Answered::as_accepted : Answered::as_resource;
      verbs.put.tells_created = put.answer("201");
    }
    verbs.patch.offered = has("patch");
    if (verbs.patch.offered) verbs.patch.answered = accepted_or_done(draft.methods.at("patch"));
    verbs.remove.offered = has("delete");
    if (verbs.remove.offered) verbs.remove.answered = accepted_or_done(draft.methods.at("delete"));
    return verbs;
  }

  Answered accepted_or_done(const Placed& placed) {
    if (placed.operation->answer("202")) return Answered::as_accepted;
    if (placed.operation->long_running) note(placed, "runs long and has no answer 202: callers wait for its end");
    return Answered::when_done;
  }

  ActionShape action_of(const Placed& placed) {
    const Operation& operation = *placed.operation;
    ActionShape action{.name = placed.path.segments.back().text,
                       .parameters = operation.body,
                       .answered = accepted_or_done(placed),
                       .answers_body = body_of(operation, {"200"}) != nullptr};
    if (action.answers_body && action.answered == Answered::as_accepted && operation.final_state_via == "azure-async-operation")
      note(placed, "the result of this action is at its Location, not in the status of its operation");
    return action;
  }

  NameRule names_of(const Draft& draft) {
    NameRule rule;
    if (!draft.any_name) rule.allowed = draft.fixed_names;
    for (const auto& [method, placed] : draft.methods) {
      const PathSegment& segment = placed.path.segments.back();
      const schema::PathParameter* says = segment.parameter ? placed.operation->parameter(segment.text) : nullptr;
      if (!says) continue;
      if (says->length_least) rule.length_least = says->length_least;
      if (says->length_most) rule.length_most = says->length_most;
      for (const std::string& name : says->allowed) rule.allowed.insert(to_lower(name));
      if (says->pattern.empty()) continue;
      re2::RE2::Options quiet;
      quiet.set_log_errors(false);
      auto pattern = std::make_shared<re2::RE2>(says->pattern, quiet);
      if (pattern->ok())
        rule.pattern = std::move(pattern);
      else
        note(placed, fmt::format("not checked: the pattern of the names: {}", pattern->error()));
    }
    if (!rule.allowed.empty()) rule.allowed.insert(draft.fixed_names.begin(), draft.fixed_names.end());
    return rule;
  }

  Description& description_;
  std::vector<Finding>& problems_;
  std::map<std::string, TypeDescription> types_;
};

}  // namespace

std::string to_string(const Finding& finding) {
  std::string out = finding.file;
  if (!finding.pointer.empty()) out += "#" + finding.pointer;
  return out.empty() ? finding.reason : out + ": " + finding.reason;
}

bool NameRule::allows(std::string_view name) const {
  if (!allowed.empty()) return allowed.contains(to_lower(name));
  if (length_least && name.size() < *length_least) return false;
  if (length_most && name.size() > *length_most) return false;
  return !pattern || re2::RE2::PartialMatch(name, *pattern);
}

const TypeDescription* Description::type(std::string_view key) const {
  const auto found = std::ranges::find(types, key, &TypeDescription::key);
  return found == types.end() ? nullptr : &*found;
}

Description describe(std::string provider, std::vector<Source> sources, std::vector<Finding>& problems) {
  Description description{.provider = std::move(provider), .sources = std::move(sources)};
  Describer(description, problems).run();
  return description;
}

}  // namespace acceptd::types::declared
