// RuntimeClass: a pod gets the overhead of its runtime and is scheduled where that runtime is; no
// pod claims an overhead of its own.
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/admission/tolerations.h"
#include "base/strings.h"
#include "views/core/v1.h"
#include "views/node.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
namespace node = views::node_k8s_io_v1;

// The class itself: it is small, and nearly all of it is copied.
struct Runtime {
  explicit Runtime(object::Document& read)
      : document(std::make_unique<object::Document>(read.Copy())) {}
  node::RuntimeClass view() const { return node::RuntimeClass(*document); }
  std::unique_ptr<object::Document> document;
};

bool SameOverhead(const object::Document& pod, const node::RuntimeClass& runtime) {
  const object::Value* given = pod.root().FindPath({"spec", "overhead"});
  const object::Value* fixed = runtime.overhead().AsValue()->Find("podFixed");
  const bool none = given == nullptr || given->size() == 0;
  if (fixed == nullptr || fixed->size() == 0) return none;
  if (none || given->size() != fixed->size()) return false;
  // Compared through the field, so that 1Gi is 1024Mi.
  object::Document wanted = pod.Copy();
  wanted.root().Find("spec")->Set(wanted.arena(), "overhead", fixed->CopyInto(wanted.arena()));
  return object::DeepEqual(*wanted.root().Find("spec"), *pod.root().Find("spec"));
}

class RuntimeClassPlugin final : public AdmissionPlugin {
 public:
  explicit RuntimeClassPlugin(ResourceStorage* classes) : classes_(classes) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (!CreatesPod(request)) return {};
    SKIFF_ASSIGN_OR_RETURN(const std::shared_ptr<const Runtime> found, Find(request));
    if (!found) return {};
    SKIFF_RETURN_IF_ERROR(SetOverhead(request, found->view()));
    return SetScheduling(request, found->view());
  }

  Result<void> Validate(AdmissionRequest& request) override {
    if (!CreatesPod(request)) return {};
    SKIFF_ASSIGN_OR_RETURN(const std::shared_ptr<const Runtime> found, Find(request));
    if (found && found->view().has_overhead()) {
      if (SameOverhead(*request.object, found->view())) return {};
      return Deny(request, kMismatch);
    }
    if (core::Pod(*request.object).spec().overhead().empty()) return {};
    return Deny(request,
                "pod rejected: Pod Overhead set without corresponding RuntimeClass defined "
                "Overhead");
  }

 private:
  static constexpr std::string_view kMismatch =
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

  // Null: the pod names no class.
  Result<std::shared_ptr<const Runtime>> Find(const AdmissionRequest& request) {
    const auto name = core::Pod(*request.object).spec().runtime_class_name();
    if (!name) return nullptr;
    if (auto found = classes_.Find("", *name)) return found;
    if (request.awaited != nullptr && classes_.storage() != nullptr) {
      *request.awaited = {classes_.storage(), "", std::string(*name)};
    }
    return Deny(request, "pod rejected: RuntimeClass " + InQuotes(*name) + " not found");
  }

  static Result<void> SetOverhead(AdmissionRequest& request, const node::RuntimeClass& runtime) {
    if (!runtime.has_overhead()) return {};
    object::Document& pod = *request.object;
    if (!core::Pod(pod).spec().overhead().empty() && !SameOverhead(pod, runtime)) {
      return Deny(request, kMismatch);
    }
    const object::Value* fixed = runtime.overhead().AsValue()->Find("podFixed");
    if (fixed == nullptr) return {};
    pod.root().Find("spec")->Set(pod.arena(), "overhead", fixed->CopyInto(pod.arena()));
    return {};
  }

  static Result<void> SetScheduling(AdmissionRequest& request, const node::RuntimeClass& runtime) {
    if (!runtime.has_scheduling()) return {};
    object::Document& pod = *request.object;
    for (const auto& [key, value] : runtime.scheduling().node_selector()) {
      const auto given = core::Pod(pod).spec().node_selector().Find(key);
      if (given && *given != value) {
        const std::string at = "[" + std::string(key) + "] = ";
        return Deny(request, "conflict: runtimeClass.scheduling.nodeSelector" + at +
                                 std::string(value) + "; pod.spec.nodeSelector" + at +
                                 std::string(*given));
      }
      core::MutablePod(pod).mutable_spec().put_node_selector(key, value);
    }
    SetTolerations(pod, MergeTolerations(ReadTolerations(core::Pod(pod).spec().tolerations()),
                                         ReadTolerations(runtime.scheduling().tolerations())));
    return {};
  }

  Remembered<Runtime> classes_;
};

}  // namespace

MadePlugin MakeRuntimeClass(const PluginContext& context, std::string_view) {
  return std::make_unique<RuntimeClassPlugin>(StorageOf(context, "node.k8s.io", "runtimeclasses"));
}

}  // namespace skiff::apiserver
