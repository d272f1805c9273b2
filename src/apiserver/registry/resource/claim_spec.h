// What a claim asks for, as an object and in templates of claims; and the names that the requests
// of a claim can be referred to by.
#pragma once

#include <map>
#include <set>
#include <string_view>

#include "apiserver/validation/field_errors.h"
#include "views/resource.k8s.io/v1.h"

namespace skiff::apiserver {

class RequestNames {
 public:
  explicit RequestNames(const views::resource_k8s_io_v1::DeviceClaim& claim);
  // "request", or "request/subrequest". At the place of the reference.
  void ValidateReference(std::string_view name, FieldErrors& errors) const;

 private:
  bool Has(std::string_view name) const;

  std::map<std::string_view, std::set<std::string_view>> names_;
};

// At the spec.
void ValidateResourceClaimSpec(const views::resource_k8s_io_v1::ResourceClaimSpec& spec,
                               FieldErrors& errors);
// A list of references. At what has them.
void ValidateRequestReferences(const object::ListView<std::string_view>& references,
                               const RequestNames& names, FieldErrors& errors);

}  // namespace skiff::apiserver
