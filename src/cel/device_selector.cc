#include "cel/device_selector.h"

#include <array>
#include <optional>

#include "cel/cost_estimate.h"
#include "cel/functions.h"
#include "cel/values/quantity.h"
#include "cel/values/semver.h"

namespace skiff::cel {
namespace {

constexpr uint64_t kMaxDomain = 63;
constexpr uint64_t kMaxId = 32;
constexpr uint64_t kMaxDriver = 63;
constexpr uint64_t kMaxEntries = 32;
constexpr uint64_t kMaxAttributeText = 64;
constexpr size_t kMaxAttributeValues = 48;

Val Includes(Evaluation& e, Args args) {
  if (args[0].kind() != Kind::kList) return Val::Bool(Equal(e.arena(), args[0], args[1]));
  for (size_t i = 0; i < ListSize(args[0]); ++i) {
    if (i >= kMaxAttributeValues) {
      return e.Error("'includes' function cannot be applied to lists longer than " +
                     std::to_string(kMaxAttributeValues) + " values");
    }
    if (Equal(e.arena(), ListAt(e.arena(), args[0], i), args[1])) return Val::Bool(true);
  }
  return Val::Bool(false);
}

constexpr std::array kRows = std::to_array<OverloadRow>({
    {"includes", "dra_includes_dyn_dyn", "dyn.(dyn) -> bool", Includes},
});

std::shared_ptr<const Environment> DeviceEnvironment() {
  static const std::shared_ptr<const Environment> devices = [] {
    auto environment = std::make_shared<Environment>(Environment::Base());
    environment->SetOptions({.bind_macro = true});
    environment->AddFunctions(kRows);
    Types& types = environment->types();
    const auto by_domain = [&](const Type* value) {
      return types.Map(&types::kString, types.Map(&types::kString, value));
    };
    StructDecl& device = types.Struct("kubernetes.DRADevice");
    device.fields["driver"] = &types::kString;
    device.fields["allowMultipleAllocations"] = &types::kBool;
    device.fields["attributes"] = by_domain(&types::kAny);
    device.fields["capacity"] = by_domain(&types::kQuantity);
    environment->AddVariable("device", device.type);
    return environment;
  }();
  return devices;
}

class DeviceSizes final : public SizeSource {
 public:
  std::optional<SizeRange> SizeOf(std::span<const std::string> path) const override {
    if (path.empty() || path[0] != "device") return {};
    if (path.size() == 1) return SizeRange{0, 0};
    if (path[1] == "driver" || path[1] == "allowMultipleAllocations") {
      if (path.size() > 2) return {};
      return SizeRange{0, path[1] == "driver" ? kMaxDriver : 1};
    }
    if (path[1] != "attributes" && path[1] != "capacity") return {};
    if (path.size() == 2) return SizeRange{0, kMaxEntries};
    if (path[2] == "@keys") return path.size() == 3 ? Most(kMaxDomain) : std::nullopt;
    if (path[2] != "@values" && path[2] != "@items") return {};
    if (path.size() == 3) return Most(kMaxEntries);
    if (path.size() > 4) return {};
    if (path[3] == "@keys") return Most(kMaxId);
    if (path[1] == "attributes") return Most(kMaxAttributeText);
    return path[3] == "@values" || path[3] == "@items" ? Most(0) : std::nullopt;
  }

 private:
  static std::optional<SizeRange> Most(uint64_t size) { return SizeRange{0, size}; }
};

Result<Val> ValueOf(Evaluation& e, const DeviceAttribute& attribute) {
  if (const auto* number = std::get_if<int64_t>(&attribute)) return Val::Int(*number);
  if (const auto* flag = std::get_if<bool>(&attribute)) return Val::Bool(*flag);
  if (const auto* text = std::get_if<std::string>(&attribute)) return e.String(*text);
  if (const auto* version = std::get_if<SemanticVersion>(&attribute)) {
    Result<Semver> parsed = SemverFromText(version->text);
    if (!parsed) return BadRequest("parse semantic version: " + parsed.error().message());
    return e.MakeOpaque(types::kSemver, OpaqueKind::kSemver, std::move(*parsed));
  }
  return BadRequest("unsupported attribute value");
}

// Values by domain and name, as a map of maps in which every domain is found.
class ByDomain {
 public:
  explicit ByDomain(Evaluation& e) : e_(e) {}

  void Add(std::string_view name, std::string_view driver, const Val& value) {
    const size_t slash = name.find('/');
    const bool plain = slash == std::string_view::npos;
    const std::string domain(plain ? driver : name.substr(0, slash));
    domains_.try_emplace(domain, e_.arena())
        .first->second.Set(e_.String(plain ? name : name.substr(slash + 1)), value);
  }
  Val Done() {
    MapBuilder out(e_.arena(), domains_.size());
    for (const auto& [domain, values] : domains_) out.Set(e_.String(domain), values.Done());
    out.SetFallback(MapBuilder(e_.arena(), 0).Done());
    return out.Done();
  }

 private:
  Evaluation& e_;
  std::map<std::string, MapBuilder> domains_;
};

}  // namespace

DeviceSelector CompileDeviceSelector(std::string_view expression) {
  DeviceSelector out;
  const CompileResult compiled = Compile(expression, DeviceEnvironment());
  if (!compiled.issues.empty()) {
    out.error = "compilation failed: " + compiled.display;
    return out;
  }
  const Type& type = compiled.checked->type();
  if (type.kind != TypeKind::kBool && type.kind != TypeKind::kAny) {
    out.error = "must evaluate to bool or the unknown type, not " + TypeText(type);
    return out;
  }
  if (compiled.program == nullptr) {
    out.error = "program instantiation failed: " + compiled.program_error;
    out.is_internal = true;
    return out;
  }
  out.program = compiled.program;
  const DeviceSizes sizes;
  out.max_cost = EstimateCost(*out.program, &sizes).max;
  return out;
}

Result<bool> MatchesDevice(const Program& selector, const Device& device, Evaluation& evaluation) {
  ByDomain attributes(evaluation);
  for (const auto& [name, attribute] : device.attributes) {
    const Result<Val> value = ValueOf(evaluation, attribute);
    if (!value) return BadRequest("attribute " + name + ": " + value.error().message());
    attributes.Add(name, device.driver, *value);
  }
  ByDomain capacity(evaluation);
  for (const auto& [name, text] : device.capacity) {
    SKIFF_ASSIGN_OR_RETURN(object::Quantity quantity, QuantityFromText(text));
    capacity.Add(
        name, device.driver,
        evaluation.MakeOpaque(types::kQuantity, OpaqueKind::kQuantity, std::move(quantity)));
  }
  MapBuilder fields(evaluation.arena());
  fields.Set(Val::String("driver"), evaluation.String(device.driver));
  fields.Set(Val::String("allowMultipleAllocations"), Val::Bool(device.allow_multiple_allocations));
  fields.Set(Val::String("attributes"), attributes.Done());
  fields.Set(Val::String("capacity"), capacity.Done());
  const Val value = fields.Done();
  // `device` is the only variable.
  const Val result = evaluation.Run(selector, std::span(&value, 1));
  if (result.is_error()) return BadRequest(std::string(result.AsText()));
  if (!result.is_bool()) {
    return BadRequest("CEL result of type " + std::string(TypeNameOf(result)) +
                      " could not be converted to bool: type conversion error from '" +
                      std::string(TypeNameOf(result)) + "' to 'bool'");
  }
  return result.AsBool();
}

}  // namespace skiff::cel
