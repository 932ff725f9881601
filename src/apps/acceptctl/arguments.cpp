#include "arguments.hpp"

#include <CLI/CLI.hpp>

#include "http/uri.hpp"
#include "outcome.hpp"

namespace acceptd::acceptctl {
namespace {

constexpr const char* kFooter = R"(
A RESOURCE is a full resource ID, or a short form:
  /subscriptions/S/resourceGroups/G/providers/Microsoft.RedHatOpenShift/hcpOpenShiftClusters/C
  cluster C -g G -s S
  nodepool N --cluster C -g G -s S
  Namespace/type NAME -g G -s S

Exit codes: 0 done; 1 the operation ended Failed or Canceled; 2 wrong usage (op cancel, too: ARM has no such request, a delete
of the resource supersedes what runs on it); 3 not found; 4 refused or in conflict; 5 server unreachable or broken;
6 timed out (the operation goes on: acceptctl op watch); 7 conform found broken rules.)";

constexpr const char* kVersion = "acceptctl 0.1.0";

class Line {
 public:
  explicit Line(Arguments& arguments) : arguments_(arguments) {}

  /// The program's parser; the subcommands refer to `arguments_`.
  void describe(CLI::App& app) {
    app.set_version_flag("--version", kVersion);
    app.footer(kFooter);
    app.require_subcommand(1);
    app.fallthrough();
    app.add_option("--server", arguments_.server, "address of acceptd")->envname("ACCEPTD_SERVER")->capture_default_str();
    app.add_option("--api-version", arguments_.api_version, "api-version of requests")->capture_default_str();
    app.add_option("--tenant", arguments_.tenant, "tenant ID to act as (trusted callers)")->envname("ACCEPTD_TENANT");
    app.add_option("--client", arguments_.client, "object ID of the principal to act as")->envname("ACCEPTD_CLIENT");
    app.add_option_function<std::int64_t>(
           "--timeout", [this](const std::int64_t& seconds) { arguments_.timeout = std::chrono::seconds(seconds); },
           "seconds until waiting is given up (7200)")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{7 * 24 * 3600}));
    app.add_flag("--json", arguments_.json, "print the server's JSON, on one line");

    add_writes(app);
    add_reads(app);
    add_operations(app);
    add_subscriptions(app);
    add_conform(app);
  }

 private:
  CLI::App* add(CLI::App& parent, const char* name, const char* text, Command command) {
    CLI::App* sub = parent.add_subcommand(name, text);
    sub->fallthrough();
    sub->callback([this, command] { arguments_.command = command; });
    return sub;
  }
  void add_scope(CLI::App* sub) {
    sub->add_option("-s,--subscription", arguments_.subscription, "subscription ID");
    sub->add_option("-g,--resource-group", arguments_.resource_group, "resource group");
    sub->add_option("--cluster", arguments_.cluster, "cluster that holds a node pool");
  }
  CLI::App* add_on_resource(CLI::App& parent, const char* name, const char* text, Command command) {
    CLI::App* sub = add(parent, name, text, command);
    sub->add_option("RESOURCE", arguments_.words, "ID, or type and name")->required()->expected(1, 2);
    add_scope(sub);
    return sub;
  }
  void add_body(CLI::App* sub) {
    CLI::Option* file = sub->add_option("-f,--file", arguments_.file, "file with the body; - reads standard input");
    sub->add_option("--body", arguments_.body, "the body itself")->excludes(file);
  }
  void add_wait(CLI::App* sub) { sub->add_flag("--wait", arguments_.wait, "wait until the operation has ended"); }
  void add_condition(CLI::App* sub) { sub->add_option("--if-match", arguments_.if_match, "only if the etag is still this one"); }

  void add_writes(CLI::App& app) {
    for (CLI::App* sub : {add_on_resource(app, "put", "create or replace a resource", Command::put),
                          add_on_resource(app, "patch", "change a resource (JSON merge patch)", Command::patch)}) {
      add_body(sub);
      add_wait(sub);
      add_condition(sub);
    }
    CLI::App* remove = add_on_resource(app, "delete", "delete a resource and what is below it", Command::remove);
    add_wait(remove);
    add_condition(remove);
    CLI::App* action = add(app, "action", "call an action: ACTION RESOURCE", Command::action);
    action->add_option("ACTION RESOURCE", arguments_.words, "e.g. requestAdminCredential cluster NAME")
        ->required()
        ->expected(2, 3);
    add_scope(action);
    add_body(action);
    add_wait(action);
  }
  void add_reads(CLI::App& app) {
    add_on_resource(app, "get", "show a resource", Command::get);
    CLI::App* list = add(app, "list", "list the resources of a type", Command::list);
    list->add_option("TYPE", arguments_.words, "cluster, nodepool, Namespace/type, or the path of a list")
        ->required()
        ->expected(1);
    add_scope(list);
  }
  void add_operations(CLI::App& app) {
    CLI::App* op = app.add_subcommand("op", "operations: show, watch, list");
    op->require_subcommand(1);
    op->fallthrough();
    for (CLI::App* sub : {add(*op, "show", "show an operation", Command::operation_show),
                          add(*op, "watch", "follow an operation to its end", Command::operation_watch),
                          add(*op, "cancel", "explain how an operation is cancelled", Command::operation_cancel)})
      sub->add_option("OPERATION", arguments_.words, "status URL or path, or the operation's ID with -s")
          ->required()
          ->expected(1);
    add(*op, "list", "list your operations of a subscription", Command::operation_list);
    for (CLI::App* sub : op->get_subcommands({})) {
      sub->add_option("-s,--subscription", arguments_.subscription, "subscription ID");
      sub->add_option("--location", arguments_.location, "region of the operation (asked of the server if absent)");
    }
  }
  void add_subscriptions(CLI::App& app) {
    CLI::App* subscription = app.add_subcommand("subscription", "subscriptions: register, show");
    subscription->require_subcommand(1);
    subscription->fallthrough();
    for (CLI::App* sub :
         {add(*subscription, "register", "make a subscription known, state Registered", Command::subscription_register),
          add(*subscription, "show", "show a subscription", Command::subscription_show)})
      sub->add_option("SUBSCRIPTION", arguments_.words, "subscription ID")->required()->expected(1);
  }

  void add_conform(CLI::App& app) {
    CLI::App* sub = add(app, "conform", "check any ARM provider against the contract, rule by rule", Command::conform);
    sub->add_option("RESOURCE", arguments_.words, "URL or ID of a resource that does not exist: it is made, changed and deleted")
        ->required()
        ->expected(1, 2);
    add_scope(sub);
    add_body(sub);
    sub->add_option("--stranger", arguments_.stranger, "tenant ID of somebody who must not see the operations");
    sub->add_flag("--short-waits", arguments_.short_waits, "the server is set to wait less than the contract allows");
  }

  Arguments& arguments_;
};

/// A whole URL names the server and the api-version, too.
void take_url(Arguments& arguments) {
  const auto url = http::parse_url(arguments.words.front());
  if (!url) return;
  arguments.server = url->scheme + "://" + url->authority;
  arguments.words.front() = url->path;
  const auto target = http::parse_target("/?" + url->query);
  if (!target) return;
  for (const http::QueryParameter& parameter : target->query)
    if (parameter.name == "api-version") arguments.api_version = parameter.value;
}

}  // namespace

std::expected<Arguments, int> parse_arguments(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Calls acceptd as ARM's clients do, and waits for what it accepted.", "acceptctl");
  Line line(arguments);
  line.describe(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return std::unexpected(app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::usage));
  }
  if (arguments.command == Command::conform) take_url(arguments);
  return arguments;
}

}  // namespace acceptd::acceptctl
