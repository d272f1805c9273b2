#include "apiserver/registry/autoscaling/horizontal_pod_autoscaler_normal_form.h"

#include "apiserver/convert/normal_bytes.h"
#include "apiserver/convert/old_names.h"
#include "views/autoscaling/v2.h"

namespace skiff::apiserver {
namespace {

using Autoscaler = views::autoscaling_v2::HorizontalPodAutoscaler;

Result<void> NormalizeAutoscaler(object::Value& autoscaler, Arena&) {
  DropAnnotations(autoscaler, kAutoscalingAnnotations);
  return {};
}

bool IsNormalAutoscaler(std::string_view autoscaler) {
  static const object::WirePath annotations =
      object::WirePath::Of(Autoscaler::Type(), "metadata.annotations");
  return HasNone(annotations, autoscaler, kAutoscalingAnnotations);
}

}  // namespace

constinit const NormalForm kHorizontalPodAutoscalerNormalForm = {
    Autoscaler::Type, NormalizeAutoscaler, IsNormalAutoscaler};

}  // namespace skiff::apiserver
