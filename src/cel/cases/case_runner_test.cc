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
  std::cout << all.passed << " passed, " << all.failed << " failed, " << all.skipped
            << " skipped\n";
  EXPECT_EQ(all.failed, 0u);
}

}  // namespace
}  // namespace skiff::cel
