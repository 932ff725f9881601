#include "model/lifecycle.hpp"

#include <gtest/gtest.h>

namespace acceptd::model {
namespace {

using namespace std::chrono_literals;

constexpr const char* kCluster = "/subscriptions/s/resourceGroups/rg/providers/Ns.X/clusters/c";
const Time kStart{std::chrono::sys_days{std::chrono::year{2026} / 1 / 5}};
const Retention kWeek{std::chrono::hours(7 * 24)};

Resource cluster(Status state) {
  Resource resource;
  resource.id = *ResourceId::parse(kCluster);
  resource.provisioning_state = state;
  resource.internal_id = "/clusters/1";
  return resource;
}

Operation create_op() {
  Operation op;
  op.id = uuid_of_name("op");
  op.target = *ResourceId::parse(kCluster);
  op.start = op.last_transition = kStart;
  op.deadline = kStart + 60min;
  return op;
}

// ---- refusals

TEST(RefuseWrite, AnActiveOperationRefusesWithTheStateQuoted) {
  Resource resource = cluster(Status::provisioning);
  resource.active_operation = uuid_of_name("other");
  const auto refusal = refuse_write(&resource, nullptr);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->kind, ErrorKind::conflict);
  EXPECT_EQ(refusal->message, "Cannot update resource while resource is \"provisioning\"");
  EXPECT_EQ(refusal->target, kCluster);
}

TEST(RefuseWrite, FailedIsTerminalAndDoesNotBlock) {
  const Resource resource = cluster(Status::failed);
  EXPECT_FALSE(refuse_write(&resource, nullptr));
}

TEST(RefuseWrite, AChildWaitsForItsParent) {
  for (const auto [state, text] : {std::pair{Status::accepted, "accepted"}, std::pair{Status::provisioning, "provisioning"},
                                   std::pair{Status::deleting, "deleting"}}) {
    Resource parent = cluster(state);
    parent.active_operation = uuid_of_name("other");
    const auto refusal = refuse_write(nullptr, &parent);
    ASSERT_TRUE(refusal) << text;
    EXPECT_EQ(refusal->message, std::string("Cannot create resource while parent resource is ") + text);
  }
  const Resource ready = cluster(Status::succeeded);
  EXPECT_FALSE(refuse_write(nullptr, &ready));
}

TEST(RefuseWrite, AParentThatHasNothingAtTheBackendTakesNoChildren) {
  Resource parent = cluster(Status::failed);
  parent.internal_id.clear();
  EXPECT_TRUE(refuse_write(nullptr, &parent));
}

TEST(RefuseAction, AnExclusiveActionBlocksWithRetryAfter) {
  Resource resource = cluster(Status::succeeded);
  resource.exclusive_action = uuid_of_name("revoke");
  const auto refusal =
      refuse_action(resource, "request credential", "Cannot request credential while credentials are being revoked");
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->message, "Cannot request credential while credentials are being revoked");
  EXPECT_EQ(refusal->retry_after, std::chrono::seconds(10));
}

struct SubscriptionCase {
  const char* state;
  Verb verb;
  const char* code;  ///< "" = allowed
};
void PrintTo(const SubscriptionCase& one, std::ostream* out) {
  *out << one.state << " " << (one.verb == Verb::read ? "read" : one.verb == Verb::remove ? "remove" : "write or action");
}
class SubscriptionStates : public testing::TestWithParam<SubscriptionCase> {};
TEST_P(SubscriptionStates, DecideWhatIsAllowed) {
  const auto& [state, verb, code] = GetParam();
  const Subscription subscription{.id = "s", .state = state};
  const auto refusal = refuse_for_subscription(&subscription, "s", verb);
  EXPECT_EQ(refusal ? refusal->code : "", code);
}
INSTANTIATE_TEST_SUITE_P(Model, SubscriptionStates,
                         testing::Values(SubscriptionCase{"Registered", Verb::write, ""},
                                         SubscriptionCase{"Registered", Verb::remove, ""},
                                         SubscriptionCase{"Warned", Verb::read, ""}, SubscriptionCase{"Warned", Verb::remove, ""},
                                         SubscriptionCase{"Warned", Verb::write, "InvalidSubscriptionState"},
                                         SubscriptionCase{"Suspended", Verb::action, "InvalidSubscriptionState"},
                                         SubscriptionCase{"Suspended", Verb::remove, ""},
                                         SubscriptionCase{"Unregistered", Verb::read, ""},
                                         SubscriptionCase{"Unregistered", Verb::remove, "InvalidSubscriptionState"},
                                         SubscriptionCase{"Deleted", Verb::write, "InvalidSubscriptionState"}));

// ---- ETags: the cells of ARM-101 to ARM-110

struct EtagCase {
  const char *if_match, *if_none_match, *etag;
  RequestKind request;
  bool holds;
};
void PrintTo(const EtagCase& one, std::ostream* out) {
  *out << (one.request == RequestKind::remove ? "delete" : "put") << " if_match '" << one.if_match << "' if_none_match '"
       << one.if_none_match << "' etag '" << one.etag << "'";
}
class EtagTable : public testing::TestWithParam<EtagCase> {};
TEST_P(EtagTable, Cell) {
  const auto& [if_match, if_none_match, etag, request, holds] = GetParam();
  EXPECT_EQ(precondition_holds({if_match, if_none_match}, etag, request), holds);
}
constexpr auto kPut = RequestKind::update;
constexpr auto kDelete = RequestKind::remove;
INSTANTIATE_TEST_SUITE_P(Model, EtagTable,
                         testing::Values(EtagCase{"", "", "", kPut, true}, EtagCase{"", "", "e", kPut, true},
                                         EtagCase{"*", "", "", kPut, false}, EtagCase{"*", "", "e", kPut, true},
                                         EtagCase{"e", "", "", kPut, false}, EtagCase{"e", "", "e", kPut, true},
                                         EtagCase{"x", "", "e", kPut, false}, EtagCase{"", "*", "", kPut, true},
                                         EtagCase{"", "*", "e", kPut, false}, EtagCase{"*", "", "", kDelete, true},
                                         EtagCase{"x", "", "", kDelete, true}, EtagCase{"x", "", "e", kDelete, false},
                                         EtagCase{"e", "", "e", kDelete, true}, EtagCase{"*", "", "e", kDelete, true}));

// ---- transitions

TEST(Transition, HCP_015_LastTransitionTimeMovesOnlyWithTheStatus) {
  Operation op = create_op();
  ASSERT_TRUE(transition(op, Status::provisioning, kStart + 1s, kWeek));
  EXPECT_EQ(op.last_transition, kStart + 1s);
  EXPECT_FALSE(transition(op, Status::provisioning, kStart + 2s, kWeek));
  EXPECT_EQ(op.last_transition, kStart + 1s);
}

TEST(Transition, AnEndSetsTheExpiryOnceAndForAll) {
  Operation op = create_op();
  fail(op, Error{.code = "X", .message = "y"}, kStart + 1s, kWeek);
  EXPECT_EQ(op.expires_at, kStart + 1s + kWeek.finished);
  EXPECT_EQ(op.stage, Stage::done);
  supersede(op, kStart + 2s, kWeek);
  EXPECT_EQ(op.status, Status::failed);
  EXPECT_EQ(op.error->code, "X");
  EXPECT_EQ(op.expires_at, kStart + 1s + kWeek.finished);
}

TEST(Transition, HCP_005_ASupersededOperationSaysSo) {
  Operation op = create_op();
  supersede(op, kStart + 1s, kWeek);
  EXPECT_EQ(op.status, Status::canceled);
  ASSERT_TRUE(op.error);
  EXPECT_EQ(op.error->code, "Canceled");
  EXPECT_EQ(op.error->message, "This operation was superseded by another");
}

TEST(Settle, ARM_136_AFailedUpdateGivesBackAllThatItReplaced) {
  Resource resource = cluster(Status::succeeded);
  resource.desired = {{"size", 1}};
  resource.tags = {{"a", "b"}};
  resource.identity = {{"type", "None"}};
  resource.system_data = {{"lastModifiedBy", "alice"}};
  resource.api_version = "2024-01-01";
  const Resource before = resource;
  Operation op = create_op();
  op.request = RequestKind::update;
  op.desired = {{"size", 2}};
  op.desired_tags = {{"c", "d"}};
  op.desired_identity = {{"type", "UserAssigned"}};
  op.desired_system_data = {{"lastModifiedBy", "bob"}};
  op.api_version = "2025-01-01";
  resource.active_operation = op.id;
  apply_desired(resource, op);
  EXPECT_EQ(resource.desired.at("size"), 2);
  EXPECT_EQ(resource.tags.at("c"), "d");
  const auto stored = resource_from(to_document(resource));
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->previous, resource.previous);
  fail(op, Error{.code = "X", .message = "y"}, kStart + 1s, kWeek);
  settle(resource, op);
  EXPECT_EQ(resource.desired, before.desired);
  EXPECT_EQ(resource.tags, before.tags);
  EXPECT_EQ(resource.identity, before.identity);
  EXPECT_EQ(resource.system_data, before.system_data);
  EXPECT_EQ(resource.api_version, before.api_version);
  EXPECT_FALSE(resource.previous);
  EXPECT_FALSE(resource.active_operation);
  EXPECT_EQ(resource.provisioning_state, Status::failed);
}

TEST(Settle, AnOperationThatIsNotTheActiveOneChangesNothing) {
  Resource resource = cluster(Status::deleting);
  resource.active_operation = uuid_of_name("delete");
  Operation op = create_op();
  fail(op, Error{.code = "X", .message = "y"}, kStart + 1s, kWeek);
  settle(resource, op);
  EXPECT_EQ(resource.provisioning_state, Status::deleting);
  EXPECT_EQ(resource.active_operation, uuid_of_name("delete"));
}

// ---- deadlines

TEST(Deadline, HCP_007_IsPausedWhileTheBackendIsUnreachableUpToACap) {
  Operation op = create_op();
  const Duration cap = 24h;
  EXPECT_EQ(effective_deadline(op, kStart + 5min, cap), kStart + 60min);
  ASSERT_TRUE(mark_unreachable(op, kStart + 10min));
  EXPECT_FALSE(mark_unreachable(op, kStart + 11min));
  EXPECT_EQ(effective_deadline(op, kStart + 40min, cap), kStart + 90min);
  EXPECT_EQ(effective_deadline(op, kStart + 100h, cap), kStart + 60min + 24h);
  ASSERT_TRUE(mark_reachable(op, kStart + 40min, cap));
  EXPECT_EQ(op.deadline, kStart + 90min);
  EXPECT_EQ(op.paused, 30min);
  ASSERT_TRUE(mark_unreachable(op, kStart + 41min));
  EXPECT_EQ(effective_deadline(op, kStart + 1000h, cap), kStart + 90min + (24h - 30min));
}

TEST(PollInterval, IsFastAfterAChangeAndBacksOffWithJitter) {
  EXPECT_EQ(poll_interval(0s, 1s, 10s, 0.5), 1s);
  EXPECT_EQ(poll_interval(20s, 1s, 10s, 0.5), 5s);
  EXPECT_EQ(poll_interval(1h, 1s, 10s, 0.5), 10s);
  EXPECT_EQ(poll_interval(1h, 1s, 10s, 0.0), 8s);
}

// ---- documents

TEST(Documents, AResourceReadsBackAsItWas) {
  Resource resource = cluster(Status::updating);
  resource.active_operation = uuid_of_name("op");
  resource.desired = {{"a", 1}};
  resource.previous = Former{.desired = {{"a", 0}}, .tags = {{"t", "u"}}, .api_version = "1"};
  resource.tags = {{"k", "v"}};
  resource.incarnation = uuid_of_name("inc");
  resource.created = kStart;
  resource.uncertain_until = kStart + 30s;
  resource.subtree_deleting = true;
  const Document document = to_document(resource);
  EXPECT_EQ(document.index.path, to_lower(kCluster));
  const auto read = resource_from(document);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_document(*read).body, document.body);
}

TEST(Documents, AnOperationReadsBackAsItWas) {
  Operation op = create_op();
  op.partition = "s";
  op.request = RequestKind::action;
  op.action = "RequestCredential";
  op.initiator = {"t", "c"};
  op.operation_path = "/path";
  op.deadline = kStart + 15min;
  op.paused = 3s;
  op.attempts = 2;
  fail(op, Error{.code = "X", .message = "y", .details = {Error{.code = "Z", .message = "w"}}}, kStart + 1s, kWeek);
  const Document document = to_document(op);
  EXPECT_FALSE(document.index.active);
  EXPECT_EQ(document.index.error_code, "X");
  EXPECT_EQ(document.expires_at, op.expires_at);
  const auto read = operation_from(document);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_document(*read).body, document.body);
  EXPECT_EQ(read->operation_path, "/path");
  EXPECT_FALSE(read->exposed);
}

TEST(Documents, WhatIsNoResourceIsAnErrorNotACrash) {
  Document document = to_document(cluster(Status::succeeded));
  for (const char* body : {"", "[]", "{}", R"({"resourceId":1})", R"({"resourceId":"/x","provisioningState":"Succeeded"})"}) {
    document.body = body;
    EXPECT_FALSE(resource_from(document)) << body;
    EXPECT_FALSE(operation_from(document)) << body;
  }
}

}  // namespace
}  // namespace acceptd::model
