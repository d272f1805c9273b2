#include "apiserver/discovery/server_documents.h"

#include <charconv>
#include <set>

#include "object/json/encode.h"
#include "serving/request/json_writer.h"
#include "serving/request/negotiate.h"

namespace skiff::apiserver {
namespace {

#if defined(__x86_64__)
constexpr std::string_view kPlatform = "linux/amd64";
#elif defined(__aarch64__)
constexpr std::string_view kPlatform = "linux/arm64";
#else
constexpr std::string_view kPlatform = "linux/unknown";
#endif

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang " __clang_version__;
#else
constexpr std::string_view kCompiler = "gcc " __VERSION__;
#endif

// Builds are reproducible, so they carry no date; this is what Kubernetes shows without one.
constexpr std::string_view kNoBuildDate = "1970-01-01T00:00:00Z";

serving::DocumentResponse Pretty(const ByteBuffer& json) {
  ByteBuffer pretty;
  object::AppendPrettyJson(pretty, json.view(), 2);
  serving::DocumentResponse answer;
  answer.content_type = serving::kJsonMediaType;
  answer.body = SharedBytes(pretty.view());
  return answer;
}

std::string_view WithoutV(std::string_view version) {
  return version.starts_with('v') ? version.substr(1) : version;
}

}  // namespace

serving::DocumentResponse VersionDocument(const BuildInfo& build) {
  const std::string_view version = WithoutV(build.kubernetes_version);
  const size_t dot = version.find('.');
  const std::string_view major = version.substr(0, dot);
  const std::string_view rest = version.substr(dot + 1);
  const std::string_view minor = rest.substr(0, rest.find('.'));
  int minor_number = 0;
  std::from_chars(minor.data(), minor.data() + minor.size(), minor_number);

  ByteBuffer out;
  serving::JsonWriter json(out);
  json.OpenObject();
  json.String("major", major);
  json.String("minor", minor);
  json.String("emulationMajor", major);
  json.String("emulationMinor", minor);
  json.String("minCompatibilityMajor", major);
  json.String("minCompatibilityMinor", std::to_string(minor_number - 1));
  json.String("gitVersion", std::string(build.kubernetes_version)
                                .append("+skiff.")
                                .append(WithoutV(build.skiff_version)));
  json.String("gitCommit", build.git_commit);
  json.String("gitTreeState", build.git_commit.empty() ? "" : "clean");
  json.String("buildDate", kNoBuildDate);
  json.String("goVersion", "none");
  json.String("compiler", kCompiler);
  json.String("platform", kPlatform);
  json.CloseObject();
  return Pretty(out);
}

serving::DocumentResponse IndexDocument(const ServedResources& served,
                                        std::span<const RegisteredVersion> registered,
                                        std::span<const std::string> more_paths) {
  std::set<std::string> paths(more_paths.begin(), more_paths.end());
  paths.insert({"/api", "/apis", "/apis/"});
  for (const ServedGroup& group : served.groups()) {
    const std::string path = group.name.empty() ? "/api" : std::string("/apis/").append(group.name);
    paths.insert(path);
    for (const ServedVersion& version : group.versions) {
      paths.insert(std::string(path).append("/").append(version.info->desc->version));
    }
  }
  for (const RegisteredVersion& each : registered) {
    if (!each.is_remote) continue;
    const std::string path = std::string("/apis/").append(each.group);
    paths.insert(path);
    paths.insert(std::string(path).append("/").append(each.version));
  }
  ByteBuffer out;
  serving::JsonWriter json(out);
  json.OpenObject();
  json.StringArray("paths", paths);
  json.CloseObject();
  return Pretty(out);
}

}  // namespace skiff::apiserver
