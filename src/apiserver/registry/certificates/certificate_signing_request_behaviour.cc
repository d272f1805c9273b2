#include "apiserver/registry/certificates/certificate_signing_request_behaviour.h"

#include <string>
#include <vector>

#include "views/certificates.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace certificates = views::certificates_k8s_io_v1;

std::vector<size_t> IndexesOf(const object::Document& object, std::string_view type) {
  std::vector<size_t> out;
  const auto conditions = certificates::CertificateSigningRequest(object).status().conditions();
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (conditions[i].type() == type) out.push_back(i);
  }
  return out;
}

object::Value* ConditionsOf(object::Document& object) {
  object::Value* status = object.root().Find("status");
  return status != nullptr ? status->Find("conditions") : nullptr;
}

void KeepConditions(object::Document& old, object::Document& object, std::string_view type) {
  const std::vector<size_t> before = IndexesOf(old, type);
  const std::vector<size_t> now = IndexesOf(object, type);
  if (before.empty() || before.size() != now.size()) return;
  object::Value* conditions = ConditionsOf(object);
  for (size_t i = 0; i < now.size(); ++i) {
    object::Value& target = conditions->items()[now[i]];
    target =
        ConditionsOf(old)->items()[before[i]].CopyInto(object.arena()).WithField(target.field());
  }
}

// When a condition of this type became what it is.
object::Timestamp TransitionOf(const object::Document& old,
                               const certificates::CertificateSigningRequestCondition& condition,
                               object::Timestamp now) {
  for (const auto each : certificates::CertificateSigningRequest(old).status().conditions()) {
    if (each.type() == condition.type() && each.status() == condition.status() &&
        each.last_transition_time() != object::kZeroTimestamp) {
      return each.last_transition_time();
    }
  }
  return now;
}

void DateConditions(const object::Document& old, object::Document& object, object::Timestamp now) {
  object::Value* conditions = ConditionsOf(object);
  if (conditions == nullptr) return;
  for (object::Value& item : conditions->items()) {
    const certificates::CertificateSigningRequestCondition condition(&item);
    if (condition.last_update_time() == object::kZeroTimestamp) {
      item.Set(object.arena(), "lastUpdateTime", object::Value::Time(now));
    }
    if (condition.last_transition_time() == object::kZeroTimestamp) {
      item.Set(object.arena(), "lastTransitionTime",
               object::Value::Time(TransitionOf(old, condition, now)));
    }
  }
}

}  // namespace

Result<void> CertificateRequestBehaviour::PrepareForCreate(WriteContext& write,
                                                           object::Document& object) {
  object.root().Erase("status");
  auto spec = certificates::MutableCertificateSigningRequest(object).mutable_spec();
  spec.clear_username();
  spec.clear_uid();
  spec.clear_groups();
  spec.clear_extra();
  if (write.user == nullptr) return {};
  spec.set_username(write.user->name);
  spec.set_uid(write.user->uid);
  for (const std::string& group : write.user->groups) spec.add_groups(group);
  for (const auto& [key, values] : write.user->extra) {
    for (const std::string& value : values) spec.add_extra(key, value);
  }
  return {};
}

Result<void> CertificateRequestBehaviour::PrepareForUpdate(WriteContext& write,
                                                           object::Document& old,
                                                           object::Document& object) {
  if (write.subresource == "status") {
    KeepConditions(old, object, "Approved");
    KeepConditions(old, object, "Denied");
    DateConditions(old, object, write.now);
  } else if (write.subresource == "approval") {
    DateConditions(old, object, write.now);
    const object::Value* certificate = old.root().FindPath({"status", "certificate"});
    auto status = certificates::MutableCertificateSigningRequest(object).mutable_status();
    if (certificate != nullptr) {
      status.set_certificate(certificate->AsText());
    } else {
      status.clear_certificate();
    }
  }
  return {};
}

}  // namespace skiff::apiserver
