#include "client/https/kubeconfig.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "base/strings.h"
#include "object/json/decode.h"
#include "object/yaml/to_json.h"

namespace skiff::client {
namespace {

struct File {
  std::string path;
  object::Document document;
};

std::string_view TextOf(const object::Value* object, std::string_view name) {
  const object::Value* value = object == nullptr ? nullptr : object->Find(name);
  const bool is_text = value != nullptr && (value->tag() == object::Tag::kString ||
                                            value->tag() == object::Tag::kBytes);
  return is_text ? value->AsText() : std::string_view();
}

std::unexpected<Status> Fault(const std::string& path, std::string_view what) {
  return BadRequest(path + ": " + std::string(what));
}

// Messages of parsers may repeat what they stumbled over, which here may be a secret.
std::unexpected<Status> FaultAt(const std::string& path, const Status& fault,
                                std::string_view what) {
  std::string text;
  if (fault.position().line != 0)
    text = "line " + std::to_string(fault.position().line) + ", column " +
           std::to_string(fault.position().column) + ": ";
  if (!fault.field().empty()) text.append(fault.field()).append(": ");
  return Fault(path, text.append(what));
}

// Names are unique within a list of a file.
Result<void> CheckNames(const File& file, std::string_view list) {
  const object::Value* entries = file.document.root().Find(list);
  std::set<std::string_view> names;
  if (entries == nullptr) return {};
  for (const object::Value& entry : entries->items())
    if (!names.insert(TextOf(&entry, "name")).second)
      return Fault(file.path, "two of its " + std::string(list) + " are called " +
                                  Quoted(TextOf(&entry, "name")));
  return {};
}

Result<File> Parse(std::string_view text, const std::string& path) {
  const Result<object::YamlJson> yaml = object::YamlToJson(text);
  if (!yaml) return FaultAt(path, yaml.error(), "this is not YAML");
  if (!yaml->json().starts_with('{')) return Fault(path, "this is not a kubeconfig");
  object::DecodeOptions options;
  options.positions = &*yaml;
  options.max_bytes = limits::kMaxCredentialFileBytes * 2;
  Result<object::Document> document =
      object::DecodeJson(yaml->json(), object::FindMessage("kubeconfig/v1", "Config"), options);
  if (!document)
    return FaultAt(path, document.error(), "this is not what a kubeconfig has in this place");
  File file{path, std::move(*document)};
  if (!file.document.kind().empty() && file.document.kind() != "Config")
    return Fault(path, "this is not a kubeconfig");
  for (const std::string_view list : {"clusters", "users", "contexts"})
    SKIFF_RETURN_IF_ERROR(CheckNames(file, list));
  return file;
}

// The files, as if they were one.
class Merged {
 public:
  explicit Merged(std::vector<File> files) : files_(std::move(files)) {}

  // The entry of that name in one of the lists: its `member`, and the file it stands in.
  std::pair<const object::Value*, const File*> Find(std::string_view list, std::string_view member,
                                                    std::string_view name) const {
    for (const File& file : files_) {
      const object::Value* entries = file.document.root().Find(list);
      if (entries == nullptr) continue;
      for (const object::Value& entry : entries->items())
        if (TextOf(&entry, "name") == name) {
          const object::Value* found = entry.Find(member);
          return {found == nullptr ? &kNothing : found, &file};
        }
    }
    return {nullptr, nullptr};
  }

  std::string_view current_context() const {
    for (const File& file : files_) {
      const std::string_view current = TextOf(&file.document.root(), "current-context");
      if (!current.empty()) return current;
    }
    return {};
  }

  // "a:b" of several.
  std::string name() const {
    std::string out;
    for (const File& file : files_) out += (out.empty() ? "" : ":") + file.path;
    return out;
  }

 private:
  static inline const object::Value kNothing = object::Value::EmptyMap();
  std::vector<File> files_;
};

TextOrFile DataOrFile(const object::Value& object, const std::string& name, const File& file) {
  TextOrFile out;
  out.text = TextOf(&object, name + "-data");
  if (const std::string_view path = TextOf(&object, name); out.text.empty() && !path.empty())
    out.file = (std::filesystem::path(file.path).parent_path() / path).string();
  return out;
}

std::vector<std::string> TextsOf(const object::Value* list) {
  std::vector<std::string> out;
  if (list == nullptr || !list->is_list()) return out;
  for (const object::Value& item : list->items())
    if (item.is_string()) out.emplace_back(item.AsText());
  return out;
}

Result<void> ReadCluster(const object::Value& cluster, const File& file, RestConfig& config) {
  config.server = TextOf(&cluster, "server");
  if (config.server.empty()) return Fault(file.path, "its cluster has no server");
  if (!TextOf(&cluster, "proxy-url").empty())
    return Fault(file.path, "its cluster is behind a proxy, which is not supported");
  config.server_name = TextOf(&cluster, "tls-server-name");
  const object::Value* uncompressed = cluster.Find("disable-compression");
  if (uncompressed != nullptr && uncompressed->AsBool()) config.compression = false;
  const object::Value* insecure = cluster.Find("insecure-skip-tls-verify");
  config.insecure = insecure != nullptr && insecure->AsBool();
  config.ca = DataOrFile(cluster, "certificate-authority", file);
  return {};
}

Result<void> ReadUser(const object::Value& user, const File& file, RestConfig& config) {
  for (const std::string_view unsupported : {"exec", "auth-provider"})
    if (user.Find(unsupported) != nullptr)
      return Fault(file.path, "its user gets credentials by " + Quoted(unsupported) +
                                  ", which is not supported; give it a token, a tokenFile or a "
                                  "client certificate");
  config.certificate = DataOrFile(user, "client-certificate", file);
  config.key = DataOrFile(user, "client-key", file);
  config.token.text = TextOf(&user, "token");
  if (const std::string_view path = TextOf(&user, "tokenFile"); !path.empty())
    config.token.file = (std::filesystem::path(file.path).parent_path() / path).string();
  config.user = TextOf(&user, "username");
  config.password = TextOf(&user, "password");
  config.impersonation.user = TextOf(&user, "as");
  config.impersonation.uid = TextOf(&user, "as-uid");
  config.impersonation.groups = TextsOf(user.Find("as-groups"));
  if (const object::Value* extra = user.Find("as-user-extra"); extra != nullptr && extra->is_map())
    for (const object::MapEntry& entry : extra->entries())
      config.impersonation.extra[std::string(entry.key)] = TextsOf(&entry.value);
  return {};
}

Result<RestConfig> Choose(const Merged& merged, const KubeconfigChoice& choice) {
  const std::string all = merged.name();
  std::string_view context = choice.context.empty() ? merged.current_context() : choice.context;
  const object::Value* chosen = nullptr;
  if (!context.empty()) {
    chosen = merged.Find("contexts", "context", context).first;
    if (chosen == nullptr) return Fault(all, "it has no context " + Quoted(context));
  } else if (choice.cluster.empty()) {
    return Fault(all, "it has no current context; choose one with --context");
  }
  const std::string_view cluster_name =
      choice.cluster.empty() ? TextOf(chosen, "cluster") : choice.cluster;
  const auto [cluster, cluster_file] = merged.Find("clusters", "cluster", cluster_name);
  if (cluster == nullptr) return Fault(all, "it has no cluster " + Quoted(cluster_name));
  const std::string_view user_name = choice.user.empty() ? TextOf(chosen, "user") : choice.user;
  const auto [user, user_file] = merged.Find("users", "user", user_name);
  if (user == nullptr && !user_name.empty())
    return Fault(all, "it has no user " + Quoted(user_name));
  RestConfig config;
  SKIFF_RETURN_IF_ERROR(ReadCluster(*cluster, *cluster_file, config));
  if (user != nullptr) SKIFF_RETURN_IF_ERROR(ReadUser(*user, *user_file, config));
  config.name_space = TextOf(chosen, "namespace");
  if (const auto checked = CheckRestConfig(config); !checked)
    return Fault(all, checked.error().message());
  return config;
}

}  // namespace

Result<RestConfig> ParseKubeconfig(std::string_view text, const std::string& path,
                                   const KubeconfigChoice& choice) {
  SKIFF_ASSIGN_OR_RETURN(File file, Parse(text, path));
  std::vector<File> files;
  files.push_back(std::move(file));
  return Choose(Merged(std::move(files)), choice);
}

Result<RestConfig> ReadKubeconfig(std::span<const std::string> paths,
                                  const KubeconfigChoice& choice) {
  if (paths.empty()) return BadRequest("there is no kubeconfig");
  if (paths.size() > limits::kMaxKubeconfigs) return BadRequest("there are too many kubeconfigs");
  std::vector<File> files;
  for (const std::string& path : paths) {
    SKIFF_ASSIGN_OR_RETURN(const std::string text, ReadCredentialFile(path));
    SKIFF_ASSIGN_OR_RETURN(File file, Parse(text, path));
    files.push_back(std::move(file));
  }
  return Choose(Merged(std::move(files)), choice);
}

Result<KubeconfigUsers> ReadKubeconfigUsers(const std::string& path) {
  SKIFF_ASSIGN_OR_RETURN(const std::string text, ReadCredentialFile(path));
  SKIFF_ASSIGN_OR_RETURN(File file, Parse(text, path));
  KubeconfigUsers out;
  const object::Value* users = file.document.root().Find("users");
  if (users != nullptr && users->is_list()) {
    for (const object::Value& entry : users->items()) {
      RestConfig& config = out.users[std::string(TextOf(&entry, "name"))];
      const object::Value* user = entry.Find("user");
      if (user != nullptr) SKIFF_RETURN_IF_ERROR(ReadUser(*user, file, config));
    }
  }
  std::vector<File> files;
  files.push_back(std::move(file));
  const Merged merged(std::move(files));
  if (!merged.current_context().empty()) {
    out.current =
        TextOf(merged.Find("contexts", "context", merged.current_context()).first, "user");
  }
  return out;
}

Result<RestConfig> ReadKubeconfig(const std::string& path, std::string_view context) {
  KubeconfigChoice choice;
  choice.context = context;
  return ReadKubeconfig(std::span(&path, 1), choice);
}

std::vector<std::string> FindKubeconfigs(std::string_view listed, std::string_view home) {
  std::vector<std::string> found;
  std::error_code error;
  const auto add = [&](std::string path) {
    if (found.size() < limits::kMaxKubeconfigs && std::filesystem::exists(path, error) &&
        std::ranges::find(found, path) == found.end())
      found.push_back(std::move(path));
  };
  if (listed.empty() && !home.empty()) add(std::string(home) + "/.kube/config");
  while (!listed.empty()) {
    const std::string one(listed.substr(0, listed.find(':')));
    listed.remove_prefix(std::min(one.size() + 1, listed.size()));
    if (!one.empty()) add(one);
  }
  return found;
}

std::vector<std::string> DefaultKubeconfigs() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  return FindKubeconfigs(variable("KUBECONFIG"), variable("HOME"));
}

}  // namespace skiff::client
