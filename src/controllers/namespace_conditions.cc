#include "controllers/namespace_conditions.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/limits.h"
#include "views/core/v1.h"

namespace skiff::controllers {
namespace {

namespace core_v1 = views::core_v1;

struct ConditionType {
  std::string_view type;
  std::string_view failed_reason;
  std::string_view fine_reason;
  std::string_view fine_message;
};

constexpr std::array<ConditionType, 5> kConditions = {{
    {"NamespaceDeletionDiscoveryFailure", "DiscoveryFailed", "ResourcesDiscovered",
     "All resources successfully discovered"},
    {"NamespaceDeletionGroupVersionParsingFailure", "GroupVersionParsingFailed",
     "ParsedGroupVersions", "All legacy kube types successfully parsed"},
    {"NamespaceDeletionContentFailure", "ContentDeletionFailed", "ContentDeleted",
     "All content successfully deleted, may be waiting on finalization"},
    {"NamespaceContentRemaining", "SomeResourcesRemain", "ContentRemoved",
     "All content successfully removed"},
    {"NamespaceFinalizersRemaining", "SomeFinalizersRemain", "ContentHasNoFinalizers",
     "All content-preserving finalizers finished"},
}};

std::string Joined(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  std::string all;
  for (const std::string& text : texts) {
    if (all.size() >= limits::kMaxConditionMessageBytes) break;
    if (!all.empty()) all += ", ";
    all += text;
  }
  return all;
}

std::string Counted(const std::map<std::string, int64_t>& counts, std::string_view verb) {
  std::vector<std::string> texts;
  for (const auto& [what, count] : counts) {
    texts.push_back(what + std::string(verb) + std::to_string(count) + " resource instances");
  }
  return Joined(std::move(texts));
}

// In the order of kConditions; empty: nothing is in the way.
std::array<std::string, 5> Messages(const NamespaceFindings& findings) {
  std::array<std::string, 5> messages = {findings.discovery_failure, findings.parsing_failure};
  if (!findings.content_failures.empty()) {
    messages[2] = "Failed to delete all resource types, " +
                  std::to_string(findings.content_failures.size()) +
                  " remaining: " + Joined(findings.content_failures);
  }
  if (!findings.remaining.empty()) {
    messages[3] = "Some resources are remaining: " + Counted(findings.remaining, " has ");
  }
  if (!findings.finalizers.empty()) {
    messages[4] = "Some content in the namespace has finalizers remaining: " +
                  Counted(findings.finalizers, " in ");
  }
  for (std::string& message : messages) {
    if (message.size() <= limits::kMaxConditionMessageBytes) continue;
    message.resize(limits::kMaxConditionMessageBytes);
    // Not in the middle of a character.
    while (!message.empty() && (message.back() & 0xC0) == 0x80) message.pop_back();
    if (!message.empty() && (message.back() & 0x80) != 0) message.pop_back();
  }
  return messages;
}

bool SetCondition(core_v1::MutableNamespaceStatus status, const ConditionType& type,
                  const std::string& failure, object::Timestamp now) {
  const std::string_view state = failure.empty() ? "False" : "True";
  const std::string_view reason = failure.empty() ? type.fine_reason : type.failed_reason;
  const std::string_view message = failure.empty() ? type.fine_message : failure;

  size_t index = 0;
  for (const core_v1::NamespaceCondition condition : status.Read().conditions()) {
    if (condition.type() == type.type) break;
    ++index;
  }
  if (index == status.Read().conditions().size()) {
    auto added = status.add_conditions();
    added.set_type(type.type);
    added.set_status(state);
    added.set_last_transition_time(now);
    added.set_reason(reason);
    added.set_message(message);
    return true;
  }
  auto condition = status.mutable_conditions(index);
  const core_v1::NamespaceCondition before = condition.Read();
  const bool turned = before.status() != state;
  if (!turned && before.reason() == reason && before.message() == message) return false;
  if (turned) condition.set_last_transition_time(now);
  condition.set_status(state);
  condition.set_reason(reason);
  condition.set_message(message);
  return true;
}

}  // namespace

std::string NamespaceFindings::Failures() const {
  std::vector<std::string> all = content_failures;
  if (!discovery_failure.empty()) all.push_back(discovery_failure);
  if (!parsing_failure.empty()) all.push_back(parsing_failure);
  return Joined(std::move(all));
}

std::string IncompleteDiscovery(const std::vector<std::string>& unavailable) {
  std::vector<std::string> texts;
  texts.reserve(unavailable.size());
  for (const std::string& version : unavailable) {
    texts.push_back(version + ": stale GroupVersion discovery: " + version);
  }
  return "Discovery failed for some groups, " + std::to_string(unavailable.size()) +
         " failing: unable to retrieve the complete list of server APIs: " +
         Joined(std::move(texts));
}

bool SetNamespaceConditions(const NamespaceFindings& findings, object::Timestamp now,
                            object::Document& name_space) {
  const std::array<std::string, 5> messages = Messages(findings);
  core_v1::MutableNamespace view(name_space);
  bool changed = false;
  for (size_t i = 0; i < kConditions.size(); ++i) {
    changed |= SetCondition(view.mutable_status(), kConditions[i], messages[i], now);
  }
  return changed;
}

}  // namespace skiff::controllers
