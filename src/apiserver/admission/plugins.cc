#include "apiserver/admission/plugin.h"

namespace skiff {

std::span<const PluginDesc> AllAdmissionPlugins() { return {}; }

}  // namespace skiff
