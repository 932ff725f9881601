/// The examples of docs/http-backend.md are good.

#include "fixture.hpp"

namespace acceptd::providers::http_backend {
namespace {

std::vector<std::string> yaml_blocks() {
  std::ifstream in(ACCEPTD_HTTP_BACKEND_PAGE);
  std::vector<std::string> blocks;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```yaml")
      blocks.emplace_back();
    else if (inside && line != "```")
      blocks.back() += line + "\n";
    inside = line == "```yaml" || (inside && line != "```");
  }
  return blocks;
}

TEST(Docs, TheExamplesAreGood) {
  const auto blocks = yaml_blocks();
  ASSERT_EQ(blocks.size(), 2u);
  const Spec spec = spec_of(blocks[0]);
  EXPECT_TRUE(spec.probe);
  EXPECT_TRUE(spec.actions.contains("restart"));
  EXPECT_TRUE(spec_of(blocks[0] + blocks[1]).push);
}

}  // namespace
}  // namespace acceptd::providers::http_backend
