/// Good exchanges give no finding; each way of breaking one gives exactly the rule that it breaks.

#include "contracts/arm/checker/checker.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace acceptd::contracts::arm::checker {
namespace {

using http::Headers;
using http::Method;

const std::string kId = "/subscriptions/5f2c5b1a-0000-4000-8000-000000000001/resourceGroups/g/providers/Contoso.Kites/kites/k";
const std::string kOperation =
    "/subscriptions/5f2c5b1a-0000-4000-8000-000000000001/providers/Contoso.Kites/locations/x/operationStatuses/o1";
const std::string kOrigin = "https://management.example";

/// An exchange with what it points at.
struct Sample {
  Subject subject = Subject::resource;
  Method method = Method::get;
  std::string path = kId;
  Headers asked;
  unsigned status = 200;
  Headers headers;
  std::string body;

  std::vector<std::string> rules() const {
    std::vector<std::string> rules;
    for (const Finding& finding : check({.subject = subject,
                                         .method = method,
                                         .path = path,
                                         .asked = asked,
                                         .status = status,
                                         .headers = headers,
                                         .body = body}))
      rules.emplace_back(finding.rule);
    return rules;
  }
};

std::string url(const std::string& path) { return kOrigin + path + "?api-version=2026-01-01"; }

Sample answer(Subject subject, Method method, unsigned status, std::string body = {}) {
  Sample sample{.subject = subject, .method = method, .status = status, .body = std::move(body)};
  sample.asked.add("referer", kOrigin + "/anything");
  sample.headers.add("x-ms-request-id", "r");
  sample.headers.add("Date", "Sat, 21 Nov 2026 10:00:00 GMT");
  if (!sample.body.empty()) sample.headers.add("Content-Type", "application/json; charset=utf-8");
  return sample;
}

std::string resource_body(const std::string& state) {
  return R"({"id":")" + kId + R"(","name":"k","type":"Contoso.Kites/kites","etag":"\"1\"","properties":{"provisioningState":")" +
         state + R"("}})";
}

Sample get() {
  Sample sample = answer(Subject::resource, Method::get, 200, resource_body("Succeeded"));
  sample.headers.add("ETag", "\"1\"");
  return sample;
}
Sample created() {
  Sample sample = answer(Subject::resource, Method::put, 201, resource_body("Accepted"));
  sample.headers.add("ETag", "\"1\"");
  sample.headers.add("Azure-AsyncOperation", url(kOperation));
  sample.headers.add("Retry-After", "10");
  return sample;
}
Sample accepted(Method method) {
  Sample sample = answer(method == Method::post ? Subject::action : Subject::resource, method, 202);
  sample.headers.add("Location", url(kOperation));
  sample.headers.add("Azure-AsyncOperation", url(kOperation));
  sample.headers.add("Retry-After", "600");
  return sample;
}
Sample list() { return answer(Subject::list, Method::get, 200, R"({"value":[],"nextLink":")" + url("/x") + R"("})"); }
Sample refused(unsigned status = 404, const std::string& code = "ResourceNotFound") {
  Sample sample = answer(Subject::resource, Method::get, status, R"({"error":{"code":")" + code + R"(","message":"m"}})");
  sample.headers.add("x-ms-error-code", code);
  return sample;
}
Sample operation(const std::string& members) {
  Sample sample = answer(Subject::operation_status, Method::get, 200,
                         R"({"id":")" + kOperation + R"(","name":"o1","startTime":"2026-01-01T00:00:00Z",)" + members + "}");
  sample.path = kOperation;
  sample.headers.add("Retry-After", "10");
  return sample;
}
Sample running() { return operation(R"("status":"Provisioning","percentComplete":12.5)"); }
Sample failed() {
  return operation(R"("status":"Failed","endTime":"2026-01-01T00:00:00.5Z","error":{"code":"C","message":"m"})");
}
Sample result(unsigned status) {
  Sample sample = answer(Subject::operation_result, Method::get, status, status == 200 ? resource_body("Succeeded") : "");
  if (status == 202) sample.headers.add("Location", url(kOperation));
  return sample;
}

TEST(Checker, GoodAnswersGiveNoFinding) {
  for (const Sample& sample : {get(), created(), accepted(Method::patch), accepted(Method::remove), accepted(Method::post),
                               list(), refused(), refused(412, "PreconditionFailed"), running(), failed(), result(200),
                               result(202), result(204), operation(R"("status":"Succeeded","properties":{})")})
    EXPECT_EQ(sample.rules(), std::vector<std::string>{}) << sample.status << " " << sample.body;
}

/// A good answer, what is done to it, and the rule that it breaks then.
struct Broken {
  std::string rule;
  std::function<Sample()> good;
  std::function<void(Sample&)> spoil;
};

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}
Headers without(const Headers& headers, std::string_view name) {
  Headers kept;
  for (const auto& [key, value] : headers.all())
    if (key != name) kept.add(key, value);
  return kept;
}
std::function<void(Sample&)> drop(const std::string& name) {
  return [name](Sample& sample) { sample.headers = without(sample.headers, name); };
}
std::function<void(Sample&)> set(const std::string& name, const std::string& value) {
  return [name, value](Sample& sample) { sample.headers.set(name, value); };
}
std::function<void(Sample&)> edit(const std::string& from, const std::string& to) {
  return [from, to](Sample& sample) { replace(sample.body, from, to); };
}

const std::vector<Broken>& broken() {
  static const std::vector<Broken> all{
      {"ARM-001", get, drop("x-ms-request-id")},
      {"ARM-002", get, drop("Date")},
      {"ARM-003", get, set("Content-Type", "text/html")},
      {"ARM-005", get, [](Sample& sample) { sample.headers.add("x-ms-client-request-id", "c"); }},
      {"ARM-005", get,
       [](Sample& sample) {
         sample.asked.add("x-ms-client-request-id", "c");
         sample.asked.add("x-ms-return-client-request-id", "true");
       }},
      {"ARM-011", created, set("Azure-AsyncOperation", "https://inside.example" + kOperation + "?api-version=1")},
      {"ARM-033", created, set("Azure-AsyncOperation", kOrigin + kOperation)},
      {"ARM-040", [] { return refused(); }, edit("message", "text")},
      {"ARM-041", [] { return refused(); },
       [](Sample& sample) {
         replace(sample.body, "ResourceNotFound", "resource_not_found");
         sample.headers.set("x-ms-error-code", "resource_not_found");
       }},
      {"ARM-044", [] { return refused(); }, set("x-ms-error-code", "Another")},
      {"ARM-053", get, edit("\"name\":\"k\"", "\"name\":\"K2\"")},
      {"ARM-053", get, edit("/kites/k\"", "/kites/other\"")},
      {"ARM-083", get,
       [](Sample& sample) {
         sample.method = Method::remove;
         sample.headers = without(sample.headers, "ETag");
       }},
      {"ARM-090", list, edit("\"value\":[]", "\"items\":[]")},
      {"ARM-093", list, edit(kOrigin, "")},
      {"ARM-094", list, edit(url("/x"), "")},
      {"ARM-100", get, set("ETag", "\"2\"")},
      {"ARM-100", get, drop("ETag")},
      {"ARM-111", [] { return refused(412, "PreconditionFailed"); },
       [](Sample& sample) {
         replace(sample.body, "PreconditionFailed", "Conflict");
         sample.headers.set("x-ms-error-code", "Conflict");
       }},
      {"ARM-120", created, set("Retry-After", "9")},
      {"ARM-120", created, set("Retry-After", "601")},
      {"ARM-120", created, set("Retry-After", "Sat, 21 Nov 2026 10:00:00 GMT")},
      {"ARM-121", [] { return accepted(Method::patch); }, set("Location", kOperation)},
      {"ARM-122", created, set("Azure-AsyncOperation", kOperation)},
      {"ARM-140", created, edit("provisioningState", "state")},
      {"ARM-142", created, edit("Accepted", "Succeeded")},
      {"ARM-150", [] { return accepted(Method::patch); }, drop("Location")},
      {"ARM-152", [] { return accepted(Method::remove); }, drop("Location")},
      {"ARM-154", [] { return accepted(Method::post); }, drop("Location")},
      {"ARM-155", [] { return accepted(Method::patch); },
       [](Sample& sample) {
         sample.body = "{}";
         sample.headers.add("Content-Type", "application/json");
       }},
      {"ARM-160", [] { return result(202); }, drop("Location")},
      {"ARM-161", [] { return result(200); }, set("Location", url(kOperation))},
      {"ARM-164", [] { return result(200); }, edit("Succeeded", "Updating")},
      {"ARM-170", running, [](Sample& sample) { sample.status = 202; }},
      {"ARM-172", running, edit("\"status\"", "\"state\"")},
      {"ARM-174", running, edit("\"name\":\"o1\"", "\"name\":\"o2\"")},
      {"ARM-175", running, edit("2026-01-01T00:00:00Z", "yesterday")},
      {"ARM-175", running, edit("startTime", "endTime")},
      {"ARM-176", running, edit("12.5", "101")},
      {"ARM-177", failed, edit("\"error\"", "\"properties\":{},\"error\"")},
      {"ARM-178", failed, edit("\"message\"", "\"text\"")},
      {"ARM-180", running, drop("Retry-After")},
      {"ARM-181", running, edit("\"percentComplete\"", "\"resourceLocation\":\"x\",\"percentComplete\"")},
      {"CL-05", created, set("Location", url(kOperation))},
      {"CL-05", get, set("Azure-AsyncOperation", url(kOperation))},
      {"CL-07", running, edit("Provisioning", "AlmostSucceeded")},
  };
  return all;
}

TEST(Checker, EachWayOfBreakingAnAnswerGivesExactlyItsRule) {
  for (const Broken& one : broken()) {
    Sample sample = one.good();
    one.spoil(sample);
    EXPECT_EQ(sample.rules(), std::vector<std::string>{one.rule}) << sample.status << " " << sample.body;
  }
}

TEST(Checker, ARM_174_APathMayBePercentEncoded) {
  Sample sample = running();
  sample.path.replace(sample.path.size() - 2, 2, "%6F%31");
  EXPECT_EQ(sample.rules(), std::vector<std::string>{});
}

TEST(Checker, ARM_164_ABodyThatIsNoResourceIsTheBackends) {
  for (const std::string member : {"\"id\"", "\"name\"", "\"type\""}) {
    Sample sample = result(200);
    replace(sample.body, "Succeeded", "Updating");
    replace(sample.body, member, "\"other\"");
    EXPECT_EQ(sample.rules(), std::vector<std::string>{}) << sample.body;
  }
}

TEST(Checker, AServerLooksAtItsAnswersBeforeDateIsAdded) {
  const Sample sample = get();
  const Headers headers = without(sample.headers, "Date");
  const Exchange exchange{.subject = Subject::resource,
                          .path = sample.path,
                          .asked = sample.asked,
                          .headers = headers,
                          .body = sample.body,
                          .as_received = false};
  EXPECT_TRUE(check(exchange).empty());
}

std::size_t findings(Observer& observer, const Sample& sample) {
  return observer
      .check({.subject = sample.subject,
              .method = sample.method,
              .path = sample.path,
              .asked = sample.asked,
              .status = sample.status,
              .headers = sample.headers,
              .body = sample.body})
      .size();
}

TEST(CheckerObserver, ARM_182_ATerminalStatusThatChangesIsFound) {
  Observer observer(10);
  EXPECT_EQ(findings(observer, running()), 0U);
  EXPECT_EQ(findings(observer, failed()), 0U);
  EXPECT_EQ(findings(observer, failed()), 0U);
  EXPECT_EQ(findings(observer, running()), 1U);
  EXPECT_EQ(findings(observer, operation(R"("status":"Succeeded")")), 1U);
}

TEST(CheckerObserver, ARM_182_AnOperationIsKnownByItsNameHoweverItIsWritten) {
  Observer observer(10);
  Sample encoded = failed();
  encoded.path.replace(encoded.path.size() - 2, 2, "%4F1");
  EXPECT_EQ(findings(observer, encoded), 0U);
  EXPECT_EQ(findings(observer, running()), 1U);
}

TEST(CheckerObserver, OperationsWithLongNamesAreNotRemembered) {
  for (const auto& [size, expected] : {std::pair{64U, 1U}, std::pair{65U, 0U}}) {
    Observer observer(10);
    const auto named = [&](Sample sample) {
      const std::string name(size, 'n');
      sample.path.replace(sample.path.size() - 2, 2, name);
      replace(sample.body, "/o1\"", "/" + name + "\"");
      replace(sample.body, "\"name\":\"o1\"", "\"name\":\"" + name + "\"");
      return sample;
    };
    EXPECT_EQ(findings(observer, named(failed())), 0U);
    EXPECT_EQ(findings(observer, named(running())), expected) << size;
  }
}

TEST(CheckerObserver, TheOldestOperationsAreForgottenBeyondTheBound) {
  Observer observer(1);
  EXPECT_EQ(findings(observer, failed()), 0U);
  Sample other = failed();
  other.path += "2";
  replace(other.body, "/o1\"", "/o12\"");
  replace(other.body, "\"name\":\"o1\"", "\"name\":\"o12\"");
  EXPECT_EQ(findings(observer, other), 0U);
  EXPECT_EQ(findings(observer, running()), 0U);
}

}  // namespace
}  // namespace acceptd::contracts::arm::checker
