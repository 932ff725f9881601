#include "providers/http_backend/template.hpp"

#include "fixture.hpp"
#include "http/uri.hpp"

namespace acceptd::providers::http_backend {
namespace {

using model::RequestKind;
using ::testing::HasSubstr;

std::string url(std::string_view text, const engine::Target& target) {
  const auto made = Text::compile_url(text).value().url({.target = target, .callback = {}});
  return made ? *made : "refused: " + made.error();
}

TEST(Text, NamesStandForWhatTheCallIsAbout) {
  const engine::Target update = target(RequestKind::update);
  const auto text =
      Text::compile("{id.subscription} {id.group} {id.type} {id.name} {operation} {incarnation} {internalId} {location} {{x}}");
  EXPECT_EQ(text->plain({.target = update, .callback = {}}),
            "SUB Rg widgets w1 " + std::string(kOperation) + " " + std::string(kIncarnation) + " i-7 westus3 {x}");
}

TEST(Text, SaysWhatIsWrongWithIt) {
  EXPECT_THAT(Text::compile("{name}").error(), HasSubstr("{name} stands for nothing; known: {id}, {id.name}"));
  EXPECT_THAT(Text::compile("{id.name").error(), HasSubstr("a brace without its partner"));
  EXPECT_THAT(Text::compile("id}").error(), HasSubstr("a brace without its partner"));
  EXPECT_THAT(Text::compile("/{+id.name}").error(), HasSubstr("only the backend's own ids can be paths"));
  EXPECT_THAT(Text::compile_url("widgets").error(), HasSubstr("begin with"));
  EXPECT_THAT(Text::compile_url("//evil/x").error(), HasSubstr("begin with one"));
  EXPECT_FALSE(Text::compile_url("/a/../b"));
  EXPECT_FALSE(Text::compile_url("/a b"));
  EXPECT_FALSE(Text::compile_url("/a#b"));
}

TEST(Text, NothingOfACallersTextChangesTheStructureOfAUrl) {
  for (const std::string_view name : {"a?b=c", "a#b", "a%2Fb", "a b", "a&b", "a;b", "ü"}) {
    const std::string made = url("/widgets/{id.name}/status?x={id.name}", target(RequestKind::update, name));
    const auto parsed = http::parse_target(made);
    ASSERT_TRUE(parsed) << made;
    ASSERT_EQ(parsed->segments.size(), 3u) << made;
    EXPECT_EQ(parsed->segments[1], name);
    ASSERT_EQ(parsed->query.size(), 1u);
    EXPECT_EQ(parsed->query[0].value, name);
  }
}

TEST(Text, DotsAndEmptySegmentsAreRefused) {
  engine::Target update = target(RequestKind::update);
  for (const std::string_view id : {".", "..", ""}) {
    update.internal_id = id;
    EXPECT_THAT(url("/widgets/{internalId}", update), HasSubstr("refused: ")) << id;
  }
  update.internal_id = "a/../b";
  EXPECT_EQ(url("/widgets/{internalId}", update), "/widgets/a%2F..%2Fb");
}

TEST(Text, AnEmptyValueInAQueryIsJustEmpty) {
  engine::Target create = target(RequestKind::create);
  EXPECT_EQ(url("/widgets?id={internalId}", create), "/widgets?id=");
}

TEST(Text, ABackendsIdMayBeAPathIfItIsASafeOne) {
  engine::Target update = target(RequestKind::update);
  update.internal_id = "/widgets/7";
  EXPECT_EQ(url("{+internalId}/status", update), "/widgets/7/status");
  for (const std::string_view id :
       {"http://evil/x", "//evil/x", "/a/../b", "/a?b", "/a#b", "/a\r\nX: y", "", "/a//b", "/%2e%2e/b"}) {
    update.internal_id = id;
    EXPECT_THAT(url("{+internalId}/status", update), HasSubstr("refused: ")) << id;
  }
}

TEST(Text, AHeaderHoldsNoLineBreak) {
  engine::Target update = target(RequestKind::update);
  const auto text = Text::compile("id {internalId}").value();
  EXPECT_EQ(text.header({.target = update, .callback = {}}), "id i-7");
  update.internal_id = "a\r\nX-Evil: 1";
  EXPECT_FALSE(text.header({.target = update, .callback = {}}));
}

TEST(Json, ReferencesBecomeValuesAndTextsAreFilledIn) {
  engine::Target update = target(RequestKind::update);
  update.desired = {{"size", 3}, {"a/b", json::array{1, 2}}, {"text", "{id.name} $tags"}};
  update.tags = {{"team", "x"}};
  const auto made = [&](std::string_view text) {
    const auto compiled = Json::compile(json::parse(std::string(text)), Json::Over::target).value();
    return json::serialize(compiled.make({.target = update, .callback = {}}).value());
  };
  EXPECT_EQ(made(R"({"n":"w-{id.name}","s":"$desired/size","all":["$desired/a~1b","$tags"],"l":true})"),
            R"({"n":"w-w1","s":3,"all":[[1,2],{"team":"x"}],"l":true})");
  EXPECT_EQ(made(R"({"a":"$desired/absent","b":["$tags/absent",1],"c":{"d":"$identity/type"}})"), R"({"b":[1],"c":{}})");
  EXPECT_EQ(made(R"(["$$desired","x $desired"])"), R"(["$desired","x $desired"])");
  // What a caller wrote is not read as a template.
  EXPECT_EQ(made(R"("$desired/text")"), R"("{id.name} $tags")");
}

TEST(Json, SaysWhatIsWrongWithIt) {
  EXPECT_THAT(Json::compile("$wanted", Json::Over::target).error(), HasSubstr("\"$wanted\" refers to nothing"));
  EXPECT_THAT(Json::compile("$answer/x", Json::Over::target).error(), HasSubstr("refers to nothing"));
  EXPECT_THAT(Json::compile("$desired/x", Json::Over::answer).error(), HasSubstr("known here: $answer"));
  EXPECT_THAT(Json::compile("{nam}", Json::Over::target).error(), HasSubstr("stands for nothing"));
}

TEST(Pointer, FindsTextsNumbersAndBooleans) {
  const json::value body = json::parse(R"({"a":{"b":"x"},"n":7,"t":true,"l":[{"c":"y"}],"o":{},"z":null})");
  EXPECT_EQ(Pointer::compile("/a/b")->text_in(body), "x");
  EXPECT_EQ(Pointer::compile("/n")->text_in(body), "7");
  EXPECT_EQ(Pointer::compile("/t")->text_in(body), "true");
  EXPECT_EQ(Pointer::compile("/l/0/c")->text_in(body), "y");
  EXPECT_EQ(Pointer::compile("/o")->text_in(body), std::nullopt);
  EXPECT_EQ(Pointer::compile("/z")->text_in(body), std::nullopt);
  EXPECT_EQ(Pointer::compile("/a/x/y")->text_in(body), std::nullopt);
  EXPECT_EQ(Pointer::compile("#")->find(body), &body);
  EXPECT_FALSE(Pointer::compile("status"));
  EXPECT_FALSE(Pointer::compile("/a~2"));
}

}  // namespace
}  // namespace acceptd::providers::http_backend
