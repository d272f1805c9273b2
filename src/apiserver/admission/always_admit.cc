// AlwaysAdmit: does nothing. It is there for those whose flags still name it.
#include "apiserver/admission/plugins.h"

namespace skiff::apiserver {

MadePlugin MakeAlwaysAdmit(const PluginContext&, std::string_view) {
  return std::make_unique<AdmissionPlugin>();
}

}  // namespace skiff::apiserver
