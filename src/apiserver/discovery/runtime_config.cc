#include "apiserver/discovery/runtime_config.h"

#include <optional>

#include "base/limits.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

std::string_view TakeUntil(std::string_view& rest, char separator) {
  const size_t end = rest.find(separator);
  const std::string_view taken = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return taken;
}

std::optional<bool> ParseBool(std::string_view text) {
  for (const std::string_view yes : {"", "1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

// v1, v1beta1: the letters between the numbers.
std::string_view StageOf(std::string_view version) {
  const auto digits = [&] {
    while (!version.empty() && IsDigit(version.front())) version.remove_prefix(1);
    while (!version.empty() && IsDigit(version.back())) version.remove_suffix(1);
  };
  if (version.starts_with('v')) version.remove_prefix(1);
  digits();
  return version;
}

bool GroupExists(std::string_view group) {
  for (const object::GroupVersionInfo& version : object::ServedGroupVersions()) {
    if (version.desc->group == group) return true;
  }
  return false;
}

std::unexpected<Status> BadEntry(std::string_view key, const std::string& what) {
  return BadRequest("--runtime-config: " + Quoted(key) + ": " + what);
}

struct ConfigKey {
  std::string_view group;
  std::string_view version;
  std::string_view resource;  // "" when the whole version is meant
};

// group/version[/resource]; the core group is empty or "api", and may be left out of a version
// alone.
std::optional<ConfigKey> ParseKey(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return ConfigKey{"", key, ""};
  ConfigKey parsed{key.substr(0, slash), key.substr(slash + 1), ""};
  const size_t second = parsed.version.find('/');
  if (second != std::string_view::npos) {
    parsed.resource = parsed.version.substr(second + 1);
    parsed.version = parsed.version.substr(0, second);
    if (parsed.resource.empty() || parsed.resource.find('/') != std::string_view::npos) {
      return std::nullopt;
    }
  }
  if (parsed.group == "api" && parsed.version == "v1") parsed.group = "";
  return parsed;
}

}  // namespace

Result<RuntimeConfig> RuntimeConfig::Parse(std::string_view text) {
  RuntimeConfig config;
  SKIFF_RETURN_IF_ERROR(config.Add(text));
  return config;
}

Result<void> RuntimeConfig::Add(std::string_view text) {
  while (!text.empty()) {
    std::string_view value = TakeUntil(text, ',');
    if (TrimSpace(value).empty()) continue;
    const std::string_view key = TakeUntil(value, '=');
    SKIFF_RETURN_IF_ERROR(AddEntry(TrimSpace(key), TrimSpace(value)));
  }
  if (maturities_[0] == Setting::kOff && choices_.empty() && maturities_[1] != Setting::kOn &&
      maturities_[2] != Setting::kOn && maturities_[3] != Setting::kOn) {
    return BadEntry("api/all", "false alone would leave nothing to serve");
  }
  return {};
}

Result<void> RuntimeConfig::AddEntry(std::string_view key, std::string_view value) {
  if (key == "api/all") return AddMaturity(Maturity::kAll, key, value);
  if (key == "api/ga") return AddMaturity(Maturity::kGa, key, value);
  if (key == "api/beta") return AddMaturity(Maturity::kBeta, key, value);
  if (key == "api/alpha") return AddMaturity(Maturity::kAlpha, key, value);
  const std::optional<ConfigKey> parsed = ParseKey(key);
  if (!parsed) return BadEntry(key, "expected group/version or group/version/resource");
  // Once served, and named by scripts ever since.
  if (parsed->group == "extensions" && parsed->version == "v1beta1") return {};
  if (!GroupExists(parsed->group)) return BadEntry(key, "there is no such API group");
  const object::GroupVersionInfo* const version =
      object::FindGroupVersion(parsed->group, parsed->version);
  if (version == nullptr) return BadEntry(key, "the group has no such version");
  const object::ResourceDesc* resource = nullptr;
  if (!parsed->resource.empty()) {
    resource = version->FindResource(parsed->resource);
    if (resource == nullptr) {
      return BadEntry(key, "the version has no such resource (plural, in lower case)");
    }
  }
  const std::optional<bool> enabled = ParseBool(value);
  if (!enabled) return BadEntry(key, "expected true or false, not " + Quoted(value));
  if (choices_.size() >= limits::kMaxRuntimeConfigEntries) {
    return BadEntry(key, "there are too many entries");
  }
  choices_.push_back({version, resource, *enabled});
  return {};
}

Result<void> RuntimeConfig::AddMaturity(Maturity maturity, std::string_view key,
                                        std::string_view value) {
  if (value != "true" && value != "false") {
    return BadEntry(key, "expected true or false, not " + Quoted(value));
  }
  maturities_[static_cast<size_t>(maturity)] = value == "true" ? Setting::kOn : Setting::kOff;
  return {};
}

const RuntimeConfig::Choice* RuntimeConfig::FindChoice(const object::GroupVersionInfo* version,
                                                       const object::ResourceDesc* resource) const {
  for (size_t i = choices_.size(); i-- != 0;) {
    if (choices_[i].version == version && choices_[i].resource == resource) return &choices_[i];
  }
  return nullptr;
}

bool RuntimeConfig::ServesVersion(const object::GroupVersionInfo& version) const {
  if (const Choice* choice = FindChoice(&version, nullptr)) return choice->enabled;
  const std::string_view stage = StageOf(version.desc->version);
  const Maturity maturity = stage.empty()      ? Maturity::kGa
                            : stage == "beta"  ? Maturity::kBeta
                            : stage == "alpha" ? Maturity::kAlpha
                                               : Maturity::kAll;
  for (const Maturity level : {maturity, Maturity::kAll}) {
    const Setting setting = maturities_[static_cast<size_t>(level)];
    if (setting != Setting::kUnset) return setting == Setting::kOn;
  }
  return version.enabled_by_default;
}

bool RuntimeConfig::Serves(const object::ResourceDesc& resource) const {
  if (const Choice* choice = FindChoice(resource.version, &resource)) return choice->enabled;
  return ServesVersion(*resource.version);
}

}  // namespace skiff::apiserver
