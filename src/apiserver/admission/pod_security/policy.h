// Pod Security Standards: which level of them holds in a namespace, and in which version.
//
// A namespace says so in labels, pod-security.kubernetes.io/MODE and MODE-version, where the mode
// is enforce (pods are refused), audit (noted in the audit log) or warn (the client is told). What
// labels leave open comes from the configuration of the server.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "object/view.h"

namespace skiff::apiserver::pod_security {

// In order of strictness.
enum class Level : uint8_t { kPrivileged, kBaseline, kRestricted };

// A release of Kubernetes, 1.MINOR, or the latest one, which is newer than all others.
struct PolicyVersion {
  static constexpr int kLatest = std::numeric_limits<int>::max();
  int minor = kLatest;
  friend auto operator<=>(PolicyVersion, PolicyVersion) = default;
};

struct LevelVersion {
  Level level = Level::kPrivileged;
  PolicyVersion version = {};

  // "restricted:latest", "baseline:v1.30".
  std::string ToString() const;
  // Versions of the privileged level are all the same.
  bool IsEquivalent(const LevelVersion& other) const;
  friend bool operator==(const LevelVersion&, const LevelVersion&) = default;
};

struct Policy {
  LevelVersion enforce;
  LevelVersion audit;
  LevelVersion warn;

  bool IsFullyPrivileged() const;
  bool IsEquivalent(const Policy& other) const;
};

inline constexpr std::string_view kEnforceLabel = "pod-security.kubernetes.io/enforce";
inline constexpr std::string_view kEnforceVersionLabel =
    "pod-security.kubernetes.io/enforce-version";
inline constexpr std::string_view kAuditLabel = "pod-security.kubernetes.io/audit";
inline constexpr std::string_view kAuditVersionLabel = "pod-security.kubernetes.io/audit-version";
inline constexpr std::string_view kWarnLabel = "pod-security.kubernetes.io/warn";
inline constexpr std::string_view kWarnVersionLabel = "pod-security.kubernetes.io/warn-version";

// Nothing when the text is none; kLevelProblem and kVersionProblem say what it should be.
std::optional<Level> ParseLevel(std::string_view text);
std::optional<PolicyVersion> ParseVersion(std::string_view text);
inline constexpr std::string_view kLevelProblem = "must be one of privileged, baseline, restricted";
inline constexpr std::string_view kVersionProblem = R"(must be "latest" or "v1.x")";

// A label that does not say what it should.
struct LabelProblem {
  std::string label;
  std::string value;
  std::string_view why;
  friend bool operator==(const LabelProblem&, const LabelProblem&) = default;
};

struct NamespacePolicy {
  Policy policy;
  std::vector<LabelProblem> problems;
};

// What is wrong fails closed for enforce (restricted, latest) and open for audit and warn. A
// namespace that enforces more than it warns about, and says nothing of warnings, warns about what
// it enforces.
NamespacePolicy PolicyOfLabels(const object::MapView<std::string_view>& labels,
                               const Policy& defaults);

}  // namespace skiff::apiserver::pod_security
