#include "apiserver/authz/bootstrap_policy.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>

#include "base/strings.h"
#include "views/rbac.authorization.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace rbac = views::rbac_authorization_k8s_io_v1;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

// Calls f(item) for each item of "a,b,c".
template <typename F>
void ForEachItem(std::string_view list, F f) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    f(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

std::vector<std::string_view> SplitWords(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t space = std::min(line.find(' '), line.size());
    if (space > 0) words.push_back(line.substr(0, space));
    line.remove_prefix(std::min(space + 1, line.size()));
  }
  return words;
}

class BootstrapParser {
 public:
  explicit BootstrapParser(std::string_view text) : rest_(text) {}

  Result<std::vector<object::Document>> Run() {
    while (!rest_.empty()) {
      const size_t end = std::min(rest_.find('\n'), rest_.size());
      const std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      const std::vector<std::string_view> words = SplitWords(line);
      if (words.empty() || words[0].starts_with('#')) continue;
      const bool understood = line.starts_with(' ') ? ReadDetail(words) : ReadHead(words);
      if (!understood) {
        Status status(StatusReason::kInternalError, "not understood: " + Quoted(line));
        status.SetPosition({number_, 1});
        return std::unexpected(std::move(status));
      }
    }
    return std::move(documents_);
  }

 private:
  using Words = std::vector<std::string_view>;

  bool ReadHead(const Words& words) {
    if (words.size() < 2) return false;
    if (words[0] == "clusterrole") return Begin(rbac::ClusterRole::New(), words[1], false);
    if (words[0] == "role") return Begin(rbac::Role::New(), words[1], true);
    if (words[0] == "clusterrolebinding") {
      return words.size() == 4 && words[2] == "=" &&
             Begin(rbac::ClusterRoleBinding::New(), words[1], false) &&
             SetRoleRef("ClusterRole", words[3]);
    }
    if (words[0] != "rolebinding" || words.size() != 5 || words[2] != "=") return false;
    return (words[3] == "role" || words[3] == "clusterrole") &&
           Begin(rbac::RoleBinding::New(), words[1], true) &&
           SetRoleRef(words[3] == "role" ? "Role" : "ClusterRole", words[4]);
  }

  bool ReadDetail(const Words& words) {
    if (documents_.empty() || words.size() < 2) return false;
    const bool is_role = Root().Find("roleRef") == nullptr;
    if (is_role && words[0] == "label") return PutMetadata("labels", words[1], "true");
    if (is_role && words[0] == "aggregates") return AddSelector(words[1]);
    if (is_role && words[0] == "allow") return AddRule(words);
    return !is_role && words.size() == 2 && AddSubject(words[0], words[1]);
  }

  bool Begin(object::Document document, std::string_view name, bool is_namespaced) {
    const size_t slash = name.find('/');
    if (is_namespaced == (slash == name.npos)) return false;
    documents_.push_back(std::move(document));
    object::Value& metadata = SetEmpty(Root(), "metadata");
    if (is_namespaced) {
      metadata.Set(arena(), "namespace", Text(name.substr(0, slash)));
      name.remove_prefix(slash + 1);
    }
    metadata.Set(arena(), "name", Text(name));
    return PutMetadata("labels", "kubernetes.io/bootstrapping", "rbac-defaults") &&
           PutMetadata("annotations", "rbac.authorization.kubernetes.io/autoupdate", "true");
  }

  bool SetRoleRef(std::string_view kind, std::string_view name) {
    object::Value& ref = SetEmpty(Root(), "roleRef");
    ref.Set(arena(), "apiGroup", Text(kGroup));
    ref.Set(arena(), "kind", Text(kind));
    ref.Set(arena(), "name", Text(name));
    return true;
  }

  bool PutMetadata(std::string_view map, std::string_view key, std::string_view value) {
    object::Value& metadata = *Root().Find("metadata");
    object::Value* entries = metadata.Find(map);
    if (entries == nullptr) entries = &metadata.Set(arena(), map, object::Value::EmptyMap());
    entries->SetEntry(arena(), key, Text(value));
    return true;
  }

  bool AddSelector(std::string_view label) {
    if (Root().type() != rbac::ClusterRole::Type()) return false;
    rbac::MutableClusterRole role(documents_.back());
    role.mutable_aggregation_rule().add_cluster_role_selectors().put_match_labels(label, "true");
    return true;
  }

  // allow VERBS at URLS | allow VERBS on RESOURCES in GROUPS [named NAMES]
  bool AddRule(const Words& words) {
    const size_t size = words.size();
    const bool is_url = size == 4 && words[2] == "at";
    const bool is_named = size == 8 && words[6] == "named";
    if (!is_url && (size < 6 || words[2] != "on" || words[4] != "in")) return false;
    if (!is_url && size != 6 && !is_named) return false;
    object::Value rule = object::Value::EmptyObject(arena(), rbac::PolicyRule::Type());
    SetList(rule, "verbs", words[1]);
    if (is_url) {
      SetList(rule, "nonResourceURLs", words[3]);
    } else {
      SetList(rule, "resources", words[3]);
      SetList(rule, "apiGroups", words[5]);
      if (is_named) SetList(rule, "resourceNames", words[7]);
    }
    AppendTo("rules", rule);
    return true;
  }

  bool AddSubject(std::string_view kind, std::string_view name) {
    object::Value subject = object::Value::EmptyObject(arena(), rbac::Subject::Type());
    if (kind == "serviceaccount") {
      const size_t slash = name.find('/');
      if (slash == name.npos) return false;
      subject.Set(arena(), "kind", object::Value::String("ServiceAccount"));
      subject.Set(arena(), "namespace", Text(name.substr(0, slash)));
      subject.Set(arena(), "name", Text(name.substr(slash + 1)));
    } else if (kind == "user" || kind == "group") {
      subject.Set(arena(), "kind", object::Value::String(kind == "user" ? "User" : "Group"));
      subject.Set(arena(), "apiGroup", Text(kGroup));
      subject.Set(arena(), "name", Text(name));
    } else {
      return false;
    }
    AppendTo("subjects", subject);
    return true;
  }

  object::Value& Root() { return documents_.back().root(); }
  Arena& arena() { return documents_.back().arena(); }
  object::Value Text(std::string_view text) { return object::Value::String(arena().Copy(text)); }
  object::Value& SetEmpty(object::Value& object, std::string_view field) {
    const object::MessageDesc* type =
        object.type()->fields[object.type()->FindField(field)].message;
    return object.Set(arena(), field, object::Value::EmptyObject(arena(), type));
  }
  void SetList(object::Value& rule, std::string_view field, std::string_view items) {
    const bool is_groups = field == "apiGroups";
    object::Value list = object::Value::EmptyList();
    ForEachItem(items, [&](std::string_view item) {
      list.Append(arena(), is_groups && item == "core" ? object::Value::String("") : Text(item));
    });
    rule.Set(arena(), field, list);
  }
  void AppendTo(std::string_view field, object::Value item) {
    object::Value* list = Root().Find(field);
    if (list == nullptr) list = &Root().Set(arena(), field, object::Value::EmptyList());
    list->Append(arena(), item);
  }

  std::string_view rest_;
  uint32_t number_ = 0;
  std::vector<object::Document> documents_;
};

}  // namespace

Result<std::vector<object::Document>> ParseBootstrapText(std::string_view text) {
  return BootstrapParser(text).Run();
}

std::vector<object::Document> BootstrapObjects() {
  auto objects = ParseBootstrapText(kBootstrapText);
  assert(objects.has_value());
  return std::move(*objects);
}

}  // namespace skiff::apiserver
