// provider.yaml and the documents that it names: what is wrong is said with its place.

#include "types/declared/provider.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "support.hpp"

namespace acceptd::types::declared {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kDocument =
    testing::document({{"~/kites/{k}",
                        "{'get': {'responses': {'200': {'schema': {'$ref': 'common.json#/definitions/Kite'}}}},"
                        " 'put': {'parameters': [{'in': 'body', 'name': 'b', 'schema': {'$ref': "
                        "'common.json#/definitions/Kite'}}], 'responses': {'200': {}}}}"}});
const std::string kCommon =
    "{'definitions': {'Kite': {'properties': {'properties': {'properties': {'size': {'type': 'integer'},"
    " 'serial': {'type': 'string', 'x-ms-mutability': ['create', 'read']}}}}}}}";
const std::string kFile = "namespace: Contoso.Air\nversions:\n  2025-01-01: kites.json\nbackend: {any: 1}\n";

class ProviderFolder : public ::testing::Test {
 protected:
  ProviderFolder()
      : folder_(fs::path(::testing::TempDir()) /
                ("declared-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("provider.yaml", kFile);
    write("kites.json", testing::quoted(kDocument));
    write("common.json", testing::quoted(kCommon));
  }
  ~ProviderFolder() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  Provider load() {
    problems_.clear();
    backends_.clear();
    const auto read_backend = [this](const std::string& type, config::Section section) {
      int any = 0;
      section.integer("any", any, 0, 9);
      section.finish();
      backends_.push_back(type);
    };
    return load_provider(folder_, {}, read_backend, problems_);
  }

  fs::path folder_;
  std::vector<std::string> problems_, backends_;
};

TEST_F(ProviderFolder, IsReadWithItsFiles) {
  write("provider.yaml", kFile +
                             "deadlines: {create: 5m}\nsubmit: background\ntypes:\n  Kites:\n    deadlines: {delete: 7m}\n"
                             "    unique: [properties.serial]\n    backend: {any: 2}\n    location: global\n");
  const Provider provider = load();
  ASSERT_THAT(problems_, IsEmpty());
  EXPECT_THAT(backends_, ElementsAre("", "Kites"));
  testing::NoProvider backend;
  std::vector<std::string> asked;
  const auto types =
      make_types(provider, [&](const std::string& type) -> engine::Provider& { return asked.push_back(type), backend; });
  ASSERT_EQ(types.size(), 1U);
  EXPECT_THAT(asked, ElementsAre("kites"));
  const engine::TypeInfo& info = types[0]->info();
  EXPECT_EQ(info.deadlines.create, std::chrono::minutes(5));
  EXPECT_EQ(info.deadlines.remove, std::chrono::minutes(7));
  EXPECT_EQ(info.submit, engine::Submit::background);
  EXPECT_EQ(info.location, "global");
  EXPECT_FALSE(info.tracked);
}

TEST_F(ProviderFolder, SaysLineAndKeyOfWhatIsWrongInTheFile) {
  write("provider.yaml",
        "namespace: 'a b'\nversions:\n  tomorrow: kites.json\n  2025-01-01: /etc/passwd\nbackend: {}\nstrange: 1\n");
  load();
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("provider.yaml:1:12: namespace: expected letters"),
                                     HasSubstr("versions.tomorrow: expected an API version"),
                                     HasSubstr("versions.2025-01-01: expected the relative path"),
                                     HasSubstr("versions.2025-01-01: names no document"), HasSubstr(":6:1: strange")));
}

TEST_F(ProviderFolder, SettingsAreAboutTypesAndMembersThatThereAre) {
  write("provider.yaml",
        kFile + "types:\n  birds: {}\n  kites: {parent_ready: true, unique: [properties.size, properties.none]}\n");
  load();
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("types.birds: the documents describe no such type"),
                                     HasSubstr("types.kites.parent_ready: the type has no parent"),
                                     HasSubstr("'properties.size' may be updated"), HasSubstr("no member 'properties.none'")));
}

struct Bad {
  const char* file;
  std::string text;
  const char* said;
  friend void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.said; }
};
class BadDocument : public ProviderFolder, public ::testing::WithParamInterface<Bad> {};
TEST_P(BadDocument, IsRefusedWithItsPlace) {
  write(GetParam().file, testing::quoted(GetParam().text));
  load();
  EXPECT_THAT(problems_, Contains(HasSubstr(GetParam().said)));
}
INSTANTIATE_TEST_SUITE_P(
    Documents, BadDocument,
    ::testing::Values(
        Bad{"kites.json", "{", "kites.json: '' is not JSON"},
        Bad{"kites.json", "{'paths': {}}", "provider.yaml: the documents describe no resource type"},
        Bad{"kites.json", "{'definitions': {'A': {'$ref': '#/definitions/B'}}}", "kites.json#/definitions/A: the reference"},
        Bad{"kites.json", "{'definitions': {'A': {'$ref': 'none.json#/definitions/B'}}}",
            "kites.json#/definitions/A: the file 'none.json'"},
        Bad{"kites.json", "{'definitions': {'A': {'$ref': '/etc/passwd#/definitions/B'}}}",
            "the file '/etc/passwd' is not there"},
        Bad{"common.json", "{'definitions': {'Kite': {'minLength': 3, 'maxLength': 2}}}",
            "common.json#/definitions/Kite: contradicts itself"},
        Bad{"common.json", "{'definitions': {'Kite': {'required': ['a'], 'properties': {'a': {'$ref': '#/definitions/Kite'}}}}}",
            "common.json#/definitions/Kite: recursive without end"},
        Bad{"common.json", "{'definitions': {'Kite': {'allOf': [{'$ref': '#/definitions/Kite'}]}}}",
            "common.json#/definitions/Kite: a schema is part of itself"}));

}  // namespace
}  // namespace acceptd::types::declared
