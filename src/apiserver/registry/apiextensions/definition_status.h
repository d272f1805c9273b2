// The status of a CustomResourceDefinition: which of its names it is granted, and its conditions.
//
// Plain functions of a definition and of the names that others in its group have, so that they can
// be tested without a server.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

struct DefinitionNames {
  std::string plural = {};
  std::string singular = {};
  std::vector<std::string> short_names = {};
  std::string kind = {};
  std::string list_kind = {};
  std::vector<std::string> categories = {};
  friend bool operator==(const DefinitionNames&, const DefinitionNames&) = default;
};

struct DefinitionCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
};

// Of a definition as apiextensions.k8s.io/v1 has it.
DefinitionNames SpecNames(const object::Document& definition);
DefinitionNames AcceptedNames(const object::Document& definition);
bool IsConditionTrue(const object::Document& definition, std::string_view type);

// Names that are taken in a group.
struct TakenNames {
  std::multiset<std::string, std::less<>> resources;  // plural, singular and short names
  std::multiset<std::string, std::less<>> kinds;      // of objects and of lists

  void Add(const DefinitionNames& names);
  void Remove(const DefinitionNames& names);
  bool empty() const { return resources.empty() && kinds.empty(); }
};

// What the status should be: the names of the spec as far as nobody else has them, and conditions,
// NamesAccepted and Established first. `taken` is what the group has, the definition's own
// included.
struct DefinitionStatus {
  DefinitionNames names;
  std::vector<DefinitionCondition> conditions;  // those that there should be; others stay
  bool names_accepted = false;
  bool established = false;
};
DefinitionStatus StatusOf(const object::Document& definition, const TakenNames& taken);

// Whether the group is one of Kubernetes' own, which only it may give out.
bool IsProtectedGroup(std::string_view group);

// Sets the names and conditions in a definition of whichever version. Times of conditions whose
// status stays are kept. False: nothing has changed.
bool SetDefinitionStatus(const DefinitionStatus& status, object::Timestamp now,
                         object::Document& definition);
bool SetDefinitionCondition(const DefinitionCondition& condition, object::Timestamp now,
                            object::Document& definition);

}  // namespace skiff::apiserver
