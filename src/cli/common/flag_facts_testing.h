// Flags of servers beside those of Kubernetes' own, which recordings outside of the repository
// tell.
#pragma once

#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/common/server_flags.h"
#include "object/json/decode.h"

namespace skiff::cli {

// Whether they have the same names, types, defaults and sections. `server` is Kubernetes' name, and
// `source` the folder of the project.
template <typename Line>
void ExpectFlagsOf(const std::string& server, const std::string& source,
                   const std::vector<ServerFlag<Line>>& flags) {
  std::ifstream file(source + "/../shared/facts/flags/" + server + ".json");
  if (!file) GTEST_SKIP() << "../shared/facts is not there";
  std::stringstream text;
  text << file.rdbuf();
  const Result<object::Document> facts = object::DecodeJson(text.str(), nullptr);
  ASSERT_TRUE(facts) << facts.error().ToString();
  std::map<std::string, ServerFlag<Line>, std::less<>> ours;
  for (const ServerFlag<Line>& flag : flags) {
    EXPECT_TRUE(ours.emplace(flag.name, flag).second) << flag.name;
  }
  for (const object::Value& fact : facts->root().Find("flags")->items()) {
    const std::string_view name = fact.Find("name")->AsText();
    const auto found = ours.find(name);
    ASSERT_NE(found, ours.end()) << name;
    const ServerFlag<Line>& flag = found->second;
    EXPECT_EQ(flag.type, fact.Find("type")->AsText()) << name;
    EXPECT_EQ(flag.DefaultText(), fact.Find("default")->AsText()) << name;
    EXPECT_EQ(flag.deprecated, fact.Find("deprecated")->AsBool()) << name;
    const object::Value* section = fact.Find("section");
    EXPECT_EQ(flag.section, section != nullptr ? section->AsText() : "") << name;
    ours.erase(found);
  }
  for (const auto& [name, flag] : ours) ADD_FAILURE() << "no such flag: " << name;
}

}  // namespace skiff::cli
