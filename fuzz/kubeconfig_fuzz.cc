// Any bytes as a kubeconfig: they are refused, in words that do not repeat them, or say where a
// server is. No file is read for that.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "client/https/kubeconfig.h"

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = skiff::client::ParseKubeconfig(text, "config");
  if (!config) {
    Require(config.error().message().starts_with("config: "));
    return 0;
  }
  Require(!config->server.empty());
  Require(skiff::client::CheckRestConfig(*config).has_value());
  return 0;
}
