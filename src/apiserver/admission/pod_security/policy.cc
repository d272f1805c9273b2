#include "apiserver/admission/pod_security/policy.h"

#include <charconv>

namespace skiff::apiserver::pod_security {
namespace {

std::string_view LevelName(Level level) {
  switch (level) {
    case Level::kPrivileged:
      return "privileged";
    case Level::kBaseline:
      return "baseline";
    case Level::kRestricted:
      break;
  }
  return "restricted";
}

class LabelReader {
 public:
  LabelReader(const object::MapView<std::string_view>& labels, std::vector<LabelProblem>& problems)
      : labels_(labels), problems_(problems) {}

  // Whether there is such a label. If it is wrong, `level` becomes `fallback`.
  bool Read(std::string_view label, Level fallback, Level& level) {
    const std::optional<std::string_view> text = labels_.Find(label);
    if (!text) return false;
    const std::optional<Level> parsed = ParseLevel(*text);
    if (!parsed) Add(label, *text, kLevelProblem);
    level = parsed.value_or(fallback);
    return true;
  }
  bool Read(std::string_view label, PolicyVersion& version) {
    const std::optional<std::string_view> text = labels_.Find(label);
    if (!text) return false;
    const std::optional<PolicyVersion> parsed = ParseVersion(*text);
    if (!parsed) Add(label, *text, kVersionProblem);
    version = parsed.value_or(PolicyVersion{});
    return true;
  }

 private:
  void Add(std::string_view label, std::string_view value, std::string_view why) {
    problems_.push_back({std::string(label), std::string(value), why});
  }

  const object::MapView<std::string_view>& labels_;
  std::vector<LabelProblem>& problems_;
};

}  // namespace

std::string LevelVersion::ToString() const {
  std::string out(LevelName(level));
  if (version.minor == PolicyVersion::kLatest) return out + ":latest";
  return out + ":v1." + std::to_string(version.minor);
}

bool LevelVersion::IsEquivalent(const LevelVersion& other) const {
  return level == other.level && (level == Level::kPrivileged || version == other.version);
}

bool Policy::IsFullyPrivileged() const {
  return enforce.level == Level::kPrivileged && audit.level == Level::kPrivileged &&
         warn.level == Level::kPrivileged;
}

bool Policy::IsEquivalent(const Policy& other) const {
  return enforce.IsEquivalent(other.enforce) && audit.IsEquivalent(other.audit) &&
         warn.IsEquivalent(other.warn);
}

std::optional<Level> ParseLevel(std::string_view text) {
  for (const Level level : {Level::kPrivileged, Level::kBaseline, Level::kRestricted}) {
    if (text == LevelName(level)) return level;
  }
  return std::nullopt;
}

std::optional<PolicyVersion> ParseVersion(std::string_view text) {
  if (text == "latest") return PolicyVersion{};
  if (!text.starts_with("v1.")) return std::nullopt;
  text.remove_prefix(3);
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  int minor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), minor);
  if (error != std::errc() || end != text.data() + text.size() || minor < 0) return std::nullopt;
  return PolicyVersion{minor};
}

NamespacePolicy PolicyOfLabels(const object::MapView<std::string_view>& labels,
                               const Policy& defaults) {
  NamespacePolicy out{defaults, {}};
  if (labels.empty()) return out;
  Policy& policy = out.policy;
  LabelReader reader(labels, out.problems);
  const bool has_enforce = reader.Read(kEnforceLabel, Level::kRestricted, policy.enforce.level);
  const bool enforce_is_good = has_enforce && out.problems.empty();
  reader.Read(kEnforceVersionLabel, policy.enforce.version);
  reader.Read(kAuditLabel, Level::kPrivileged, policy.audit.level);
  reader.Read(kAuditVersionLabel, policy.audit.version);
  const bool has_warn = reader.Read(kWarnLabel, Level::kPrivileged, policy.warn.level);
  const bool has_warn_version = reader.Read(kWarnVersionLabel, policy.warn.version);
  if (!has_warn && enforce_is_good && policy.enforce.level > policy.warn.level) {
    policy.warn.level = policy.enforce.level;
    if (!has_warn_version) policy.warn.version = policy.enforce.version;
  }
  return out;
}

}  // namespace skiff::apiserver::pod_security
