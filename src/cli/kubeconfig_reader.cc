#include "cli/kubeconfig_reader.h"

#include <cstdlib>
#include <filesystem>

#include "base/strings.h"
#include "cli/input.h"
#include "object/json/decode.h"
#include "object/scalar/base64.h"
#include "object/yaml/to_json.h"

namespace skiff {
namespace {

std::string_view TextOf(const Value* map, std::string_view name) {
  const Value* value = map == nullptr ? nullptr : map->Find(name);
  return value != nullptr && value->is_string() ? value->AsText() : std::string_view();
}

bool IsTrue(const Value* map, std::string_view name) {
  const Value* value = map == nullptr ? nullptr : map->Find(name);
  return value != nullptr && value->tag() == Tag::kBool && value->AsBool();
}

// The entry of that name in one of the lists: its `member`. Null when there is none.
const Value* EntryOf(const Value& root, std::string_view list, std::string_view member,
                     std::string_view name) {
  const Value* entries = root.Find(list);
  if (entries == nullptr || !entries->is_list()) return nullptr;
  for (const Value& entry : entries->items())
    if (entry.is_map() && TextOf(&entry, "name") == name) return entry.Find(member);
  return nullptr;
}

// Reads a value that stands in the kubeconfig itself, or in a file that it names.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  std::unexpected<Status> Fault(std::string_view what) const {
    return BadRequest(path_ + ": " + std::string(what));
  }

  Result<std::string> File(std::string_view name) const {
    const std::filesystem::path file =
        std::filesystem::path(path_).parent_path() / std::filesystem::path(name);
    Result<std::string> text = ReadInput(file.string());
    if (!text) return BadRequest(file.string() + ": " + text.error().message());
    return text;
  }

  Result<std::string> DataOrFile(const Value* map, const std::string& name) const {
    const std::string_view data = TextOf(map, name + "-data");
    if (data.empty()) {
      const std::string_view file = TextOf(map, name);
      return file.empty() ? std::string() : File(file);
    }
    Result<std::string> bytes = DecodeBase64(data);
    if (!bytes) return Fault(name + "-data is not base64");
    return bytes;
  }

 private:
  const std::string& path_;
};

Result<void> ReadUser(const Reader& reader, const Value* user, ClusterAccess& access) {
  if (user == nullptr) return {};
  for (const std::string_view unsupported : {"exec", "auth-provider"})
    if (user->Find(unsupported) != nullptr)
      return reader.Fault("its user gets credentials by " + Quoted(unsupported) +
                          ", which is not supported; use --server with --token");
  SKIFF_ASSIGN_OR_RETURN(access.tls.certificate_pem, reader.DataOrFile(user, "client-certificate"));
  SKIFF_ASSIGN_OR_RETURN(access.tls.key_pem, reader.DataOrFile(user, "client-key"));
  access.token = TextOf(user, "token");
  const std::string_view file = TextOf(user, "tokenFile");
  if (access.token.empty() && !file.empty()) {
    SKIFF_ASSIGN_OR_RETURN(access.token, reader.File(file));
  }
  while (access.token.ends_with('\n') || access.token.ends_with(' ')) access.token.pop_back();
  access.user = TextOf(user, "username");
  access.password = TextOf(user, "password");
  return {};
}

}  // namespace

Result<ClusterAccess> ReadKubeconfig(const std::string& path, std::string_view context) {
  const Reader reader(path);
  const Result<std::string> text = ReadInput(path);
  if (!text) return reader.Fault(text.error().message());
  const Result<YamlJson> yaml = YamlToJson(*text);
  if (!yaml) return reader.Fault(yaml.error().ToString());
  const Result<Document> document = DecodeJson(yaml->json(), nullptr);
  if (!document) return reader.Fault(document.error().message());
  const Value& root = document->root();
  if (!root.is_map()) return reader.Fault("this is not a kubeconfig");
  if (context.empty()) context = TextOf(&root, "current-context");
  if (context.empty()) return reader.Fault("it has no current context; choose one with --context");
  const Value* chosen = EntryOf(root, "contexts", "context", context);
  if (chosen == nullptr) return reader.Fault("it has no context " + Quoted(context));
  const Value* cluster = EntryOf(root, "clusters", "cluster", TextOf(chosen, "cluster"));
  if (cluster == nullptr)
    return reader.Fault("it has no cluster " + Quoted(TextOf(chosen, "cluster")));
  const std::string_view user_name = TextOf(chosen, "user");
  const Value* user = EntryOf(root, "users", "user", user_name);
  if (user == nullptr && !user_name.empty())
    return reader.Fault("it has no user " + Quoted(user_name));
  ClusterAccess access;
  access.server = TextOf(cluster, "server");
  if (access.server.empty()) return reader.Fault("its cluster has no server");
  if (!TextOf(cluster, "proxy-url").empty())
    return reader.Fault("its cluster is behind a proxy, which is not supported");
  access.tls.server_name = TextOf(cluster, "tls-server-name");
  access.tls.insecure = IsTrue(cluster, "insecure-skip-tls-verify");
  SKIFF_ASSIGN_OR_RETURN(access.tls.ca_pem, reader.DataOrFile(cluster, "certificate-authority"));
  SKIFF_RETURN_IF_ERROR(ReadUser(reader, user, access));
  return access;
}

std::string DefaultKubeconfig() {
  std::error_code error;
  const char* listed = std::getenv("KUBECONFIG");
  std::string_view rest = listed == nullptr ? "" : listed;
  while (!rest.empty()) {
    const std::string one(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    if (!one.empty() && std::filesystem::exists(one, error)) return one;
  }
  const char* home = std::getenv("HOME");
  const std::string usual = std::string(home == nullptr ? "" : home) + "/.kube/config";
  return home != nullptr && std::filesystem::exists(usual, error) ? usual : "";
}

}  // namespace skiff
