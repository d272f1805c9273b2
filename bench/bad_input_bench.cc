// What input made to hurt costs, up to the size of the largest request body.
//
// Two figures of time: what is refused must be refused quickly, whatever it is; what is legal, if
// denser than anything that people write, is read to its end and may take longer. One of memory:
// the most that any of them holds at once, the decoded documents included.
#include <malloc.h>

#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/limits.h"
#include "bench/benches.h"
#include "object/json/decode.h"
#include "object/patch/json_patch.h"
#include "object/patch/merge_patch.h"
#include "object/patch/strategic_merge_patch.h"
#include "object/protobuf/decode.h"
#include "object/yaml/to_json.h"

namespace skiff::bench {
namespace {

constexpr double kRefusedLimitMs = 50;
constexpr double kAcceptedLimitMs = 150;
constexpr double kMemoryLimitMb = 256;
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
  std::vector<object::FieldIssue> issues;
  return Outcome(object::DecodeJson(text, object::FindKind("v1", "Pod"), {.issues = &issues}));
}
std::string DecodeUntyped(const std::string& text) {
  std::vector<object::FieldIssue> issues;
  return Outcome(object::DecodeJson(text, nullptr, {.issues = &issues}));
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
  both("raw_json",
       R"({"metadata":{"managedFields":[{"fieldsV1":{"a":[)" + Repeat("{ } , ") + "1]}}]}}");
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
  std::vector<object::FieldIssue> issues;
  object::ProtobufDecodeOptions options;
  options.issues = &issues;
  return Outcome(object::DecodeProtobuf(bytes, object::FindKind("v1", "Pod"), options));
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

std::string ReadYaml(const std::string& text) {
  std::vector<object::FieldIssue> issues;
  const auto yaml = object::YamlToJson(text, {.issues = &issues});
  if (!yaml) return yaml.error().ToString();
  return Outcome(object::DecodeJson(yaml->json(), object::FindKind("v1", "Pod"),
                                    {.issues = &issues, .positions = &*yaml}));
}

void AddYaml(std::vector<Case>& cases) {
  const auto add = [&](const std::string& name, std::string input) {
    cases.push_back({"yaml_" + name, std::move(input), ReadYaml});
  };
  std::string aliases = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    aliases += 'a' + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) aliases += before + ',';
    aliases += before + "]\n";
  }
  add("alias_bomb", aliases);
  add("merge_bomb", "a: &a {b: c}\nd: {<<: [" + Repeat("*a,") + "*a]}\n");
  add("nested_flow", "a: " + Repeat("["));
  add("deep_items", std::string(500, '[') + Repeat("1,"));
  add("deep_lists", std::string(500, '[') + Repeat("[],"));
  add("deep_pairs", '[' + Repeat(std::string(100, '[') + std::string(100, ']') + ','));
  add("nested_dashes", Repeat("- "));
  add("nested_keys", Repeat("? "));
  add("long_scalar", "metadata: {name: " + Repeat("a") + "}\n");
  add("long_quoted", "metadata: {name: \"" + Repeat("\\x41") + "\"}\n");
  add("long_block", "metadata:\n  name: |\n" + Repeat("    a\n"));
  add("long_block_beyond_ascii", "metadata:\n  name: |\n" + Repeat("    \u00e9\n"));
  add("long_folded", "metadata:\n  name: >\n" + Repeat("    a\n\n"));
  add("long_number", "a: " + Repeat("9") + '\n');
  add("long_base_60", "a: 1" + Repeat(":1") + '\n');
  add("long_underscores", "a: 1" + Repeat("_") + '\n');
  add("long_anchor", "a: &" + Repeat("a") + " 1\n");
  add("long_tag", "a: !" + Repeat("%41") + " 1\n");
  add("many_items", "a: [" + Repeat("1,") + "1]\n");
  add("many_lines", "a:\n" + Repeat("- b\n"));
  add("many_lines_beyond_ascii", "a:\n" + Repeat("- \u00e9\n"));
  add("many_directives",
      Number([](const auto& i) { return "%TAG !" + i + "! a\n"; }) + "\n--- 1\n");
  // As many values as a document may have.
  constexpr size_t kItems = limits::kMaxYamlNodes - 10;
  add("most_items", "a: [" + Repeat("1,", 2 * kItems) + "1]\n");
  add("most_lines", "a:\n" + Repeat("- b\n", 4 * kItems));
  add("most_equal_keys", Repeat("a: b\n", 5 * kItems / 2));
  std::string keys;
  for (size_t i = kItems / 2; i > 0; --i) keys += 'k' + std::to_string(i) + ": 1\n";
  add("most_keys", keys);
  add("many_keys", '{' + Number([](const auto& i) { return 'k' + i + ": 1,"; }) + "}\n");
  add("equal_keys", Repeat("a: b\n"));
  add("many_anchors", '[' + Number([](const auto& i) { return "&a" + i + " 1,"; }) + "]\n");
  add("comments", Repeat("# \n"));
  add("bad_utf8_at_the_end", "a: " + Repeat("a") + "\xff\n");
  add("tabs", "a:\n" + Repeat("\t"));
}

using Patch = Result<void> (*)(const object::Value& patch, object::Document& document);

// The bodies of patches are requests, so what they cost includes decoding them.
void AddPatches(std::vector<Case>& cases) {
  const auto add = [&](const std::string& name, const std::string& document, std::string patch,
                       Patch apply) {
    cases.push_back({name, std::move(patch), [=](const std::string& body) {
                       const auto decoded = object::DecodeJson(body, nullptr);
                       if (!decoded) return decoded.error().ToString();
                       auto target = object::DecodeJson(document, nullptr);
                       if (!target) return target.error().ToString();
                       return Outcome(apply(decoded->root(), *target));
                     }});
  };
  const auto repeat = [](std::string_view operation, size_t count) {
    std::string patch = "[";
    for (size_t i = 0; i < count; ++i) patch.append(i == 0 ? "" : ",").append(operation);
    return patch + ']';
  };
  const std::string large_list = R"({"a":[)" + Repeat("1,", kBytes / 2) + "1]}";
  add("json_patch_10001_operations", "{}", repeat(R"({"op":"add","path":"/a","value":1})", 10001),
      object::ApplyJsonPatch);
  add("json_patch_10000_inserts_in_front", large_list,
      repeat(R"({"op":"add","path":"/a/0","value":1})", 10000), object::ApplyJsonPatch);
  add("json_patch_10000_tests_of_a_large_list", R"({"a":[1],"b":)" + large_list + '}',
      repeat(R"({"op":"test","path":"/b","value":{"a":[1]}})", 10000), object::ApplyJsonPatch);
  add("json_patch_copies_that_double", R"({"a":[1,1,1,1,1,1,1,1,1,1]})",
      repeat(R"({"op":"copy","from":"","path":"/a/-"})", 30), object::ApplyJsonPatch);
  add("json_patch_copies_of_a_list_into_itself", R"({"a":[1,1,1,1,1,1,1,1,1,1]})",
      repeat(R"({"op":"copy","from":"/a","path":"/a/-"})", 100), object::ApplyJsonPatch);
  add("json_patch_long_paths", "{}", R"([{"op":"add","value":1,"path":")" + Repeat("/a") + R"("}])",
      object::ApplyJsonPatch);
  add("merge_patch_nested", "{}", Repeat(R"({"a":)"), object::ApplyMergePatch);
  add("merge_patch_many_keys", "{}",
      '{' + Number([](const auto& i) { return '"' + i + R"(":1,)"; }) + '}',
      object::ApplyMergePatch);

  const Patch strategic = [](const object::Value& patch, object::Document& document) {
    return object::ApplyStrategicMergePatch(patch, object::FindKind("v1", "Pod"), document);
  };
  const std::string containers =
      Number([](const auto& i) { return R"({"name":"c)" + i + R"("},)"; });
  const std::string names = Number([](const auto& i) { return "\"f" + i + "\","; });
  const std::string pod = R"({"spec":{"containers":[)" + containers + "]}}";
  const std::string finalizers = R"({"metadata":{"finalizers":[)" + names + "]}}";
  add("strategic_merge_containers", pod, pod, strategic);
  add("strategic_order_of_containers", pod,
      R"({"spec":{"$setElementOrder/containers":[)" + containers + "]}}", strategic);
  add("strategic_merge_finalizers", finalizers, finalizers, strategic);
  add("strategic_delete_finalizers", finalizers,
      R"({"metadata":{"$deleteFromPrimitiveList/finalizers":[)" + names + "]}}", strategic);
  add("strategic_equal_containers", "{}",
      R"({"spec":{"containers":[)" + Repeat(R"({"name":"a"},)") + R"({"name":"a"}]}})", strategic);
}

// A line of /proc/self/status, in megabytes.
double StatusMb(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::stod(line.substr(name.size() + 1)) / 1024;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// How much the process grows while the work is done.
template <typename Work>
double PeakMb(Work work) {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak is what is in use now
  const double before = StatusMb("VmRSS");
  work();
  return StatusMb("VmHWM") - before;
}

// The case that needs most of something.
struct Worst {
  double value = 0;
  std::string name = "none";

  void Note(double other, const std::string& other_name) {
    if (other > value) *this = {other, other_name};
  }
  void Print(Report& report, const char* figure, const char* unit, double limit,
             const char* limit_name) const {
    std::printf("# %s is %s\n", figure, name.c_str());
    report.Figure(figure, value, unit, value / limit, limit_name, AtMost(1.0));
  }
};

}  // namespace

void BenchBadInput(Report& report) {
  std::vector<Case> cases;
  AddJson(cases);
  AddProtobuf(cases);
  AddYaml(cases);
  AddPatches(cases);
  Worst refused, accepted, memory;
  for (const Case& bad : cases) {
    std::string outcome;
    const double mb = PeakMb([&] { outcome = bad.run(bad.input); });
    const double ms = 1e3 * BestSeconds([&] { outcome = bad.run(bad.input); }, kSecondsEach);
    (outcome.empty() ? accepted : refused).Note(ms, bad.name);
    memory.Note(mb, bad.name);
    std::printf("# bad_input %s %.3f ms %.0f MB: %s\n", bad.name.c_str(), ms, mb,
                outcome.empty() ? "accepted" : outcome.substr(0, 160).c_str());
    std::fflush(stdout);
  }
  refused.Print(report, "bad_input_slowest", "ms", kRefusedLimitMs, "the_limit_50_ms");
  accepted.Print(report, "dense_input_slowest", "ms", kAcceptedLimitMs, "the_limit_150_ms");
  memory.Print(report, "bad_input_largest", "MB", kMemoryLimitMb, "the_limit_256_MB");
}

}  // namespace skiff::bench
