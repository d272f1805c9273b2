// The pods of ../shared/fixtures/pod-security: each is admitted or refused, by the newest version
// of a level, as the folder says that it lies in.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "apiserver/admission/pod_security/evaluate.h"
#include "object/json/decode.h"
#include "object/yaml/to_json.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff {
namespace {

namespace fs = std::filesystem;

Result<std::string> Violations(const fs::path& path, apiserver::pod_security::Level level) {
  std::ifstream in(path);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  SKIFF_ASSIGN_OR_RETURN(const object::YamlJson json, object::YamlToJson(text));
  SKIFF_ASSIGN_OR_RETURN(const object::Document document,
                         object::DecodeJson(json.json(), views::core_v1::Pod::Type()));
  const views::core_v1::Pod pod(document);
  return apiserver::pod_security::Describe(
      apiserver::pod_security::Evaluate({level, {}}, pod.metadata().annotations(), pod.spec()));
}

TEST(PodSecurityGoldenTest, EveryPodIsJudgedAsItsFolderSays) {
  const fs::path folder = fs::path(SKIFF_SOURCE_DIR) / "../shared/fixtures/pod-security";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "../shared/fixtures is not there";
  size_t count = 0;
  for (const char* level : {"baseline", "restricted"}) {
    for (const char* verdict : {"pass", "fail"}) {
      for (const auto& file : fs::directory_iterator(folder / level / verdict)) {
        const Result<std::string> found =
            Violations(file.path(), *apiserver::pod_security::ParseLevel(level));
        ASSERT_TRUE(found) << file.path() << ": " << found.error().ToString();
        EXPECT_EQ(found->empty(), std::string_view(verdict) == "pass")
            << file.path() << ": " << *found;
        ++count;
      }
    }
  }
  EXPECT_GT(count, 0u);
}

}  // namespace
}  // namespace skiff
