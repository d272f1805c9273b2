#include "cel/cases/case_runner.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include <gtest/gtest.h>

namespace skiff::cel {
namespace {

// What Kubernetes answered, recorded outside of the repository; without it there is nothing to
// compare with.
std::filesystem::path Recorded() {
  return std::filesystem::path(SKIFF_SOURCE_DIR) / ".." / "shared" / "fixtures" / "cel";
}

TEST(CelCasesTest, ExpressionsAnswerWhatKubernetesAnswers) {
  if (!std::filesystem::exists(Recorded())) GTEST_SKIP() << "no recorded cases";
  size_t shown = 0;
  CaseRunner runner([&](std::string_view id, std::string_view what) {
    if (++shown <= 200) std::cout << id << ": " << what << '\n';
  });
  std::ifstream other(std::filesystem::path(SKIFF_SOURCE_DIR) / "tests" / "cel" / "other.txt");
  for (std::string line; std::getline(other, line);) {
    if (!line.empty() && line[0] != '#') runner.Expect(line.substr(0, line.find(' ')));
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(Recorded())) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  CaseCounts all;
  for (const std::filesystem::path& file : files) {
    const Result<CaseCounts> counts = runner.RunFile(file.string());
    ASSERT_TRUE(counts) << counts.error().ToString();
    std::cout << file.filename().string() << ": " << counts->passed << " passed, " << counts->failed
              << " failed, " << counts->skipped << " skipped\n";
    all.passed += counts->passed;
    all.failed += counts->failed;
    all.skipped += counts->skipped;
  }
  std::cout << "counts: recorded expressions of CEL: " << all.passed << " passed, " << all.failed
            << " failed, " << all.skipped << " skipped\n";
  EXPECT_EQ(all.failed, 0u);
}

TEST(CelCasesTest, WhatIsNoCaseIsToldByItsLineAndFails) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "no_cases.jsonl";
  std::ofstream(file) << R"({"id":"a","kind":"eval","expr":"1 + 1","expect":{"outcome":"value",)"
                         R"("type":"int","value":{"t":"int","v":"2"}}})"
                      << "\n\n{\"id\":1\n7\n"
                      << R"({"id":"b","kind":"eval","expr":"1"})"
                      << "\n"
                      << R"({"id":"c","kind":"eval","expr":"1","expect":{}})"
                      << "\n"
                      << R"({"id":"d","kind":"eval","expr":"1","vars":[],"expect":{}})"
                      << "\n"
                      << R"({"id":"e","kind":"eval","expr":"1","expect":{"outcome":"value",)"
                         R"("value":{"t":"list","v":[{"t":"bool"}]}}})"
                      << "\n"
                      << R"({"id":"f","kind":"crd","expect":{}})"
                      << "\n"
                      << R"({"id":"g","kind":"dra","expect":{}})"
                      << "\n";
  std::vector<std::string> told;
  CaseRunner runner([&](std::string_view id, std::string_view what) {
    told.push_back(std::string(id.substr(id.rfind(':') + 1)) + ": " + std::string(what));
  });
  const Result<CaseCounts> counts = runner.RunFile(file.string());
  std::filesystem::remove(file);
  ASSERT_TRUE(counts) << counts.error().ToString();
  EXPECT_EQ(counts->passed, 1u);
  EXPECT_EQ(counts->failed, 8u);
  ASSERT_EQ(told.size(), 8u);
  EXPECT_TRUE(told[0].starts_with("3: ")) << told[0];
  EXPECT_EQ(told[1], "4: this is no case: it is no object");
  EXPECT_EQ(told[2], "5: this is no case: there is no expect");
  EXPECT_EQ(told[3], "6: this is no case: there is no outcome");
  EXPECT_EQ(told[4], "7: this is no case: vars is of the wrong type");
  EXPECT_EQ(told[5], "8: this is no case: the value has no type");
  EXPECT_EQ(told[6], "9: this is no case: there is no schema");
  EXPECT_EQ(told[7], "10: this is no case: there is no device");
}

}  // namespace
}  // namespace skiff::cel
