// ImagePolicyWebhook: asks a server of the operator's whether images may run. Without a client for
// webhooks, turning it on must not look as if it worked.
#include "apiserver/admission/plugins.h"

namespace skiff::apiserver {

MadePlugin MakeImagePolicyWebhook(const PluginContext&, std::string_view) {
  return BadRequest(
      "webhooks cannot be called yet, and images that the webhook forbids would be admitted; leave "
      "ImagePolicyWebhook out of --enable-admission-plugins");
}

}  // namespace skiff::apiserver
