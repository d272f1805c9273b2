#include "apiserver/authn/bound_object.h"

#include "views/core/v1.h"

namespace skiff::apiserver {

namespace core = views::core_v1;

std::string_view BoundResource(BoundKind kind) {
  switch (kind) {
    case BoundKind::kServiceAccount:
      return "serviceaccounts";
    case BoundKind::kPod:
      return "pods";
    case BoundKind::kSecret:
      return "secrets";
    case BoundKind::kNode:
      return "nodes";
  }
  return {};
}

BoundObject ReadBoundObject(BoundKind kind, const object::Document& object) {
  BoundObject out;
  const views::meta_v1::ObjectMeta metadata(object.root().Find("metadata"));
  out.uid = metadata.uid();
  out.deletion = metadata.deletion_timestamp();
  if (kind == BoundKind::kPod) {
    const core::Pod pod(object);
    out.service_account = pod.spec().service_account_name();
    out.node = pod.spec().node_name();
  } else if (kind == BoundKind::kServiceAccount) {
    for (const auto secret : core::ServiceAccount(object).secrets()) {
      out.secrets.emplace_back(secret.name());
    }
  } else if (kind == BoundKind::kSecret) {
    const core::Secret secret(object);
    out.token = secret.data().Get("token");
    if (secret.type() == "bootstrap.kubernetes.io/token") {
      for (const auto& [key, value] : secret.data()) out.bootstrap_data.emplace(key, value);
    }
    for (const auto& [key, value] : metadata.labels()) out.labels.emplace(key, value);
  }
  return out;
}

}  // namespace skiff::apiserver
