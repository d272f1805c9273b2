// Where a pod may run: node selectors, affinity, tolerations, topology spread.
#pragma once

#include "apiserver/registry/core/pod_options.h"
#include "apiserver/validation/field_errors.h"
#include "object/view.h"
#include "views/core/v1.h"

namespace skiff::apiserver {

// At the selector or the term. Values of required terms must be such as labels can have.
void ValidateNodeSelector(const views::core_v1::NodeSelector& selector, bool allow_invalid_values,
                          FieldErrors& errors);
void ValidateNodeSelectorTerm(const views::core_v1::NodeSelectorTerm& term,
                              bool allow_invalid_values, FieldErrors& errors);

// affinity, tolerations and topologySpreadConstraints of the spec where `errors` is.
void ValidateAffinity(const views::core_v1::Affinity& affinity, const PodOptions& options,
                      FieldErrors& errors);
void ValidateTolerations(const object::ListView<views::core_v1::Toleration>& tolerations,
                         std::string_view field, const PodOptions& options, FieldErrors& errors);
void ValidateTopologySpread(
    const object::ListView<views::core_v1::TopologySpreadConstraint>& constraints,
    const PodOptions& options, FieldErrors& errors);

// Faults of labelSelector and namespaceSelector, of labelSelector, and of matchLabelKeys as a pod
// has them that was created after its keys were merged into its selector.
bool HasValidSelectors(const views::core_v1::PodAffinityTerm& term);
bool HasValidSelector(const views::core_v1::TopologySpreadConstraint& constraint);
bool HasValidMatchLabelKeys(const views::core_v1::TopologySpreadConstraint& constraint);

}  // namespace skiff::apiserver
