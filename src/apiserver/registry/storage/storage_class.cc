#include "apiserver/registry/storage/storage_class.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/registry/core/node_labels.h"
#include "apiserver/registry/storage/parameters.h"
#include "apiserver/validation/common.h"
#include "views/storage.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace storage = views::storage_k8s_io_v1;

using Term = std::map<std::string_view, std::set<std::string_view>>;

Term ValidateTerm(const views::core_v1::TopologySelectorTerm& term, FieldErrors& errors) {
  Term out;
  const auto expressions = term.match_label_expressions();
  for (size_t i = 0; i < expressions.size(); ++i) {
    const auto at = errors.At("matchLabelExpressions", i);
    const auto values = expressions[i].values();
    if (values.empty()) errors.Required("values");
    std::set<std::string_view> seen;
    for (size_t j = 0; j < values.size(); ++j) {
      const auto value = errors.At("values", j);
      if (!seen.insert(values[j]).second) errors.Duplicate("", values[j]);
    }
    ValidateFormat(kQualifiedNameFormat, expressions[i].key(), "key", errors);
    if (out.contains(expressions[i].key())) errors.Duplicate("key", expressions[i].key());
    out[expressions[i].key()] = std::move(seen);
  }
  return out;
}

void ValidateTopologies(const storage::StorageClass& object, FieldErrors& errors) {
  const auto terms = object.allowed_topologies();
  std::map<Term, size_t> before;
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto at = errors.At("allowedTopologies", i);
    Term term = ValidateTerm(terms[i], errors);
    // Kubernetes compares with as many empty terms as there are terms, too.
    size_t same = term.empty() ? terms.size() : 0;
    same += before[std::move(term)]++;
    for (; same != 0 && !errors.full(); --same) errors.Duplicate("matchLabelExpressions", "");
    errors.LeaveOut(same);
  }
}

void ValidateStorageClass(const object::Document& object, FieldErrors& errors) {
  const storage::StorageClass storage_class(object);
  ValidateProvisioner(storage_class.provisioner(), "provisioner", errors);
  ValidateParameters(storage_class.parameters(), true, errors);
  const std::string_view policy = storage_class.reclaim_policy().value_or("");
  if (!policy.empty()) ValidateOneOf(policy, {"Delete", "Retain"}, "reclaimPolicy", errors);
  if (!storage_class.volume_binding_mode()) {
    errors.Required("volumeBindingMode");
  } else {
    ValidateOneOf(*storage_class.volume_binding_mode(), {"Immediate", "WaitForFirstConsumer"},
                  "volumeBindingMode", errors);
  }
  ValidateTopologies(storage_class, errors);
}

void ValidateStorageClassUpdate(const object::Document& object, const object::Document& old,
                                FieldErrors& errors) {
  ValidateStorageClass(object, errors);
  struct Field {
    uint16_t index;
    std::string_view name;
  };
  constexpr Field kFields[] = {
      {storage::StorageClass::kParameters, "parameters"},
      {storage::StorageClass::kProvisioner, "provisioner"},
      {storage::StorageClass::kReclaimPolicy, "reclaimPolicy"},
      {storage::StorageClass::kVolumeBindingMode, "volumeBindingMode"},
  };
  for (const Field& field : kFields) {
    ValidateImmutable(old.root().Member(field.index), object.root().Member(field.index), field.name,
                      errors);
  }
}

void WarnAboutStorageClass(const object::Document& object, const object::Document*,
                           const KindSettings&, std::vector<std::string>& warnings) {
  const auto terms = storage::StorageClass(object).allowed_topologies();
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto expressions = terms[i].match_label_expressions();
    for (size_t j = 0; j < expressions.size(); ++j) {
      const std::string_view why = DeprecationOfNodeLabel(expressions[j].key());
      if (why.empty()) continue;
      warnings.push_back("allowedTopologies[" + std::to_string(i) + "].matchLabelExpressions[" +
                         std::to_string(j) + "].key: " + std::string(why));
    }
  }
}

}  // namespace

constinit const KindRules kStorageClassRules = {.group = "storage.k8s.io",
                                                .kind = "StorageClass",
                                                .create = ValidateStorageClass,
                                                .update = ValidateStorageClassUpdate,
                                                .warn = WarnAboutStorageClass};

}  // namespace skiff::apiserver
