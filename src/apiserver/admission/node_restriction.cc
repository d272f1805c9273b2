// NodeRestriction: what a kubelet may write is about its own node and the pods on it.
//
// Users named system:node:NAME in the group system:nodes are kubelets. The Node authorizer decides
// which objects they get at; this decides by what is in them.
#include <set>

#include "apiserver/admission/csr_subject.h"
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/node_labels.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/admission/token_audiences.h"
#include "apiserver/authz/pod_references.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_meta.h"
#include "base/strings.h"
#include "views/certificates.k8s.io/v1.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kUserPrefix = "system:node:";
constexpr char kNodesGroup[] = "system:nodes";

bool SameMember(const object::Document& a, const object::Document& b,
                std::initializer_list<std::string_view> path) {
  static constexpr object::Value kAbsent{};
  const object::Value* x = a.root().FindPath(path);
  const object::Value* y = b.root().FindPath(path);
  const auto empty = [](const object::Value* v) {
    return v == nullptr || v->is_null() || (v->tag() >= object::Tag::kList && v->size() == 0);
  };
  if (empty(x) || empty(y)) return empty(x) && empty(y);
  return object::DeepEqual(x != nullptr ? *x : kAbsent, y != nullptr ? *y : kAbsent);
}

std::string_view TextAt(const object::Document& object,
                        std::initializer_list<std::string_view> path) {
  const object::Value* found = object.root().FindPath(path);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

class NodeRestriction final : public AdmissionPlugin {
 public:
  explicit NodeRestriction(const PluginContext& context)
      : pods_(StorageOf(context, "", "pods")),
        nodes_(StorageOf(context, "", "nodes")),
        accounts_(StorageOf(context, "", "serviceaccounts")),
        audiences_(context),
        restricts_audiences_(context.FeatureEnabled("ServiceAccountNodeAudienceRestriction")),
        allows_any_csr_(context.FeatureEnabled("AllowInsecureKubeletCertificateSigningRequests")),
        pod_certificates_(context.FeatureEnabled("PodCertificateRequest")),
        recovers_expansion_(context.FeatureEnabled("RecoverVolumeExpansionFailure")) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (request.operation == AdmissionOperation::kConnect ||
        !request.user.name.starts_with(kUserPrefix) || !request.user.IsIn(kNodesGroup)) {
      return {};
    }
    const std::string node = request.user.name.substr(kUserPrefix.size());
    if (node.empty()) {
      return Deny(request, "could not determine node from user " + InQuotes(request.user.name));
    }
    return CheckCore(request, node);
  }

 private:
  using Check = Result<void>;

  Check CheckCore(AdmissionRequest& request, const std::string& node) {
    if (IsOf(request, "", "pods")) return CheckPods(request, node);
    if (IsOf(request, "", "nodes")) return CheckNode(request, node);
    if (IsOf(request, "", "persistentvolumeclaims")) return CheckClaim(request, node);
    if (IsOf(request, "", "serviceaccounts")) return CheckToken(request, node);
    if (IsOf(request, "coordination.k8s.io", "leases")) return CheckLease(request, node);
    if (IsOf(request, "storage.k8s.io", "csinodes")) return CheckCsiNode(request, node);
    if (IsOf(request, "resource.k8s.io", "resourceslices")) return CheckSlice(request, node);
    if (IsOf(request, "certificates.k8s.io", "certificatesigningrequests")) {
      return CheckCsr(request, node);
    }
    if (IsOf(request, "certificates.k8s.io", "podcertificaterequests")) {
      return CheckPodCertificate(request, node);
    }
    return {};
  }

  static std::unexpected<Status> DenyOperation(const AdmissionRequest& request) {
    return Deny(request, "unexpected operation " + InQuotes(OperationName(request.operation)));
  }

  static Status PodNotFound(std::string_view name) {
    return NotFound(*object::FindResource("", "v1", "pods"), name);
  }

  // --- pods

  Check CheckPods(AdmissionRequest& request, const std::string& node) {
    if (request.subresource.empty()) return CheckPod(request, node);
    if (request.subresource == "status") return CheckPodStatus(request, node);
    if (request.subresource == "eviction") return CheckEviction(request, node);
    return Deny(request, "unexpected pod subresource " + InQuotes(request.subresource) +
                             ", only 'status' and 'eviction' are allowed");
  }

  Check CheckPod(AdmissionRequest& request, const std::string& node) {
    if (Creates(request)) return CheckNewPod(request, node);
    if (request.operation != AdmissionOperation::kDelete) {
      return Deny(request, "unexpected operation " + InQuotes(OperationName(request.operation)) +
                               ", node " + InQuotes(node) +
                               " can only create and delete mirror pods");
    }
    const std::optional<object::Document> pod = DecodeNow(pods_, request.name_space, request.name);
    if (!pod) return std::unexpected(PodNotFound(request.name));
    if (core::Pod(*pod).spec().node_name() == node) return {};
    return Deny(request, "node " + InQuotes(node) +
                             " can only delete pods with spec.nodeName set to itself");
  }

  Check CheckNewPod(AdmissionRequest& request, const std::string& node) {
    const core::Pod pod(*request.object);
    if (!IsMirrorPod(pod)) {
      return Deny(request, "pod does not have " + InQuotes(kMirrorPodAnnotation) +
                               " annotation, node " + InQuotes(node) +
                               " can only create mirror pods");
    }
    if (pod.spec().node_name() != node) {
      return Deny(request, "node " + InQuotes(node) +
                               " can only create pods with spec.nodeName set to itself");
    }
    SKIFF_RETURN_IF_ERROR(CheckOwner(request, node));
    std::string fault;
    const std::optional<std::string> reference = FindReference(pod.spec(), fault);
    if (reference) {
      return Deny(request,
                  "node " + InQuotes(node) + " can not create pods that reference " + *reference);
    }
    if (!fault.empty()) {
      return Deny(request, "error checking mirror pod for API references: " + fault);
    }
    return {};
  }

  // The one owner of a mirror pod is the node.
  Check CheckOwner(AdmissionRequest& request, const std::string& node) {
    const auto owners = core::Pod(*request.object).metadata().owner_references();
    const std::string can = "node " + InQuotes(node) + " can only create pods with ";
    if (owners.size() > 1) return Deny(request, can + "a single owner reference set to itself");
    if (owners.empty()) return Deny(request, can + "an owner reference set to itself");
    const auto owner = owners[0];
    if (owner.api_version() != "v1" || owner.kind() != "Node" || owner.name() != node) {
      return Deny(request, can + "an owner reference set to itself");
    }
    if (!owner.controller().value_or(false)) {
      return Deny(request, can + "a controller owner reference set to itself");
    }
    if (owner.block_owner_deletion().value_or(false)) {
      return Deny(request, "node " + InQuotes(node) +
                               " must not set blockOwnerDeletion on an owner reference");
    }
    const std::optional<object::Document> found = DecodeNow(nodes_, "", node);
    if (!found) return std::unexpected(NotFound(*object::FindResource("", "v1", "nodes"), node));
    const std::string_view uid = core::Node(*found).metadata().uid();
    if (owner.uid() == uid) return {};
    return Deny(request, "node " + node + " UID mismatch: expected " + std::string(owner.uid()) +
                             " got " + std::string(uid));
  }

  static Check CheckPodStatus(AdmissionRequest& request, const std::string& node) {
    if (!Updates(request)) return DenyOperation(request);
    const object::Document& old = *request.old;
    const object::Document& object = *request.object;
    const std::string quoted = "node " + InQuotes(node);
    if (core::Pod(old).spec().node_name() != node) {
      return Deny(request,
                  quoted + " can only update pod status for pods with spec.nodeName set to itself");
    }
    if (!SameMember(old, object, {"metadata", "labels"})) {
      return Deny(request, quoted + " cannot update labels through pod status");
    }
    if (!SameMember(old, object, {"status", "resourceClaimStatuses"})) {
      return Deny(request, quoted + " cannot update resource claim statues");
    }
    if (!SameMember(old, object, {"status", "extendedResourceClaimStatus"})) {
      return Deny(request, quoted + " cannot update extended resource claim status");
    }
    return {};
  }

  Check CheckEviction(AdmissionRequest& request, const std::string& node) {
    if (!Creates(request)) {
      return Deny(request, "unexpected operation " + std::string(OperationName(request.operation)));
    }
    std::string_view name = request.name;
    if (name.empty()) name = TextAt(*request.object, {"metadata", "name"});
    if (name.empty()) return Deny(request, "could not determine pod from request data");
    const std::optional<object::Document> pod = DecodeNow(pods_, request.name_space, name);
    if (!pod) return std::unexpected(PodNotFound(name));
    if (core::Pod(*pod).spec().node_name() == node) return {};
    return Deny(request, "node " + node + " can only evict pods with spec.nodeName set to itself");
  }

  // --- nodes and what belongs to one

  static Check CheckNode(AdmissionRequest& request, const std::string& node) {
    const std::string quoted = "node " + InQuotes(node);
    if (request.name != node) {
      return Deny(request, quoted + " is not allowed to modify node " + InQuotes(request.name));
    }
    if (Creates(request)) {
      if (core::Node(*request.object).spec().has_config_source()) {
        return Deny(request, quoted + " is not allowed to create pods with a non-nil configSource");
      }
      const std::set<std::string> labels = ForbiddenNodeLabels(*request.object, nullptr);
      if (labels.empty()) return {};
      return Deny(request,
                  quoted + " is not allowed to set the following labels: " + JoinTexts(labels));
    }
    if (Updates(request)) return CheckNodeUpdate(request, quoted);
    return {};
  }

  static Check CheckNodeUpdate(AdmissionRequest& request, const std::string& quoted) {
    const object::Document& old = *request.old;
    const object::Document& object = *request.object;
    // An old kubelet may drop the field, which does no harm.
    if (core::Node(object).spec().has_config_source() &&
        !SameMember(old, object, {"spec", "configSource"})) {
      return Deny(request,
                  quoted + " is not allowed to update configSource to a new non-nil configSource");
    }
    // By its taints and labels a node could draw pods that are not meant for it.
    if (!SameMember(old, object, {"spec", "taints"})) {
      return Deny(request, quoted + " is not allowed to modify taints");
    }
    if (!SameMember(old, object, {"metadata", "ownerReferences"})) {
      return Deny(request, quoted + " is not allowed to modify ownerReferences");
    }
    const std::set<std::string> labels = ForbiddenNodeLabels(object, &old);
    if (labels.empty()) return {};
    return Deny(request, "is not allowed to modify labels: " + JoinTexts(labels));
  }

  Check CheckClaim(AdmissionRequest& request, const std::string& node) const {
    if (request.subresource != "status") return Deny(request, "may only update PVC status");
    if (!Updates(request)) return DenyOperation(request);
    const auto without_own_part = [this](const object::Document& claim) {
      object::Document out = claim.Copy();
      MetaOf meta(out);
      meta.Erase("resourceVersion");
      meta.Erase("managedFields");
      object::Value* status = out.root().Find("status");
      if (status == nullptr) return out;
      status->Erase("capacity");
      status->Erase("conditions");
      if (recovers_expansion_) {
        status->Erase("allocatedResourceStatuses");
        status->Erase("allocatedResources");
      }
      return out;
    };
    if (object::DeepEqual(without_own_part(*request.old).root(),
                          without_own_part(*request.object).root()))
      return {};
    return Deny(request, "node " + InQuotes(node) +
                             " is not allowed to update fields other than status.quantity and "
                             "status.conditions");
  }

  static std::string_view NameOf(const AdmissionRequest& request) {
    return Creates(request) ? TextAt(*request.object, {"metadata", "name"}) : request.name;
  }

  static Check CheckLease(AdmissionRequest& request, const std::string& node) {
    if (request.name_space != "kube-node-lease") {
      return Deny(request, "can only access leases in the \"kube-node-lease\" system namespace");
    }
    if (NameOf(request) == node) return {};
    return Deny(request, "can only access node lease with the same name as the requesting node");
  }

  static Check CheckCsiNode(AdmissionRequest& request, const std::string& node) {
    if (NameOf(request) == node) return {};
    return Deny(request, "can only access CSINode with the same name as the requesting node");
  }

  static Check CheckSlice(AdmissionRequest& request, const std::string& node) {
    const bool deletes = request.operation == AdmissionOperation::kDelete;
    if (!Creates(request) && !deletes) return {};
    const object::Document& slice = deletes ? *request.old : *request.object;
    if (TextAt(slice, {"spec", "nodeName"}) == node) return {};
    return Deny(request, std::string("can only ") + (deletes ? "delete" : "create") +
                             " ResourceSlice with the same NodeName as the requesting node");
  }

  // --- credentials

  Check CheckToken(AdmissionRequest& request, const std::string& node) {
    if (!Creates(request) || request.subresource != "token") return {};
    const object::Value* ref = request.object->root().FindPath({"spec", "boundObjectRef"});
    const auto text = [ref](std::string_view name) {
      const object::Value* found = ref != nullptr ? ref->Find(name) : nullptr;
      return found != nullptr ? found->AsText() : std::string_view();
    };
    if (text("apiVersion") != "v1" || text("kind") != "Pod" || text("name").empty()) {
      return Deny(request, "node requested token not bound to a pod");
    }
    if (text("uid").empty()) {
      return Deny(request, "node requested token with a pod binding without a uid");
    }
    const std::optional<object::Document> pod = DecodeNow(pods_, request.name_space, text("name"));
    if (!pod) return std::unexpected(PodNotFound(text("name")));
    if (core::Pod(*pod).metadata().uid() != text("uid")) {
      return Deny(request, "the UID in the bound object reference (" + std::string(text("uid")) +
                               ") does not match the UID in record. The object might have been "
                               "deleted and then recreated");
    }
    if (core::Pod(*pod).spec().node_name() != node) {
      return Deny(request, "node requested token bound to a pod scheduled on a different node");
    }
    if (!restricts_audiences_) return {};
    const std::string wrong = audiences_.Check(request, *pod);
    if (!wrong.empty()) return Deny(request, wrong);
    return {};
  }

  Check CheckCsr(AdmissionRequest& request, const std::string& node) const {
    if (allows_any_csr_ || !Creates(request)) return {};
    const views::certificates_k8s_io_v1::CertificateSigningRequest csr(*request.object);
    const std::string_view signer = csr.spec().signer_name();
    if (signer != "kubernetes.io/kubelet-serving" &&
        signer != "kubernetes.io/kube-apiserver-client-kubelet") {
      return {};
    }
    const Result<CsrSubject> subject = ReadCsrSubject(csr.spec().request());
    if (!subject) return Deny(request, "unable to parse csr: " + subject.error().message());
    if (subject->common_name == std::string(kUserPrefix) + node) return {};
    return Deny(request, "can only create a node CSR with CN=system:node:" + node);
  }

  Check CheckPodCertificate(AdmissionRequest& request, const std::string& node) {
    if (!pod_certificates_) {
      return Deny(request, "PodCertificateRequest feature gate is disabled");
    }
    if (!Creates(request)) return DenyOperation(request);
    if (!request.subresource.empty()) {
      return Deny(request, "unexpected subresource " + std::string(request.subresource));
    }
    const object::Document& asked = *request.object;
    const auto spec = [&asked](std::string_view name) { return TextAt(asked, {"spec", name}); };
    const std::string which =
        "PodCertificateRequest for pod " +
        InQuotes(std::string(request.name_space) + "/" + std::string(spec("podName")));
    if (spec("nodeName") != node) {
      return Deny(request, "PodCertificateRequest.Spec.NodeName=" + InQuotes(spec("nodeName")) +
                               ", which is not the requesting node " + InQuotes(node));
    }
    const std::optional<object::Document> own = DecodeNow(nodes_, "", node);
    const std::optional<object::Document> pod =
        DecodeNow(pods_, request.name_space, spec("podName"));
    const std::optional<object::Document> account =
        DecodeNow(accounts_, request.name_space, spec("serviceAccountName"));
    // What is stale may be right a moment later, so that is a conflict and no refusal.
    const auto stale = [&](const std::string& why) {
      return std::unexpected(Conflict(request.resource, request.name, which + " " + why));
    };
    if (!own || TextAt(*own, {"metadata", "uid"}) != spec("nodeUID")) {
      return stale("names a node other than the running one");
    }
    if (!pod || TextAt(*pod, {"metadata", "uid"}) != spec("podUID")) {
      return stale("names a pod other than the running one");
    }
    if (core::Pod(*pod).spec().node_name() != node) {
      return Deny(request, which + " is about a pod that runs on another node");
    }
    if (IsMirrorPod(core::Pod(*pod))) return Deny(request, which + " is about a mirror pod");
    if (core::Pod(*pod).spec().service_account_name() != spec("serviceAccountName")) {
      return Deny(request, which + " contains serviceAccountName (" +
                               InQuotes(spec("serviceAccountName")) +
                               ") that differs from running pod");
    }
    if (!account || TextAt(*account, {"metadata", "uid"}) != spec("serviceAccountUID")) {
      return stale("names a service account other than the one that exists");
    }
    return {};
  }

  ResourceStorage* pods_;
  ResourceStorage* nodes_;
  ResourceStorage* accounts_;
  TokenAudiences audiences_;
  bool restricts_audiences_;
  bool allows_any_csr_;
  bool pod_certificates_;
  bool recovers_expansion_;
};

}  // namespace

MadePlugin MakeNodeRestriction(const PluginContext& context, std::string_view) {
  return std::make_unique<NodeRestriction>(context);
}

}  // namespace skiff::apiserver
