// Rows of testdata/*.rows: an object, and the cells that a table shows of it.
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/tables/table_writer.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/envelope.h"
#include "object/resource.h"

namespace skiff::apiserver {
namespace {

constexpr object::Timestamp kNow{1'768'046'400, 0};  // 2026-01-10T12:00:00Z

struct Case {
  std::string file;
  std::string title;
  std::string json = {};
  std::string cells = {};
  std::string condition = {};  // the reason of the row's condition, if it has one
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.file << ": " << one.title; }

std::vector<Case> ReadCases() {
  std::vector<Case> cases;
  for (const std::string file : {"pods", "core", "workloads", "others"}) {
    std::ifstream in(std::string(SKIFF_SOURCE_DIR "/src/apiserver/tables/testdata/") + file +
                     ".rows");
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("## ")) {
        cases.push_back({.file = file, .title = line.substr(3)});
      } else if (line.starts_with("=> ")) {
        const size_t end = line.rfind(']') + 1;
        cases.back().cells = line.substr(3, end - 3);
        if (end < line.size()) cases.back().condition = line.substr(end + 1);
      } else if (!line.starts_with('#') && !line.empty()) {
        cases.back().json += line;
      }
    }
  }
  return cases;
}

// The cells as JSON for clients has them.
std::string Escaped(std::string_view cells) {
  ByteBuffer out;
  out.Append("\"cells\":");
  for (const char c : cells) {
    if (c == '<') {
      out.Append("\\u003c");
    } else if (c == '>') {
      out.Append("\\u003e");
    } else {
      out.Append(c);
    }
  }
  return out.ToString();
}

class RowsTest : public testing::TestWithParam<Case> {};

TEST_P(RowsTest, ShowsTheCells) {
  const Case& one = GetParam();
  const auto meta = object::PeekTypeMeta(one.json);
  ASSERT_TRUE(meta) << meta.error().ToString();
  const object::MessageDesc* const kind = object::FindKind(meta->api_version, meta->kind);
  ASSERT_NE(kind, nullptr);
  auto document = object::DecodeJson(one.json, kind);
  ASSERT_TRUE(document) << document.error().ToString();
  const auto columns = TableColumns::Make(object::FindColumns(kind));
  ASSERT_TRUE(columns) << columns.error().ToString();

  std::string stored;
  object::EncodeStorage(document->root(), &stored);
  ByteBuffer scratch, of_protobuf, of_json;
  ASSERT_TRUE((*columns)->AppendCells(stored, kNow, scratch, of_protobuf));
  std::string want = Escaped(one.cells);
  if (!one.condition.empty()) {
    want += R"(,"conditions":[{"type":"Completed","status":"True","reason":")" + one.condition;
  }
  const std::string got = of_protobuf.ToString();
  EXPECT_EQ(got.substr(0, one.condition.empty() ? got.npos : want.size()), want);
  // What the cells do not name is left out when protobuf is read, but not when JSON is.
  ASSERT_TRUE(
      (*columns)->AppendCells(object::EncodeJson(document->root()), kNow, scratch, of_json));
  EXPECT_EQ(of_json.view(), of_protobuf.view());
}

INSTANTIATE_TEST_SUITE_P(, RowsTest, testing::ValuesIn(ReadCases()));

TEST(RowsCoverageTest, EveryKindWithColumnsHasARow) {
  std::set<const object::MessageDesc*> seen;
  for (const Case& one : ReadCases()) {
    const auto meta = object::PeekTypeMeta(one.json);
    ASSERT_TRUE(meta) << one.title;
    seen.insert(object::FindKind(meta->api_version, meta->kind));
  }
  for (const object::ColumnsDesc& columns : object::AllColumns()) {
    EXPECT_TRUE(seen.contains(columns.kind)) << columns.kind->name;
  }
}

}  // namespace
}  // namespace skiff::apiserver
