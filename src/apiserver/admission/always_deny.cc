// AlwaysDeny: refuses everything, for tests.
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"

namespace skiff::apiserver {
namespace {

class AlwaysDeny final : public AdmissionPlugin {
 public:
  Result<void> Mutate(AdmissionRequest& request) override { return Refuse(request); }
  Result<void> Validate(AdmissionRequest& request) override { return Refuse(request); }

 private:
  static Result<void> Refuse(AdmissionRequest& request) {
    return Deny(request, "admission control is denying all modifications");
  }
};

}  // namespace

MadePlugin MakeAlwaysDeny(const PluginContext&, std::string_view) {
  return std::make_unique<AlwaysDeny>();
}

}  // namespace skiff::apiserver
