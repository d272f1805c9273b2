#include "apiserver/authz/policy_rule.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/go_quoted.h"
#include "base/limits.h"

namespace skiff::apiserver {
namespace {

using Strings = std::vector<std::string>;

bool Has(const Strings& set, std::string_view item) {
  return std::find(set.begin(), set.end(), item) != set.end();
}

bool IsStar(std::string_view text) { return text.size() == 1 && text[0] == '*'; }

// Runs for each rule of each request: in one pass, and most often by the length alone.
bool HasOrAll(const Strings& set, std::string_view item) {
  for (const std::string_view each : set) {
    if (each == item || IsStar(each)) return true;
  }
  return false;
}

bool MatchesResource(const Strings& patterns, std::string_view resource, std::string_view sub) {
  for (const std::string_view pattern : patterns) {
    if (IsStar(pattern)) return true;
    if (sub.empty()) {
      if (pattern == resource) return true;
      continue;
    }
    // "*/sub" or "resource/sub", compared in place: this runs for each request.
    if (pattern.size() <= sub.size() || !pattern.ends_with(sub)) continue;
    std::string_view owner = pattern.substr(0, pattern.size() - sub.size());
    if (!owner.ends_with('/')) continue;
    owner.remove_suffix(1);
    if (owner == "*" || owner == resource) return true;
  }
  return false;
}

// A pattern that ends with stars matches what begins like the rest of it.
bool MatchesUrl(std::string_view pattern, std::string_view url) {
  if (pattern == url) return true;
  if (!pattern.ends_with('*')) return false;
  const size_t last = pattern.find_last_not_of('*');
  return url.starts_with(pattern.substr(0, last == pattern.npos ? 0 : last + 1));
}

bool MatchesAnyUrl(const Strings& patterns, std::string_view url) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return MatchesUrl(pattern, url); });
}

bool CoversResource(const Strings& patterns, std::string_view resource) {
  if (HasOrAll(patterns, resource)) return true;
  const size_t slash = resource.find('/');
  return slash != resource.npos && Has(patterns, "*" + std::string(resource.substr(slash)));
}

// Whether one rule covers one piece. A piece has one of everything or nothing.
bool CoversPiece(const PolicyRule& owner, const PolicyRule& piece) {
  if (!HasOrAll(owner.verbs, piece.verbs.front())) return false;
  if (!piece.non_resource_urls.empty()) {
    return owner.resource_names.empty() &&
           MatchesAnyUrl(owner.non_resource_urls, piece.non_resource_urls.front());
  }
  if (!HasOrAll(owner.api_groups, piece.api_groups.front())) return false;
  if (!CoversResource(owner.resources, piece.resources.front())) return false;
  if (owner.resource_names.empty()) return true;
  return !piece.resource_names.empty() && Has(owner.resource_names, piece.resource_names.front());
}

// How many pieces a rule has; beyond what anybody counts it stays at the bound.
size_t CountPieces(const PolicyRule& rule) {
  size_t count = rule.verbs.size();
  for (const size_t factor : {rule.api_groups.size(), rule.resources.size(),
                              std::max<size_t>(1, rule.resource_names.size())}) {
    if (factor != 0 && count > limits::kMaxRulePieces / factor) return limits::kMaxRulePieces + 1;
    count *= factor;
  }
  return count + rule.verbs.size() * rule.non_resource_urls.size();
}

void AppendPieces(const PolicyRule& rule, std::vector<PolicyRule>& pieces) {
  for (const std::string& group : rule.api_groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        PolicyRule piece{.verbs = {verb}, .api_groups = {group}, .resources = {resource}};
        if (rule.resource_names.empty()) pieces.push_back(piece);
        for (const std::string& name : rule.resource_names) {
          piece.resource_names = {name};
          pieces.push_back(piece);
        }
      }
    }
  }
  for (const std::string& url : rule.non_resource_urls) {
    for (const std::string& verb : rule.verbs) {
      pieces.push_back({.verbs = {verb}, .non_resource_urls = {url}});
    }
  }
}

Strings ReadStrings(const object::Value& rule, std::string_view field) {
  Strings strings;
  const object::Value* list = rule.Find(field);
  if (list == nullptr || !list->is_list()) return strings;
  strings.reserve(list->size());
  for (const object::Value& item : list->items()) {
    if (item.is_string()) strings.emplace_back(item.AsText());
  }
  return strings;
}

void AppendPart(std::string& out, std::string_view name, const Strings& items) {
  if (items.empty()) return;
  if (out.size() > 1) out += ", ";
  out += name;
  out += ':';
  out += QuotedList(items);
}

}  // namespace

PolicyRule ReadPolicyRule(const object::Value& rule) {
  return {.verbs = ReadStrings(rule, "verbs"),
          .api_groups = ReadStrings(rule, "apiGroups"),
          .resources = ReadStrings(rule, "resources"),
          .resource_names = ReadStrings(rule, "resourceNames"),
          .non_resource_urls = ReadStrings(rule, "nonResourceURLs")};
}

std::vector<PolicyRule> ReadPolicyRules(const object::Value* rules) {
  std::vector<PolicyRule> out;
  if (rules == nullptr || !rules->is_list()) return out;
  out.reserve(rules->size());
  for (const object::Value& rule : rules->items()) out.push_back(ReadPolicyRule(rule));
  return out;
}

bool RuleAllows(const PolicyRule& rule, const serving::AccessAttributes& attributes) {
  if (!HasOrAll(rule.verbs, attributes.verb)) return false;
  if (!attributes.is_resource) return MatchesAnyUrl(rule.non_resource_urls, attributes.path);
  return HasOrAll(rule.api_groups, attributes.group) &&
         MatchesResource(rule.resources, attributes.resource, attributes.subresource) &&
         (rule.resource_names.empty() || Has(rule.resource_names, attributes.name));
}

std::vector<PolicyRule> UncoveredRules(const std::vector<PolicyRule>& owners,
                                       const std::vector<PolicyRule>& servants) {
  size_t count = 0;
  for (const PolicyRule& rule : servants) {
    count += CountPieces(rule);
    if (count > limits::kMaxRulePieces) return servants;
  }
  std::vector<PolicyRule> pieces;
  for (const PolicyRule& rule : servants) AppendPieces(rule, pieces);
  std::erase_if(pieces, [&](const PolicyRule& piece) {
    return std::any_of(owners.begin(), owners.end(),
                       [&](const PolicyRule& owner) { return CoversPiece(owner, piece); });
  });
  return pieces;
}

std::vector<PolicyRule> CompactRules(std::vector<PolicyRule> pieces) {
  std::vector<PolicyRule> compact;
  std::map<std::vector<std::string>, size_t> places;
  for (PolicyRule& piece : pieces) {
    const bool is_simple = piece.non_resource_urls.empty() && piece.api_groups.size() == 1 &&
                           piece.resources.size() == 1 && piece.resource_names.size() <= 1;
    if (!is_simple) {
      compact.push_back(std::move(piece));
      continue;
    }
    std::vector<std::string> key{piece.api_groups.front(), piece.resources.front()};
    if (!piece.resource_names.empty()) key.push_back(piece.resource_names.front());
    const auto [place, is_new] = places.try_emplace(std::move(key), compact.size());
    if (is_new) {
      compact.push_back(std::move(piece));
    } else {
      std::move(piece.verbs.begin(), piece.verbs.end(),
                std::back_inserter(compact[place->second].verbs));
    }
  }
  return compact;
}

std::string RuleText(const PolicyRule& rule) {
  std::string out = "{";
  AppendPart(out, "APIGroups", rule.api_groups);
  AppendPart(out, "Resources", rule.resources);
  AppendPart(out, "NonResourceURLs", rule.non_resource_urls);
  AppendPart(out, "ResourceNames", rule.resource_names);
  AppendPart(out, "Verbs", rule.verbs);
  return out + '}';
}

}  // namespace skiff::apiserver
