/// What callers read must be what the durable state says, if that stood still while they read.

#include <fmt/format.h>

#include "simulation/workload.hpp"

namespace acceptd::simulation {

using model::ErrorKind;
using model::Result;
using model::Status;

void Workload::get(Process& process, Ask ask) {
  const auto id = *model::ResourceId::parse(ask.id);
  auto check = [this, id, caller = ask.caller,
                before = resource_as_seen(auditor_.mirror(), id)](const Result<model::Resource>& answer) {
    if (answer) callers_[caller].etags[id.key()] = answer->etag;
    if (!answer && answer.error().kind != ErrorKind::not_found) return;
    if (resource_as_seen(auditor_.mirror(), id) != before) return;
    if (answer.has_value() != before.exists)
      return world_.fail(fmt::format("{} {} but reads as if it {}", id.key(), before.exists ? "is there" : "is not there",
                                     answer ? "were" : "were not"));
    if (answer && answer->provisioning_state != before.status)
      world_.fail(fmt::format("{} reads {} instead of {}", id.key(), model::to_string(answer->provisioning_state),
                              model::to_string(before.status)));
  };
  pass<model::Resource>(process, std::move(ask), process.engine().get(id), std::move(check));
}

void Workload::list(Process& process, Ask ask) {
  engine::ListRequest request{.subscription = ask.subscription, .limit = 1000};
  const auto visible = [this, subscription = ask.subscription] {
    std::map<std::string, Seen> seen;
    for (const std::string& text : resources_) {
      const auto id = *model::ResourceId::parse(text);
      if (id.subscription() == subscription) seen.emplace(id.key(), resource_as_seen(auditor_.mirror(), id));
    }
    return seen;
  };
  auto check = [this, visible, before = visible()](const Result<engine::ResourcePage>& answer) {
    if (!answer || visible() != before) return;
    std::map<std::string, Status> listed;
    for (const model::Resource& resource : answer->resources) listed.emplace(resource.id.key(), resource.provisioning_state);
    for (const auto& [key, seen] : before) {
      const auto found = listed.find(key);
      if ((found != listed.end()) != seen.exists) return world_.fail(key + " is listed wrongly");
      if (seen.exists && found->second != seen.status) return world_.fail(key + " is listed in a wrong state");
    }
  };
  pass<engine::ResourcePage>(process, std::move(ask), process.engine().list(std::move(request)), std::move(check));
}

void Workload::check_status(const Ask& ask, const Asked& asked, const Result<model::Operation>& answer) {
  CallerState& caller = callers_[ask.caller];
  const auto known = std::ranges::find(caller.operations, *ask.operation, &Known::key);
  if (!answer && answer.error().kind != ErrorKind::not_found) return;
  const std::string name = "operation " + model::to_string(ask.operation->id);
  if (answer) {
    if (answer->expires_at && *answer->expires_at <= asked.at) return world_.fail(name + " was served after its time");
    if (asked.ended && *asked.ended != answer->status)
      return world_.fail(
          fmt::format("{} read {} and now {}", name, model::to_string(*asked.ended), model::to_string(answer->status)));
    if (!answer->active()) known->ended = answer->status;
  }
  const Seen& before = asked.seen;
  if (operation_as_seen(auditor_.mirror(), *ask.operation, caller.identity) != before) return;
  if (answer.has_value() != before.exists)
    return world_.fail(name + (before.exists ? " is not found" : " is found though it is not there"));
  if (answer && answer->status != before.status)
    world_.fail(
        fmt::format("{} reads {} instead of {}", name, model::to_string(answer->status), model::to_string(before.status)));
}

void Workload::status(Process& process, Ask ask) {
  const engine::Caller& identity = callers_[ask.caller].identity;
  const model::Key key = *ask.operation;
  const auto known = std::ranges::find(callers_[ask.caller].operations, key, &Known::key);
  Asked asked{.seen = operation_as_seen(auditor_.mirror(), key, identity), .ended = known->ended, .at = world_.now()};
  auto check = [this, ask, asked = std::move(asked)](const Result<model::Operation>& answer) {
    check_status(ask, asked, answer);
  };
  pass<model::Operation>(process, std::move(ask), process.engine().operation(key.partition, key.id, identity), std::move(check));
}

void Workload::operations(Process& process, Ask ask) {
  const engine::Caller identity = callers_[ask.caller].identity;
  const engine::OperationFilter filter{.subscription = ask.subscription, .limit = 1000};
  auto check = [this, identity](const Result<engine::OperationPage>& answer) {
    if (!answer) return;
    for (const model::Operation& op : answer->operations)
      if (op.exposed != model::Identity{identity.tenant, identity.client})
        world_.fail("operation " + model::to_string(op.id) + " is listed to somebody who may not read it");
  };
  pass<engine::OperationPage>(process, std::move(ask), process.engine().operations(filter, identity), std::move(check));
}

void Workload::subscription_read(Process& process, Ask ask) {
  const EntryPtr before = auditor_.mirror().find(model::subscription_key(ask.subscription));
  auto check = [this, before, id = ask.subscription](const Result<model::Subscription>& answer) {
    if (auditor_.mirror().find(model::subscription_key(id)) != before) return;
    if (answer && (!before || answer->state != model::subscription_from(*before->document)->state))
      world_.fail("subscription " + id + " reads wrongly");
    if (!answer && answer.error().kind == ErrorKind::not_found && before) world_.fail("subscription " + id + " is not found");
  };
  auto read = process.engine().get_subscription(ask.subscription);
  pass<model::Subscription>(process, std::move(ask), std::move(read), std::move(check));
}

namespace {
runtime::Task<Result<bool>> waited(runtime::Task<void> task) {
  co_await std::move(task);
  co_return true;
}
}  // namespace

void Workload::wait(Process& process, Ask ask) {
  const model::Key key = *ask.operation;
  const EntryPtr entry = auditor_.mirror().find(key);
  const model::Etag seen = entry ? entry->document->etag : "";
  auto check = [](const Result<bool>&) {};  // that it ends at all is checked at the end: no caller may hang
  pass<bool>(process, std::move(ask), waited(process.engine().wait_for_change(key, seen, 30s)), std::move(check));
}

void Workload::result(Process& process, Ask ask) {
  const model::Operation* op = auditor_.mirror().operation(*ask.operation);
  if (!op) return again_or_next(std::move(ask));
  auto check = [this, expected = op->internal_id](const Result<boost::json::value>& answer) {
    if (answer && answer->at("secret").as_string() != expected) world_.fail("somebody else's credential was handed out");
  };
  pass<boost::json::value>(process, std::move(ask), process.engine().action_result(*op), std::move(check));
}

}  // namespace acceptd::simulation
