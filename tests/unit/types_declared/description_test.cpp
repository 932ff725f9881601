// From the paths of descriptions to resource types.

#include <gmock/gmock.h>

#include "support.hpp"
#include "types/declared/path.hpp"

namespace acceptd::types::declared {
namespace {

using engine::Answered;
using testing::document;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::source;
using Paths = std::vector<std::pair<std::string, std::string>>;

const std::string kBody = "{'in': 'body', 'name': 'b', 'schema': {'$ref': '#/definitions/Kite'}}";
const std::string kAnswer = "{'schema': {'$ref': '#/definitions/Kite'}}";
const std::string kKite =
    "'Kite': {'required': ['location'], 'properties': {'location': {'type': 'string'}, 'properties': {'type': 'object',"
    " 'properties': {'size': {'type': 'integer'}}}}}";
const std::string kGet = "'get': {'responses': {'200': " + kAnswer + "}}";

std::string put(const std::string& answers, bool runs_long) {
  return fmt::format("'put': {{'parameters': [{}], 'x-ms-long-running-operation': {}, 'responses': {{{}}}}}", kBody, runs_long,
                     answers);
}

struct Read {
  Description description;
  std::vector<Finding> problems;
  std::vector<std::string> notes() const {
    std::vector<std::string> out;
    for (const Finding& note : description.notes)
      out.push_back(note.pointer.substr(note.pointer.rfind('/') + 1) + ": " + note.reason);
    return out;
  }
};

Read read(const Paths& paths, const std::string& definitions = kKite) {
  Read out;
  std::vector<Source> sources;
  sources.push_back(source("2025-01-01", document(paths, definitions)));
  out.description = describe("Contoso.Air", std::move(sources), out.problems);
  return out;
}

const TypeShape& only(const Read& read) { return read.description.types.at(0).versions.at("2025-01-01"); }

TEST(Path, NamesWhatArmNames) {
  const auto kind = [](std::string_view path) { return parse_path(path, "Contoso.Air").kind; };
  const std::string group(testing::kGroupPath), subscription(testing::kSubscriptionPath);
  EXPECT_EQ(kind(group + "/kites/{k}"), Path::Kind::resource);
  EXPECT_EQ(kind(group + "/kites/{k}/tails/default/"), Path::Kind::resource);
  EXPECT_EQ(kind(subscription + "/kites/{k}"), Path::Kind::resource);
  EXPECT_EQ(kind(group + "/kites/"), Path::Kind::collection);
  EXPECT_EQ(kind(group + "/kites/{k}/fly"), Path::Kind::collection);
  EXPECT_EQ(kind("/providers/contoso.air/operations"), Path::Kind::built_in);
  EXPECT_EQ(kind(subscription + "/checkNameAvailability"), Path::Kind::built_in);
  EXPECT_EQ(kind(subscription + "/locations/{l}/checkNameAvailability"), Path::Kind::built_in);
  EXPECT_EQ(parse_path(subscription + "/locations/{l}/kiteOperationStatuses/{o}", "Contoso.Air").operations_type,
            "kiteOperationStatuses");
  for (const std::string path : {"/kites/{k}", "/{scope}/providers/Contoso.Air/kites/{k}", "/providers/Contoso.Air/kites/{k}"})
    EXPECT_EQ(kind(path), Path::Kind::foreign) << path;
  for (const std::string rest : {"/locations/{l}/kites", "/{type}/{name}", "/kites/{k}/{what}", "/kites/{k}/providers/B/c/{d}"})
    EXPECT_EQ(kind(group + rest), Path::Kind::foreign) << rest;
  EXPECT_EQ(kind("/subscriptions/{s}/providers/Contoso.Water/boats/{b}"), Path::Kind::foreign);
}

TEST(Description, FindsTypesTheirListsAndActions) {
  const Read found = read({{"~/kites/{k}", "{" + kGet + ", " + put("'200': " + kAnswer + ", '201': " + kAnswer, true) +
                                               ", 'patch': {'responses': {'202': {}}}, 'delete': {'responses': {'202': {}}}}"},
                           {"~/kites", "{'get': {'responses': {}}}"},
                           {"^/kites", "{'get': {'responses': {}}}"},
                           {"~/kites/{k}/fly", "{'post': {'responses': {'202': {}, '200': {'schema': {'type': 'object'}}}}}"},
                           {"~/kites/{k}/tails/{t}", "{" + kGet + "}"}});
  EXPECT_THAT(found.problems, IsEmpty());
  ASSERT_EQ(found.description.types.size(), 2U);
  const TypeDescription& kites = found.description.types[0];
  EXPECT_EQ(kites.name, "Contoso.Air/kites");
  EXPECT_TRUE(kites.in_group && !kites.in_subscription && kites.tracked && kites.location_required);
  const engine::Verbs& verbs = only(found).verbs;
  EXPECT_TRUE(verbs.get.offered && verbs.put.offered && verbs.patch.offered && verbs.remove.offered);
  EXPECT_TRUE(verbs.list.offered && verbs.list_subscription.offered && verbs.put.tells_created);
  EXPECT_EQ(verbs.put.answered, Answered::as_resource);
  EXPECT_EQ(verbs.patch.answered, Answered::as_accepted);
  const ActionShape& fly = only(found).actions.at("fly");
  EXPECT_EQ(fly.answered, Answered::as_accepted);
  EXPECT_TRUE(fly.answers_body);
  EXPECT_EQ(found.description.types[1].parent_key, "contoso.air/kites");
  EXPECT_THAT(found.notes(), ElementsAre(HasSubstr("has no PUT")));
}

TEST(Description, TheAnswersOfADocumentSayHowCallersAreAnswered) {
  const auto put_of = [](const std::string& answers, bool runs_long) {
    return only(read({{"~/kites/{k}", "{" + kGet + ", " + put(answers, runs_long) + "}"}})).verbs.put;
  };
  EXPECT_EQ(put_of("'200': " + kAnswer, false).answered, Answered::when_done);
  EXPECT_FALSE(put_of("'200': " + kAnswer, false).tells_created);
  EXPECT_EQ(put_of("'202': {}", false).answered, Answered::as_accepted);
  EXPECT_EQ(put_of("'200': " + kAnswer + ", '202': {}", true).answered, Answered::as_resource);
  const Read old = read({{"~/kites/{k}", "{" + kGet +
                                             ", 'delete': {'x-ms-long-running-operation': true, 'responses': {'200': {}}},"
                                             " 'patch': {'x-ms-long-running-operation': true, 'responses': {'200': " +
                                             kAnswer + "}}}"}});
  EXPECT_EQ(only(old).verbs.remove.answered, Answered::when_done);
  EXPECT_EQ(only(old).verbs.patch.answered, Answered::when_done) << "only a PUT names its operation beside a resource";
  EXPECT_THAT(old.notes(), ::testing::Contains(HasSubstr("delete: runs long and has no answer 202")));
  EXPECT_THAT(old.notes(), ::testing::Contains(HasSubstr("patch: runs long and has no answer 202")));
}

TEST(Description, SaysWhatItDoesNotServeAndWhere) {
  const std::string good = "{" + kGet + "}";
  EXPECT_THAT(read({{"~/kites/{k}", good}, {"/kites/{k}", good}}).notes(),
              ::testing::Contains("get: not served: only paths below a subscription are served"));
  EXPECT_THAT(read({{"~/kites/{k}", good}, {"~/birds", good}}).notes(),
              ::testing::Contains("get: not served: a list of what has no GET or PUT of its own"));
  EXPECT_THAT(read({{"~/kites/{k}", good}, {"^/check", "{'post': {}}"}}).notes(),
              ::testing::Contains("post: not served: an action of no resource"));
  EXPECT_THAT(read({{"~/kites/{k}", good}, {"~/birds/{b}/eggs/{e}", good}}).notes(),
              ::testing::Contains("get: not served: the enclosing type has no GET or PUT of its own"));
  EXPECT_THAT(read({{"~/kites/{k}", "{" + kGet + ", 'options': {}}"}}).notes(),
              ::testing::Contains("options: not served: this method on a resource"));
  EXPECT_THAT(read({{"~/kites/{k}", "{'delete': {}}"}}).notes(), ElementsAre("delete: not served: a type without GET and PUT"));
}

TEST(Description, NamesFollowTheParameterOrTheLiteral) {
  const Read literal = read({{"~/kites/default", "{" + kGet + "}"}});
  EXPECT_TRUE(only(literal).names.allows("Default"));
  EXPECT_FALSE(only(literal).names.allows("other"));
  const Read rule =
      read({{"~/kites/{k}",
             "{'parameters': [{'name': 'k', 'in': 'path', 'minLength': 2, 'maxLength': 4, 'pattern': '^a'}], " + kGet + "}"}});
  EXPECT_TRUE(only(rule).names.allows("abc"));
  for (const char* name : {"a", "abcde", "bcd"}) EXPECT_FALSE(only(rule).names.allows(name)) << name;
  const Read look_ahead =
      read({{"~/kites/{k}", "{'parameters': [{'name': 'k', 'in': 'path', 'pattern': '(?=a)'}], " + kGet + "}"}});
  EXPECT_TRUE(only(look_ahead).names.allows("anything"));
  EXPECT_THAT(look_ahead.notes(), ::testing::Contains(HasSubstr("not checked: the pattern of the names")));
}

TEST(Description, OneMethodTwiceOnOnePathIsAContradiction) {
  const Read twice = read({{"~/kites/{k}", "{" + kGet + "}"}, {"~/Kites/{name}", "{" + kGet + "}"}});
  ASSERT_EQ(twice.problems.size(), 1U);
  EXPECT_THAT(twice.problems[0].reason, HasSubstr("contradicts"));
  EXPECT_THAT(twice.problems[0].pointer, HasSubstr("Kites~1{name}/get"));
}

TEST(Description, AProviderWithoutAnyTypeIsAMistake) {
  const Read nothing = read({{"/kites/{k}", "{" + kGet + "}"}});
  ASSERT_EQ(nothing.problems.size(), 1U);
  EXPECT_THAT(nothing.problems[0].reason, HasSubstr("no resource type of Contoso.Air"));
}

}  // namespace
}  // namespace acceptd::types::declared
