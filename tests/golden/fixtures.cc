#include "tests/golden/fixtures.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace skiff {

std::string FixtureRoot() {
  const std::string root = std::string(SKIFF_SOURCE_DIR) + "/../shared/fixtures";
  return std::filesystem::is_directory(root) ? root : "";
}

std::vector<std::string> WireFixtureNames() {
  const std::string root = FixtureRoot();
  if (root.empty()) return {"absent"};
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/wire")) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string ReadFixture(const std::string& name) {
  std::ifstream file(FixtureRoot() + "/wire/" + name, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

std::string FixtureTestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

}  // namespace skiff
