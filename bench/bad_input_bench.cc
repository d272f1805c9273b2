// The time that input made to hurt takes, up to the size of the largest request body. Most of it is
// refused; what is legal, if odd, must be read as fast.
#include <functional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "bench/benches.h"
#include "object/json/decode.h"
#include "object/protobuf/decode.h"

namespace skiff::bench {
namespace {

constexpr double kLimitMs = 50;
constexpr double kSecondsEach = 0.2;
constexpr size_t kBytes = limits::kMaxDocumentBytes;

struct Case {
  std::string name;
  std::string input;
  std::function<std::string(const std::string&)> run;  // what came of it: "" or the error
};

std::string Repeat(std::string_view part, size_t bytes = kBytes - 1024) {
  std::string text;
  text.reserve(bytes);
  while (text.size() + part.size() <= bytes) text += part;
  return text;
}

// part(0)part(1)… up to the limit, without the last character, a comma.
template <typename Part>
std::string Number(Part part) {
  std::string text;
  for (size_t i = 0; text.size() < kBytes - 1024; ++i) text += part(std::to_string(i));
  text.pop_back();
  return text;
}

template <typename T>
std::string Outcome(const Result<T>& result) {
  return result ? "" : result.error().ToString();
}

std::string DecodePod(const std::string& text) {
  std::vector<FieldIssue> issues;
  return Outcome(DecodeJson(text, FindKind("v1", "Pod"), {.issues = &issues}));
}
std::string DecodeUntyped(const std::string& text) {
  std::vector<FieldIssue> issues;
  return Outcome(DecodeJson(text, nullptr, {.issues = &issues}));
}

void AddJson(std::vector<Case>& cases) {
  const auto both = [&](const std::string& name, const std::string& input) {
    cases.push_back({"json_" + name, input, DecodeUntyped});
    cases.push_back({"json_pod_" + name, input, DecodePod});
  };
  const auto annotations = [](const std::string& entries) {
    return R"({"metadata":{"annotations":{)" + entries + "}}}";
  };
  const std::string long_text = Repeat("a");
  both("nested_arrays", R"({"spec":)" + Repeat("["));
  both("nested_objects", Repeat(R"({"a":)"));
  both("long_string", annotations(R"("a":")" + long_text + '"'));
  both("long_escapes", annotations(R"("a":")" + Repeat(R"(\u00e9\n)") + '"'));
  both("long_key", annotations('"' + long_text + R"(":"a")"));
  both("long_field_name", R"({"spec":{")" + long_text + R"(":1}})");
  both("long_number", R"({"metadata":{"generation":)" + Repeat("9") + "}}");
  both("huge_exponent", R"({"metadata":{"generation":1e999999999}})");
  both("bad_utf8_at_the_end", annotations(R"("a":")" + long_text + "\xff\""));
  both("unterminated_string", R"({"metadata":{"name":")" + long_text);
  both("many_numbers", R"({"a":[)" + Repeat("1,") + "1]}");
  both("many_strings", R"({"metadata":{"finalizers":[)" + Repeat(R"("",)") + R"(""]}})");
  both("many_objects", R"({"spec":{"containers":[)" + Repeat("{},") + "{}]}}");
  both("many_lists", R"({"a":[)" + Repeat("[],") + "[]]}");
  both("many_keys", annotations(Number([](const auto& i) { return '"' + i + R"(":"",)"; })));
  both("many_unknown_fields",
       '{' + Number([](const auto& i) { return "\"x" + i + R"(":1,)"; }) + '}');
  both("equal_keys", annotations(Repeat(R"("a":"",)") + R"("a":"")"));
  both("equal_fields", '{' + Repeat(R"("kind":"Pod",)") + R"("kind":"Pod"})");
  both("equal_objects", '{' + Number([](const auto& i) {
         return R"("metadata":{"annotations":{"k)" + i + R"(":""}},)";
       }) + '}');
  both("equal_lists", '{' + Repeat(R"("spec":{"containers":[{},{}]},)") + R"("spec":{}})");
  both("quantities", R"({"spec":{"overhead":{)" +
                         Number([](const auto& i) { return '"' + i + R"(":"1.5e3",)"; }) + "}}}");
  both("raw_json", R"({"metadata":{"managedFields":[{"fieldsV1":{"a":[)" + Repeat("{ } , ") +
                       "1]}}]}}");
}

std::string Varint(size_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string Field(int tag, const std::string& bytes) {
  return Varint(static_cast<size_t>(tag) << 3 | 2) + Varint(bytes.size()) + bytes;
}

std::string DecodePodMessage(const std::string& bytes) {
  std::vector<FieldIssue> issues;
  ProtobufDecodeOptions options;
  options.issues = &issues;
  return Outcome(DecodeProtobuf(bytes, FindKind("v1", "Pod"), options));
}

void AddProtobuf(std::vector<Case>& cases) {
  const auto add = [&](const std::string& name, std::string input) {
    cases.push_back({"protobuf_pod_" + name, std::move(input), DecodePodMessage});
  };
  constexpr int kMetadata = 1, kSpec = 2, kLabels = 11, kFinalizers = 14, kContainers = 2;
  add("truncated", Field(kMetadata, Field(1, Repeat("a"))).substr(0, kBytes / 2));
  add("overlong_varint", '\x0a' + Repeat("\xff"));
  add("bad_utf8_at_the_end", Field(kMetadata, Field(1, Repeat("a") + '\xff')));
  add("many_empty_strings", Field(kMetadata, Repeat(Field(kFinalizers, ""))));
  add("many_empty_messages", Field(kSpec, Repeat(Field(kContainers, ""))));
  add("many_empty_pieces", Repeat(Field(kMetadata, "")));
  add("many_pieces", Repeat(Field(kMetadata, Field(kFinalizers, "a"))));
  add("many_pieces_of_two", Repeat(Field(kMetadata, "") + Field(kSpec, Field(kContainers, ""))));
  add("equal_labels", Field(kMetadata, Repeat(Field(kLabels, Field(1, "a")))));
  std::string labels;
  for (size_t i = 0; labels.size() < kBytes - 1024; ++i) {
    labels += Field(kLabels, Field(1, std::to_string(i)));
  }
  add("many_labels", Field(kMetadata, labels));
  add("unknown_fields", Repeat(Field(1000, "")));
  add("unknown_groups", Repeat(std::string("\xbb\x3e", 2)));
}

}  // namespace

void BenchBadInput(Report& report) {
  std::vector<Case> cases;
  AddJson(cases);
  AddProtobuf(cases);
  double worst_ms = 0;
  for (const Case& bad : cases) {
    std::string outcome;
    const double ms = 1e3 * BestSeconds([&] { outcome = bad.run(bad.input); }, kSecondsEach);
    worst_ms = std::max(worst_ms, ms);
    std::printf("# bad_input %s %.3f ms: %s\n", bad.name.c_str(), ms,
                outcome.empty() ? "accepted" : outcome.substr(0, 120).c_str());
  }
  report.Figure("bad_input_slowest", worst_ms, "ms", worst_ms / kLimitMs, "the_limit_50_ms",
                AtMost(1.0));
}

}  // namespace skiff::bench
