#include "cel/cases/device_case.h"

#include "cel/cases/record_text.h"
#include "cel/device_selector.h"

namespace skiff::cel {
namespace {

DeviceAttribute ReadAttribute(const object::Value& json) {
  if (const object::Value* number = json.Find("int")) return number->AsInt();
  if (const object::Value* flag = json.Find("bool")) return flag->AsBool();
  if (json.Find("string") != nullptr) return std::string(Text(json, "string"));
  if (json.Find("version") != nullptr) return SemanticVersion{std::string(Text(json, "version"))};
  return {};
}

Device ReadDevice(const object::Value& json) {
  Device device;
  device.driver = Text(json, "driver");
  const object::Value* multiple = json.Find("allowMultipleAllocations");
  device.allow_multiple_allocations =
      multiple != nullptr && multiple->tag() == object::Tag::kBool && multiple->AsBool();
  if (const object::Value* all = json.Find("attributes"); all != nullptr && all->is_map()) {
    for (const object::MapEntry& entry : all->entries()) {
      device.attributes.emplace(std::string(entry.key), ReadAttribute(entry.value));
    }
  }
  if (const object::Value* all = json.Find("capacity"); all != nullptr && all->is_map()) {
    for (const object::MapEntry& entry : all->entries()) {
      device.capacity.emplace(std::string(entry.key), std::string(Text(entry.value, "value")));
    }
  }
  return device;
}

void Expect(std::string& out, std::string_view what, std::string_view got, std::string_view want) {
  if (got == want) return;
  out += std::string(what) + " " + std::string(got) + ", not " + std::string(want) + "; ";
}

}  // namespace

std::string RunDeviceCase(const object::Value& record) {
  const object::Value& expect = *record.Find("expect");
  const DeviceSelector selector = CompileDeviceSelector(Text(record, "expr"));
  std::string out;
  const bool compiles = Text(expect, "outcome") != "compile-error";
  if (!compiles || selector.program == nullptr) {
    Expect(out, "error", selector.error, compiles ? "" : Text(expect, "error"));
    return out;
  }
  Expect(out, "type", TypeText(selector.program->type()), Text(expect, "type"));
  const auto number = [&](std::string_view name, uint64_t got) {
    const object::Value* want = expect.Find(name);
    if (want == nullptr) return;
    const bool same = want->tag() == object::Tag::kInt
                          ? got == static_cast<uint64_t>(want->AsInt())
                          : static_cast<double>(got) == want->AsDouble();
    if (!same) out += std::string(name) + " " + std::to_string(got) + "; ";
  };
  number("maxCost", selector.max_cost);
  Evaluation evaluation(kDeviceSelectorCostLimit);
  const Result<bool> matches =
      MatchesDevice(*selector.program, ReadDevice(*record.Find("device")), evaluation);
  number("cost", evaluation.cost());
  if (const object::Value* want = expect.Find("matches"); want != nullptr && matches) {
    if (*matches != want->AsBool()) out += "matches differs; ";
  } else {
    Expect(out, "error", matches ? "" : matches.error().message(), Text(expect, "error"));
  }
  return out;
}

}  // namespace skiff::cel
