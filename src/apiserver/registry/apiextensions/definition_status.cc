#include "apiserver/registry/apiextensions/definition_status.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "views/apiextensions.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace v1 = views::apiextensions_k8s_io_v1;

constexpr std::string_view kApprovalAnnotation = "api-approved.kubernetes.io";
constexpr std::string_view kApprovalPage =
    ", see https://github.com/kubernetes/enhancements/pull/1111";

template <typename List>
std::vector<std::string> Texts(const List& list) {
  std::vector<std::string> out;
  for (const std::string_view each : list) out.emplace_back(each);
  return out;
}

DefinitionNames NamesIn(const v1::CustomResourceDefinitionNames& names) {
  return {.plural = std::string(names.plural()),
          .singular = std::string(names.singular()),
          .short_names = Texts(names.short_names()),
          .kind = std::string(names.kind()),
          .list_kind = std::string(names.list_kind()),
          .categories = Texts(names.categories())};
}

// One name after the other: the wanted one, or, where another definition has it, the one of before.
class Granting {
 public:
  explicit Granting(DefinitionCondition& accepted) : accepted_(accepted) {}

  void Name(const std::string& wanted, std::string& granted,
            const std::multiset<std::string, std::less<>>& taken, std::string_view reason) {
    if (wanted == granted || !taken.contains(wanted)) {
      granted = wanted;
    } else {
      Refuse(reason, InUse(wanted));
    }
  }
  void ShortNames(const std::vector<std::string>& wanted, std::vector<std::string>& granted,
                  const std::multiset<std::string, std::less<>>& taken) {
    std::vector<std::string> faults;
    for (const std::string& each : wanted) {
      if (std::ranges::find(granted, each) == granted.end() && taken.contains(each)) {
        faults.push_back(InUse(each));
      }
    }
    if (faults.empty()) {
      granted = wanted;
      return;
    }
    std::string all = faults.front();
    for (size_t i = 1; i < faults.size(); ++i) all += ", " + faults[i];
    Refuse("ShortNamesConflict", faults.size() == 1 ? all : "[" + all + "]");
  }

 private:
  static std::string InUse(const std::string& name) { return Quoted(name) + " is already in use"; }
  void Refuse(std::string_view reason, std::string why) {
    accepted_.status = "False";
    accepted_.reason = reason;
    accepted_.message = std::move(why);
  }

  DefinitionCondition& accepted_;
};

bool IsUrl(std::string_view text) {
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view rest = text.substr(colon + 3);
  return !rest.empty() && rest[0] != '/' && rest.find(' ') == std::string_view::npos;
}

DefinitionCondition Approval(std::string_view annotation) {
  DefinitionCondition out{"KubernetesAPIApprovalPolicyConformant", "False", {}, {}};
  if (annotation.empty()) {
    out.reason = "MissingAnnotation";
    out.message = "protected groups must have approval annotation " + Quoted(kApprovalAnnotation) +
                  std::string(kApprovalPage);
  } else if (annotation.starts_with("unapproved")) {
    out.reason = "UnapprovedAnnotation";
    out.message = "not approved: " + Quoted(annotation);
  } else if (IsUrl(annotation)) {
    out.status = "True";
    out.reason = "ApprovedAnnotation";
    out.message = "approved in " + std::string(annotation);
  } else {
    out.reason = "InvalidAnnotation";
    out.message = "protected groups must have approval annotation " + Quoted(kApprovalAnnotation) +
                  " with either a URL or a reason starting with \"unapproved\"" +
                  std::string(kApprovalPage);
  }
  return out;
}

object::Value TextList(Arena& arena, const std::vector<std::string>& texts) {
  object::Value out = object::Value::EmptyList();
  for (const std::string& each : texts) {
    out.Append(arena, object::Value::String(arena.Copy(each)));
  }
  return out;
}

const object::MessageDesc* MessageOf(const object::Value& owner, std::string_view field) {
  const object::MessageDesc& type = *owner.type();
  return type.fields[type.FindField(field)].message;
}

// The message in a field, made if it is not there.
object::Value& Obtain(object::Value& owner, std::string_view field, Arena& arena) {
  object::Value* found = owner.Find(field);
  if (found != nullptr && found->is_object()) return *found;
  return owner.Set(arena, field, object::Value::EmptyObject(arena, MessageOf(owner, field)));
}

void SetText(object::Value& owner, std::string_view field, std::string_view text, Arena& arena) {
  if (text.empty()) {
    owner.Erase(field);
  } else {
    owner.Set(arena, field, object::Value::String(arena.Copy(text)));
  }
}

std::string_view TextOf(const object::Value& owner, std::string_view field) {
  const object::Value* found = owner.Find(field);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

}  // namespace

DefinitionNames SpecNames(const object::Document& definition) {
  return NamesIn(v1::CustomResourceDefinition(definition).spec().names());
}

DefinitionNames AcceptedNames(const object::Document& definition) {
  return NamesIn(v1::CustomResourceDefinition(definition).status().accepted_names());
}

bool IsConditionTrue(const object::Document& definition, std::string_view type) {
  for (const auto each : v1::CustomResourceDefinition(definition).status().conditions()) {
    if (each.type() == type) return each.status() == "True";
  }
  return false;
}

void TakenNames::Add(const DefinitionNames& names) {
  resources.insert(names.plural);
  resources.insert(names.singular);
  resources.insert(names.short_names.begin(), names.short_names.end());
  kinds.insert(names.kind);
  kinds.insert(names.list_kind);
}

void TakenNames::Remove(const DefinitionNames& names) {
  const auto remove = [](std::multiset<std::string, std::less<>>& from, const std::string& name) {
    if (const auto found = from.find(name); found != from.end()) from.erase(found);
  };
  remove(resources, names.plural);
  remove(resources, names.singular);
  for (const std::string& each : names.short_names) remove(resources, each);
  remove(kinds, names.kind);
  remove(kinds, names.list_kind);
}

bool IsProtectedGroup(std::string_view group) {
  const auto within = [&](std::string_view domain) {
    return group == domain || (group.ends_with(domain) && group.size() > domain.size() &&
                               group[group.size() - domain.size() - 1] == '.');
  };
  return within("k8s.io") || within("kubernetes.io");
}

DefinitionStatus StatusOf(const object::Document& definition, const TakenNames& taken) {
  const DefinitionNames wanted = SpecNames(definition);
  DefinitionStatus out{.names = AcceptedNames(definition), .conditions = {}};
  out.names_accepted = IsConditionTrue(definition, "NamesAccepted");
  out.established = IsConditionTrue(definition, "Established");
  if (wanted != out.names || !out.names_accepted) {
    DefinitionCondition accepted{"NamesAccepted", "True", "NoConflicts", "no conflicts found"};
    Granting granting(accepted);
    granting.Name(wanted.plural, out.names.plural, taken.resources, "PluralConflict");
    granting.Name(wanted.singular, out.names.singular, taken.resources, "SingularConflict");
    granting.ShortNames(wanted.short_names, out.names.short_names, taken.resources);
    granting.Name(wanted.kind, out.names.kind, taken.kinds, "KindConflict");
    granting.Name(wanted.list_kind, out.names.list_kind, taken.kinds, "ListKindConflict");
    out.names.categories = wanted.categories;
    out.names_accepted = accepted.status == "True";
    out.conditions.push_back(std::move(accepted));
  }
  if (!out.established && out.names_accepted) {
    out.established = true;
    out.conditions.push_back(
        {"Established", "True", "InitialNamesAccepted", "the initial names have been accepted"});
  } else if (!out.established) {
    out.conditions.push_back({"Established", "False", "NotAccepted", "not all names are accepted"});
  }
  const v1::CustomResourceDefinition object(definition);
  if (IsProtectedGroup(object.spec().group())) {
    std::string_view annotation;
    for (const auto& [key, value] : object.metadata().annotations()) {
      if (key == kApprovalAnnotation) annotation = value;
    }
    out.conditions.push_back(Approval(annotation));
  }
  return out;
}

bool SetDefinitionCondition(const DefinitionCondition& wanted, object::Timestamp now,
                            object::Document& definition) {
  Arena& arena = definition.arena();
  object::Value& status = Obtain(definition.root(), "status", arena);
  object::Value* list = status.Find("conditions");
  if (list == nullptr || !list->is_list()) {
    list = &status.Set(arena, "conditions", object::Value::EmptyList());
  }
  object::Value* condition = nullptr;
  for (object::Value& each : list->items()) {
    if (TextOf(each, "type") == wanted.type) condition = &each;
  }
  if (condition == nullptr) {
    condition =
        &list->Append(arena, object::Value::EmptyObject(arena, MessageOf(status, "conditions")));
    SetText(*condition, "type", wanted.type, arena);
  } else if (TextOf(*condition, "status") == wanted.status &&
             TextOf(*condition, "reason") == wanted.reason &&
             TextOf(*condition, "message") == wanted.message) {
    return false;
  }
  if (TextOf(*condition, "status") != wanted.status ||
      condition->Find("lastTransitionTime") == nullptr) {
    condition->Set(arena, "lastTransitionTime", object::Value::Time(now));
  }
  SetText(*condition, "status", wanted.status, arena);
  SetText(*condition, "reason", wanted.reason, arena);
  SetText(*condition, "message", wanted.message, arena);
  return true;
}

bool SetDefinitionStatus(const DefinitionStatus& wanted, object::Timestamp now,
                         object::Document& definition) {
  Arena& arena = definition.arena();
  object::Value& status = Obtain(definition.root(), "status", arena);
  object::Value& names = Obtain(status, "acceptedNames", arena);
  const object::Value before = names.CopyInto(arena);
  SetText(names, "plural", wanted.names.plural, arena);
  SetText(names, "singular", wanted.names.singular, arena);
  SetText(names, "kind", wanted.names.kind, arena);
  SetText(names, "listKind", wanted.names.list_kind, arena);
  for (const auto& [field, list] : {std::pair{"shortNames", &wanted.names.short_names},
                                    std::pair{"categories", &wanted.names.categories}}) {
    if (list->empty()) {
      names.Erase(field);
    } else {
      names.Set(arena, field, TextList(arena, *list));
    }
  }
  bool changed = !object::DeepEqual(before, names);
  for (const DefinitionCondition& each : wanted.conditions) {
    changed |= SetDefinitionCondition(each, now, definition);
  }
  return changed;
}

}  // namespace skiff::apiserver
