#include "cli/convert/object_reader.h"

#include <gtest/gtest.h>

namespace skiff::cli {
namespace {

constexpr size_t kLimit = 1000;

// Each object as "line:column json", and the error, if any, at the end.
std::vector<std::string> ReadAll(std::string_view text, ObjectFormat format = ObjectFormat::kAuto) {
  std::vector<std::string> out;
  ObjectReader reader(text, format, kLimit);
  const auto add = [&out](TextPosition at, std::string_view what) {
    out.push_back(std::to_string(at.line) + ":" + std::to_string(at.column) + " " +
                  std::string(what));
  };
  while (true) {
    const auto next = reader.Next();
    if (!next) {
      add(next.error().position(), next.error().message());
      EXPECT_FALSE(reader.Next().value().has_value()) << "an error is the end";
      return out;
    }
    if (!next->has_value()) return out;
    add((*next)->positions->PositionOf(0), (*next)->json);
  }
}

using Objects = std::vector<std::string>;

TEST(ObjectReaderTest, TellsFormatsByTheirFirstBytes) {
  EXPECT_EQ(DetectFormat(std::string_view("k8s\0", 4)), ObjectFormat::kProtobuf);
  EXPECT_EQ(DetectFormat("k8s"), ObjectFormat::kYaml);
  EXPECT_EQ(DetectFormat(" \r\n\t{"), ObjectFormat::kJson);
  EXPECT_EQ(DetectFormat("\xef\xbb\xbf["), ObjectFormat::kJson);
  EXPECT_EQ(DetectFormat("# {"), ObjectFormat::kYaml);
  EXPECT_EQ(DetectFormat(""), ObjectFormat::kYaml);
}

TEST(ObjectReaderTest, JsonValuesFollowEachOther) {
  EXPECT_EQ(ReadAll("{} {\"a\":\n1}{}\n\n  {}\n"),
            (Objects{"1:1 {}", "1:4 {\"a\":\n1}", "2:3 {}", "4:3 {}"}));
}

TEST(ObjectReaderTest, PositionsInAPartCountFromThePart) {
  const PartPositions positions("a\nbc\n\nd", {7, 5});
  const auto at = [&](size_t offset) {
    const TextPosition position = positions.PositionOf(offset);
    return std::pair(position.line, position.column);
  };
  EXPECT_EQ(at(0), std::pair(7u, 5u));
  EXPECT_EQ(at(1), std::pair(7u, 6u));
  EXPECT_EQ(at(3), std::pair(8u, 2u));
  EXPECT_EQ(at(6), std::pair(10u, 1u));
}

TEST(ObjectReaderTest, YamlAfterJsonKeepsItsLines) {
  EXPECT_EQ(ReadAll("{}\n---\na: 1\n---\n{}\n"), (Objects{"1:1 {}", "3:1 {\"a\":1}", "5:1 {}"}));
  EXPECT_EQ(ReadAll("{} ---\na: 1\n"), (Objects{"1:1 {}", "2:1 {\"a\":1}"}));
  EXPECT_EQ(ReadAll("{}\n---\na: b: c\n").back().substr(0, 4), "3:5 ");
}

TEST(ObjectReaderTest, FlowStyleIsYamlOnlyAtTheBeginning) {
  EXPECT_EQ(ReadAll("\n  {a: 1}"), Objects{"2:3 {\"a\":1}"});
  EXPECT_EQ(ReadAll("{} {a: 1}"), (Objects{"1:1 {}", "1:5 expected a key in quotes"}));
  EXPECT_EQ(ReadAll("{a: 1}", ObjectFormat::kJson), Objects{"1:2 expected a key in quotes"});
}

TEST(ObjectReaderTest, DocumentsBeyondTheLimitAreRefused) {
  const std::string value = "{\"a\":\"" + std::string(kLimit, 'x') + "\"}";
  const std::string error = "2:1 the document is 1008 bytes long, more than the limit of 1000";
  EXPECT_EQ(ReadAll("{}\n" + value), (Objects{"1:1 {}", error}));
}

}  // namespace
}  // namespace skiff::cli
