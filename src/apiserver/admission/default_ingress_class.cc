// DefaultIngressClass: an ingress that says nothing about its class gets the cluster's default one.
#include "apiserver/admission/default_class.h"
#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "views/networking.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace networking = views::networking_k8s_io_v1;

constexpr std::string_view kGroup = "networking.k8s.io";
constexpr std::string_view kOldClassAnnotation = "kubernetes.io/ingress.class";

struct DefaultIngress : DefaultClassByAnnotation {
  void Add(const object::Document& object) {
    Consider(object, {"ingressclass.kubernetes.io/is-default-class"});
  }
};

class DefaultIngressClass final : public AdmissionPlugin {
 public:
  explicit DefaultIngressClass(ResourceStorage* classes) : default_(classes) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (!Creates(request) || !IsWholly(request, kGroup, "ingresses")) return {};
    const networking::Ingress ingress(*request.object);
    if (ingress.spec().ingress_class_name() ||
        ingress.metadata().annotations().Contains(kOldClassAnnotation)) {
      return {};
    }
    const std::shared_ptr<const DefaultIngress> found = default_.Get();
    if (found->name().empty()) return {};
    networking::MutableIngress(*request.object)
        .mutable_spec()
        .set_ingress_class_name(found->name());
    return {};
  }

 private:
  Summary<DefaultIngress> default_;
};

}  // namespace

MadePlugin MakeDefaultIngressClass(const PluginContext& context, std::string_view) {
  return std::make_unique<DefaultIngressClass>(StorageOf(context, kGroup, "ingressclasses"));
}

}  // namespace skiff::apiserver
