// Writes the documents that a server with these settings would answer with:
//
//   document_dump RUNTIME_CONFIG DIRECTORY PATH...
//
// Each goes to a file of the directory that is named by its path, slashes as "__". With
// "aggregated:" before the path it is the aggregated form of discovery, with "protobuf:" the
// protobuf form of OpenAPI. For tests that compare them with what a real server said.
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/discovery/discovery.h"
#include "apiserver/openapi/openapi.h"
#include "base/feature_gates.h"

namespace skiff {
namespace {

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
constexpr std::string_view kV2Protobuf =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
constexpr std::string_view kV3Protobuf =
    "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";

std::string FileName(std::string_view path) {
  std::string name;
  for (const char c : path.substr(path.starts_with('/') ? 1 : 0)) {
    if (c == '/') {
      name += "__";
    } else {
      name += c == ':' ? '_' : c;
    }
  }
  return name;
}

struct Server {
  apiserver::Discovery discovery;
  apiserver::OpenApi openapi;
};

bool Dump(const Server& server, const std::string& directory, std::string_view path) {
  serving::DocumentRequest request{.path = path};
  if (path.starts_with("aggregated:")) {
    request.path.remove_prefix(11);
    request.accept = kAggregated;
  } else if (path.starts_with("protobuf:")) {
    request.path.remove_prefix(9);
    request.accept = request.path.starts_with("/openapi/v2") ? kV2Protobuf : kV3Protobuf;
  }
  Result<std::optional<serving::DocumentResponse>> answer = server.openapi.Answer(request);
  if (!*answer) answer = server.discovery.Answer(request);
  if (!answer || !*answer) {
    std::fprintf(stderr, "no answer for %s\n", std::string(path).c_str());
    return false;
  }
  std::ofstream(directory + "/" + FileName(path)) << (*answer)->body.view();
  return true;
}

int Run(int count, char** arguments) {
  if (count < 3) return 2;
  const Result<apiserver::RuntimeConfig> config = apiserver::RuntimeConfig::Parse(arguments[1]);
  if (!config) {
    std::fprintf(stderr, "%s\n", config.error().message().c_str());
    return 2;
  }
  const FeatureGates all({{std::string(kAllAlphaGate), true}, {std::string(kAllBetaGate), true}});
  const auto served = std::make_shared<apiserver::ServedResources>(*config, all);
  const Server server{{served, "10.0.0.1:6443"}, {served, "unversioned"}};
  bool whole = true;
  for (int i = 3; i < count; ++i) whole &= Dump(server, arguments[2], arguments[i]);
  return whole ? 0 : 1;
}

}  // namespace
}  // namespace skiff

int main(int count, char** arguments) { return skiff::Run(count, arguments); }
