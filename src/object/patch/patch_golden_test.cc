// Runs the cases in tests/golden/patch: {name, kind?, original, patch, expect | error}. `kind` is
// "apiVersion Kind" and gives strategic merge patches their type; `error` has the code and the
// whole message, or a part that it contains. Beside them it replays patches that a real API server
// was recorded to answer, where that folder is present.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/patch/json_patch.h"
#include "object/patch/merge_patch.h"
#include "object/patch/strategic_merge_patch.h"

namespace skiff::object {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> JsonFiles(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string_view TextAt(const Value& value, std::string_view name) {
  const Value* found = value.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

enum class PatchKind { kJson, kMerge, kStrategic };

Result<void> Apply(PatchKind kind, const Value& patch, const MessageDesc* type,
                   Document& document) {
  switch (kind) {
    case PatchKind::kJson:
      return ApplyJsonPatch(patch, document);
    case PatchKind::kMerge:
      return ApplyMergePatch(patch, document);
    case PatchKind::kStrategic:
      return ApplyStrategicMergePatch(patch, type, document);
  }
  return {};
}

Document CopyOf(const Value& value) {
  Document document;
  document.root() = value.CopyInto(document.arena());
  return document;
}

const MessageDesc* TypeOf(const Value& test_case) {
  const std::string_view kind = TextAt(test_case, "kind");
  const size_t space = kind.find(' ');
  if (kind.empty()) return nullptr;
  const MessageDesc* type = FindKind(kind.substr(0, space), kind.substr(space + 1));
  EXPECT_NE(type, nullptr) << kind;
  return type;
}

void CheckError(const Value& expected, const Result<void>& applied) {
  ASSERT_FALSE(applied.has_value()) << "applied, but an error was expected";
  EXPECT_EQ(applied.error().code(), expected.Find("code")->AsInt());
  if (expected.Find("message") != nullptr) {
    EXPECT_EQ(applied.error().message(), TextAt(expected, "message"));
  }
  EXPECT_NE(applied.error().message().find(TextAt(expected, "contains")), std::string::npos)
      << applied.error().message();
}

void RunCase(PatchKind kind, const Value& test_case) {
  Document document = CopyOf(*test_case.Find("original"));
  const Value& patch = *test_case.Find("patch");
  const std::string patch_before = EncodeJson(patch);
  const Result<void> applied = Apply(kind, patch, TypeOf(test_case), document);
  EXPECT_EQ(EncodeJson(patch), patch_before) << "the patch was changed";
  if (const Value* error = test_case.Find("error")) return CheckError(*error, applied);
  ASSERT_TRUE(applied.has_value()) << applied.error().ToString();
  EXPECT_EQ(EncodeJson(document.root()), EncodeJson(*test_case.Find("expect")));
}

void RunFolder(PatchKind kind, const char* name) {
  const fs::path folder = fs::path(SKIFF_SOURCE_DIR) / "tests/golden/patch" / name;
  size_t cases = 0;
  for (const fs::path& file : JsonFiles(folder)) {
    const auto decoded = DecodeJson(ReadFile(file), nullptr);
    ASSERT_TRUE(decoded.has_value()) << file << ": " << decoded.error().ToString();
    for (const Value& test_case : decoded->root().items()) {
      SCOPED_TRACE(file.filename().string() + ": " + std::string(TextAt(test_case, "name")));
      RunCase(kind, test_case);
      ++cases;
    }
  }
  EXPECT_GT(cases, 20u);
}

TEST(PatchGoldenTest, JsonPatchesGiveTheExpectedDocuments) { RunFolder(PatchKind::kJson, "json"); }
TEST(PatchGoldenTest, MergePatchesGiveTheExpectedDocuments) {
  RunFolder(PatchKind::kMerge, "merge");
}
TEST(PatchGoldenTest, StrategicMergePatchesGiveTheExpectedDocuments) {
  RunFolder(PatchKind::kStrategic, "strategic");
}

bool ChangesWithEveryWrite(std::string_view name) {
  return name == "managedFields" || name == "resourceVersion" || name == "generation";
}

// Whether the server's answer holds all that the patched document says. It may hold more, such as
// defaults.
bool Agrees(const Value& patched, const Value& answer) {
  if (patched.is_map() && answer.is_map()) {
    return std::ranges::all_of(patched.entries(), [&](const MapEntry& entry) {
      const auto& [name, value] = entry;
      if (ChangesWithEveryWrite(name)) return true;
      const Value* other = answer.Find(name);
      const bool empty = value.is_null() || (value.tag() >= Tag::kList && value.size() == 0);
      return other == nullptr ? empty : Agrees(value, *other);
    });
  }
  if (patched.is_list() && answer.is_list()) {
    return std::ranges::equal(patched.items(), answer.items(), Agrees);
  }
  return EncodeJson(patched) == EncodeJson(answer);
}

// The request's body: JSON, text that need not be JSON, or [before, repeated, count, after].
std::string BodyText(const Value& body) {
  const Value* repeat = body.Find("$repeat");
  if (repeat == nullptr) return body.is_string() ? std::string(body.AsText()) : EncodeJson(body);
  const auto parts = repeat->items();
  std::string text(parts[0].AsText());
  for (int64_t i = 0; i < parts[2].AsInt(); ++i) text += parts[1].AsText();
  return text += parts[3].AsText();
}

// Replays one step on the object that the previous steps left.
void ReplayStep(const Value& step, Document& live) {
  const Value& answer = *step.FindPath({"expect", "body"});
  const int64_t code = step.FindPath({"expect", "code"})->AsInt();
  const Value* headers = step.Find("headers");
  const std::string_view media =
      headers == nullptr ? std::string_view() : TextAt(*headers, "Content-Type");
  if (TextAt(step, "method") != "PATCH") {
    if (code < 300) live = CopyOf(answer);
    return;
  }
  if (code == 404 || code == 415) return;
  const PatchKind kind = media.starts_with("application/json-patch")    ? PatchKind::kJson
                         : media.starts_with("application/merge-patch") ? PatchKind::kMerge
                                                                        : PatchKind::kStrategic;
  const std::string text = BodyText(*step.Find("body"));
  SCOPED_TRACE(text.substr(0, 200));
  const auto patch = DecodeJson(text, nullptr);
  if (!patch.has_value()) {
    EXPECT_EQ(code, 400);
    return;
  }
  Document patched = CopyOf(live.root());
  const auto applied =
      Apply(kind, patch->root(), FindKind(live.api_version(), live.kind()), patched);
  if (code < 300) {
    ASSERT_TRUE(applied.has_value()) << applied.error().ToString();
    EXPECT_TRUE(Agrees(patched.root(), answer)) << EncodeJson(patched.root());
    live = CopyOf(answer);
  } else if (applied.has_value()) {
    // The patch itself was fine; validation refused the object.
    EXPECT_NE(TextAt(answer, "message").find("is invalid"), std::string_view::npos);
  } else {
    EXPECT_EQ(applied.error().code(), code);
    // JSON patch says more than the server, which does not tell what did not apply.
    if (code != 422) {
      EXPECT_EQ(applied.error().message(), TextAt(answer, "message"));
    }
  }
}

TEST(PatchGoldenTest, RecordedAnswersOfARealServerAgree) {
  const fs::path folder = fs::path(SKIFF_SOURCE_DIR) / "../shared/fixtures/behaviour/patches";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "../shared/fixtures is not there";
  for (const fs::path& file : JsonFiles(folder)) {
    SCOPED_TRACE(file.filename().string());
    const auto recording = DecodeJson(ReadFile(file), nullptr);
    ASSERT_TRUE(recording.has_value()) << recording.error().ToString();
    Document live;
    for (const Value& step : recording->root().Find("steps")->items()) ReplayStep(step, live);
  }
}

}  // namespace
}  // namespace skiff::object
