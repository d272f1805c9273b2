#include "apiserver/openapi/operations.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace skiff::apiserver {
namespace {

using Body = OpenApiOperation::Body;
using Media = OpenApiOperation::Media;
using Consumes = OpenApiOperation::Consumes;
using Parameters = std::vector<OpenApiParameter>;

constexpr int kOk[] = {200};
constexpr int kOkOrCreated[] = {200, 201};
constexpr int kOkOrAccepted[] = {200, 202};
constexpr int kOkCreatedOrAccepted[] = {200, 201, 202};

constexpr OpenApiParameter Query(std::string_view name, std::string_view type) {
  return {name, OpenApiParameter::kQuery, type};
}
constexpr OpenApiParameter InPath(std::string_view name) {
  return {name, OpenApiParameter::kPath, "string"};
}

constexpr OpenApiParameter kPretty = Query("pretty", "string");
constexpr OpenApiParameter kListQueries[] = {
    Query("allowWatchBookmarks", "boolean"),
    Query("continue", "string"),
    Query("fieldSelector", "string"),
    Query("labelSelector", "string"),
    Query("limit", "integer"),
    Query("resourceVersion", "string"),
    Query("resourceVersionMatch", "string"),
    Query("sendInitialEvents", "boolean"),
    Query("shardSelector", "string"),
    Query("timeoutSeconds", "integer"),
    Query("watch", "boolean"),
};
constexpr OpenApiParameter kDeleteQueries[] = {
    Query("dryRun", "string"),
    Query("gracePeriodSeconds", "integer"),
    Query("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
    Query("orphanDependents", "boolean"),
    Query("propagationPolicy", "string"),
};
constexpr OpenApiParameter kWriteQueries[] = {
    Query("dryRun", "string"), Query("fieldManager", "string"), Query("fieldValidation", "string")};

std::string Capitalized(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') {
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  }
  return out;
}

// "rbac.authorization.k8s.io" → "RbacAuthorization"; the core group is "Core". What can be in no
// identifier is left out, and what comes behind it begins with a capital.
std::string GroupWord(std::string_view group) {
  if (group.empty()) return "Core";
  constexpr std::string_view kOurs = ".k8s.io";
  if (group.ends_with(kOurs)) group.remove_suffix(kOurs.size());
  std::string word;
  while (!group.empty()) {
    const size_t end = group.find_first_of(".-");
    word += Capitalized(group.substr(0, end));
    group = end == std::string_view::npos ? std::string_view() : group.substr(end + 1);
  }
  return word;
}

// "rbacAuthorization", as tags are written.
std::string GroupTag(std::string_view group) {
  std::string word = GroupWord(group);
  if (word[0] >= 'A' && word[0] <= 'Z') word[0] = static_cast<char>(word[0] - 'A' + 'a');
  return word;
}

std::string_view QueryType(object::FieldType type) {
  switch (type) {
    case object::FieldType::kBool:
      return "boolean";
    case object::FieldType::kInt32:
    case object::FieldType::kInt64:
      return "integer";
    default:
      return "string";
  }
}

void AddQueries(Parameters& to, std::span<const OpenApiParameter> queries) {
  to.insert(to.end(), queries.begin(), queries.end());
}

// The fields of a kind of options are what a connection's query may say.
void AddOptions(Parameters& to, const object::MessageDesc& options) {
  for (const object::FieldDesc& field : options.fields) {
    if (field.name() == "kind" || field.name() == "apiVersion") continue;
    if (object::FieldType::kTime == field.type) continue;  // no query holds it
    to.push_back(Query(field.name(), QueryType(field.type)));
  }
}

void Sort(Parameters& parameters) {
  std::sort(parameters.begin(), parameters.end(),
            [](const OpenApiParameter& a, const OpenApiParameter& b) {
              return std::tuple(a.name, a.in) < std::tuple(b.name, b.in);
            });
}

// Writes the operations of one resource.
class ResourcePaths {
 public:
  ResourcePaths(const ServedResource& served, std::vector<OpenApiPath>& out)
      : served_(served),
        resource_(*served.desc),
        version_(*served.desc->version->desc),
        prefix_(GroupWord(version_.group) + Capitalized(version_.version)),
        root_(version_.group.empty() ? "/api/" : "/apis/"),
        out_(out) {
    root_ += version_.api_version;
  }

  void Write() {
    const std::string collection = Place(root_);
    AddCollection(collection);
    AddItem(collection + "/{name}");
    for (const object::SubresourceDesc* sub : served_.subresources) {
      AddSubresource(collection + "/{name}/" + std::string(sub->name), *sub);
    }
    AddAcrossNamespaces();
    AddWatches();
  }

 private:
  bool Has(object::Verb verb) const { return resource_.verbs.Has(verb); }

  std::string Place(std::string path) const {
    path += resource_.namespaced ? "/namespaces/{namespace}/" : "/";
    return path.append(resource_.name);
  }

  // "createCoreV1NamespacedPod": verb, group and version, what is between, kind, what comes after.
  std::string Id(std::string_view verb, std::string_view between, std::string_view after) const {
    std::string id = std::string(verb).append(prefix_).append(between);
    if (resource_.namespaced) id += "Namespaced";
    return id.append(resource_.kind_name).append(after);
  }

  OpenApiOperation Make(std::string_view method, std::string id, std::string_view action) const {
    OpenApiOperation operation;
    operation.method = method;
    operation.id = std::move(id);
    operation.tag = GroupTag(version_.group).append("_").append(version_.version);
    operation.action = action;
    operation.kind_version = &version_;
    operation.kind = resource_.kind_name;
    operation.answer = resource_.kind;
    operation.codes = kOk;
    return operation;
  }

  void Finish(OpenApiPath& path, OpenApiOperation operation) const {
    if (path.path.find("{namespace}") != std::string::npos) {
      operation.parameters.push_back(InPath("namespace"));
    }
    if (path.path.find("{name}") != std::string::npos) {
      operation.parameters.push_back(InPath("name"));
    }
    if (path.path.ends_with("{path}")) operation.parameters.push_back(InPath("path"));
    if (operation.action != "connect") operation.parameters.push_back(kPretty);
    Sort(operation.parameters);
    path.operations.push_back(std::move(operation));
  }

  void Keep(OpenApiPath path) {
    if (!path.operations.empty()) out_.push_back(std::move(path));
  }

  OpenApiOperation List(std::string id) const {
    OpenApiOperation operation = Make("get", std::move(id), "list");
    AddQueries(operation.parameters, kListQueries);
    operation.answer = resource_.list_kind;
    operation.media = Media::kWatchable;
    return operation;
  }

  OpenApiOperation Create(std::string id, const object::MessageDesc& kind) const {
    OpenApiOperation operation = Make("post", std::move(id), "post");
    AddQueries(operation.parameters, kWriteQueries);
    operation.body = Body::kObject;
    operation.body_type = operation.answer = &kind;
    operation.codes = kOkCreatedOrAccepted;
    return operation;
  }

  OpenApiOperation Replace(std::string id, const object::MessageDesc& kind) const {
    OpenApiOperation operation = Make("put", std::move(id), "put");
    AddQueries(operation.parameters, kWriteQueries);
    operation.body = Body::kObject;
    operation.body_type = operation.answer = &kind;
    operation.codes = kOkOrCreated;
    return operation;
  }

  OpenApiOperation Patch(std::string id, const object::MessageDesc& kind) const {
    OpenApiOperation operation = Make("patch", std::move(id), "patch");
    AddQueries(operation.parameters, kWriteQueries);
    operation.parameters.push_back(Query("force", "boolean"));
    operation.body = Body::kPatch;
    operation.body_type = object::FindMessage("meta/v1", "Patch");
    operation.answer = &kind;
    operation.codes = kOkOrCreated;
    return operation;
  }

  OpenApiOperation Delete(std::string id, std::string_view action) const {
    OpenApiOperation operation = Make("delete", std::move(id), action);
    AddQueries(operation.parameters, kDeleteQueries);
    operation.body = Body::kDeleteOptions;
    operation.body_type = object::FindMessage("meta/v1", "DeleteOptions");
    operation.answer = object::FindMessage("meta/v1", "Status");
    return operation;
  }

  void AddCollection(const std::string& place) {
    OpenApiPath path{place, {}};
    if (Has(object::Verb::kList)) Finish(path, List(Id("list", "", "")));
    if (Has(object::Verb::kCreate)) Finish(path, Create(Id("create", "", ""), *resource_.kind));
    if (Has(object::Verb::kDeleteCollection)) {
      OpenApiOperation operation = Delete(Id("delete", "Collection", ""), "deletecollection");
      for (const OpenApiParameter& query : kListQueries) {
        const bool of_watches = query.name == "watch" || query.name == "allowWatchBookmarks";
        if (!of_watches) operation.parameters.push_back(query);
      }
      Finish(path, std::move(operation));
    }
    Keep(std::move(path));
  }

  void AddItem(const std::string& place) {
    OpenApiPath path{place, {}};
    if (Has(object::Verb::kGet)) Finish(path, Make("get", Id("read", "", ""), "get"));
    if (Has(object::Verb::kUpdate)) Finish(path, Replace(Id("replace", "", ""), *resource_.kind));
    if (Has(object::Verb::kDelete)) {
      OpenApiOperation operation = Delete(Id("delete", "", ""), "delete");
      if (ReturnsDeleted()) operation.answer = resource_.kind;
      operation.codes = kOkOrAccepted;
      Finish(path, std::move(operation));
    }
    if (Has(object::Verb::kPatch)) Finish(path, Patch(Id("patch", "", ""), *resource_.kind));
    Keep(std::move(path));
  }

  // A namespace answers with itself because deleting only marks it; that is not announced.
  bool ReturnsDeleted() const {
    const object::StorageDesc* const storage = resource_.hub->storage;
    return storage != nullptr && storage->returns_deleted && resource_.name != "namespaces";
  }

  // Connections are known by the options that they take.
  static bool IsConnection(const object::SubresourceDesc& sub) {
    return sub.kind->name.ends_with("Options");
  }

  void AddSubresource(const std::string& place, const object::SubresourceDesc& sub) {
    if (IsConnection(sub)) return AddConnections(place, sub);
    OpenApiPath path{place, {}};
    const std::string suffix = Capitalized(sub.name);
    const auto finish = [&](OpenApiOperation operation) {
      operation.kind_version = sub.kind->group_version;
      operation.kind = sub.kind->name;
      Finish(path, std::move(operation));
    };
    if (sub.verbs.Has(object::Verb::kGet)) {
      OpenApiOperation read = Make("get", Id("read", "", suffix), "get");
      read.answer = sub.kind;
      if (sub.name == "log") MakeLog(read);
      finish(std::move(read));
    }
    if (sub.verbs.Has(object::Verb::kUpdate)) finish(Replace(Id("replace", "", suffix), *sub.kind));
    if (sub.verbs.Has(object::Verb::kCreate)) finish(Create(Id("create", "", suffix), *sub.kind));
    if (sub.verbs.Has(object::Verb::kPatch)) finish(Patch(Id("patch", "", suffix), *sub.kind));
    Keep(std::move(path));
  }

  static void MakeLog(OpenApiOperation& read) {
    AddOptions(read.parameters, *object::FindMessage("core/v1", "PodLogOptions"));
    read.answer = nullptr;
    read.media = Media::kLog;
  }

  void AddConnections(const std::string& place, const object::SubresourceDesc& sub) {
    AddConnection({place, {}}, sub, "");
    if (sub.name == "proxy") AddConnection({place + "/{path}", {}}, sub, "WithPath");
  }

  void AddConnection(OpenApiPath path, const object::SubresourceDesc& sub, std::string_view after) {
    constexpr std::string_view kMethods[] = {"get",     "put",  "post", "delete",
                                             "options", "head", "patch"};
    const bool all = sub.verbs.Has(object::Verb::kDelete);
    for (const std::string_view method : kMethods) {
      if (!all && method != "get" && method != "post") continue;
      const std::string suffix = Capitalized(sub.name).append(after);
      OpenApiOperation operation =
          Make(method, Id("connect", Capitalized(method), suffix), "connect");
      AddOptions(operation.parameters, *sub.kind);
      operation.kind_version = sub.kind->group_version;
      operation.kind = sub.kind->name;
      operation.answer = nullptr;
      operation.media = Media::kAnything;
      Finish(path, std::move(operation));
    }
    Keep(std::move(path));
  }

  std::string AcrossNamespacesId(std::string_view verb, std::string_view list) const {
    return std::string(verb)
        .append(prefix_)
        .append(resource_.kind_name)
        .append(list)
        .append("ForAllNamespaces");
  }

  void AddAcrossNamespaces() {
    if (!resource_.namespaced || !Has(object::Verb::kList)) return;
    OpenApiPath path{root_ + "/" + std::string(resource_.name), {}};
    Finish(path, List(AcrossNamespacesId("list", "")));
    Keep(std::move(path));
  }

  void AddWatch(const std::string& place, std::string id, std::string_view action) {
    OpenApiPath path{place, {}};
    OpenApiOperation operation = List(std::move(id));
    operation.action = action;
    operation.answer = object::FindMessage("meta/v1", "WatchEvent");
    Finish(path, std::move(operation));
    Keep(std::move(path));
  }

  void AddWatches() {
    if (!Has(object::Verb::kWatch)) return;
    const std::string below = root_ + "/watch";
    AddWatch(Place(below), Id("watch", "", "List"), "watchlist");
    if (Has(object::Verb::kGet)) AddWatch(Place(below) + "/{name}", Id("watch", "", ""), "watch");
    if (resource_.namespaced) {
      AddWatch(below + "/" + std::string(resource_.name), AcrossNamespacesId("watch", "List"),
               "watchlist");
    }
  }

  const ServedResource& served_;
  const object::ResourceDesc& resource_;
  const object::GroupVersionDesc& version_;
  const std::string prefix_;  // "CoreV1"
  std::string root_;          // "/apis/apps/v1"
  std::vector<OpenApiPath>& out_;
};

// Writes the operations of one custom kind.
class CustomPaths {
 public:
  explicit CustomPaths(const object::ResourceDesc& resource)
      : resource_(resource),
        version_(*resource.version->desc),
        prefix_(GroupWord(version_.group) + Capitalized(version_.version)) {}

  std::vector<OpenApiPath> Make() && {
    const std::string root = std::string("/apis/").append(version_.api_version).append("/");
    std::string collection = root;
    if (resource_.namespaced) collection += "namespaces/{namespace}/";
    collection += resource_.name;
    if (resource_.namespaced) {
      OpenApiOperation list = List();
      list.id = "list" + prefix_ + std::string(resource_.kind_name) + "ForAllNamespaces";
      Keep(root + std::string(resource_.name), {std::move(list)});
    }
    OpenApiOperation remove = Operation("delete", "delete", "Collection", "", "deletecollection");
    AddQueries(remove.parameters, kListQueries);
    remove.answer = object::FindMessage("meta/v1", "Status");
    Keep(collection, {List(), Create(), std::move(remove)});
    Keep(collection + "/{name}", {Read(*resource_.kind, ""), Replace(*resource_.kind, ""), Delete(),
                                  Patch(*resource_.kind, "")});
    for (const object::SubresourceDesc& sub : resource_.subresources) {
      const std::string suffix = Capitalized(sub.name);
      Keep(collection + "/{name}/" + std::string(sub.name),
           {Read(*sub.kind, suffix), Replace(*sub.kind, suffix), Patch(*sub.kind, suffix)});
    }
    return std::move(out_);
  }

 private:
  OpenApiOperation Operation(std::string_view method, std::string_view verb,
                             std::string_view between, std::string_view suffix,
                             std::string_view action) const {
    OpenApiOperation out;
    out.method = method;
    out.id = std::string(verb).append(prefix_).append(between);
    if (resource_.namespaced) out.id += "Namespaced";
    out.id.append(resource_.kind_name).append(suffix);
    out.tag = GroupTag(version_.group).append("_").append(version_.version);
    out.action = action;
    out.kind_version = &version_;
    out.kind = resource_.kind_name;
    out.codes = kOk;
    out.media = Media::kCustom;
    out.consumes = Consumes::kCustom;
    return out;
  }

  OpenApiOperation List() const {
    OpenApiOperation out = Operation("get", "list", "", "", "list");
    AddQueries(out.parameters, kListQueries);
    out.answer = resource_.list_kind;
    return out;
  }
  OpenApiOperation Create() const {
    OpenApiOperation out = Operation("post", "create", "", "", "post");
    AddQueries(out.parameters, kWriteQueries);
    out.body = Body::kObject;
    out.body_type = out.answer = resource_.kind;
    out.codes = kOkCreatedOrAccepted;
    return out;
  }
  OpenApiOperation Read(const object::MessageDesc& kind, std::string_view suffix) const {
    OpenApiOperation out = Operation("get", "read", "", suffix, "get");
    out.parameters.push_back(Query("resourceVersion", "string"));
    out.answer = &kind;
    return out;
  }
  OpenApiOperation Replace(const object::MessageDesc& kind, std::string_view suffix) const {
    OpenApiOperation out = Operation("put", "replace", "", suffix, "put");
    AddQueries(out.parameters, kWriteQueries);
    out.body = Body::kObject;
    out.body_type = out.answer = &kind;
    out.codes = kOkOrCreated;
    return out;
  }
  OpenApiOperation Patch(const object::MessageDesc& kind, std::string_view suffix) const {
    OpenApiOperation out = Operation("patch", "patch", "", suffix, "patch");
    AddQueries(out.parameters, kWriteQueries);
    out.parameters.push_back(Query("force", "boolean"));
    out.body = Body::kCustomPatch;
    out.body_type = object::FindMessage("meta/v1", "Patch");
    out.answer = &kind;
    return out;
  }
  OpenApiOperation Delete() const {
    OpenApiOperation out = Operation("delete", "delete", "", "", "delete");
    AddQueries(out.parameters, kDeleteQueries);
    out.body = Body::kDeleteOptions;
    out.body_type = object::FindMessage("meta/v1", "DeleteOptions");
    out.answer = object::FindMessage("meta/v1", "Status");
    out.codes = kOkOrAccepted;
    return out;
  }

  void Keep(std::string place, std::vector<OpenApiOperation> operations) {
    for (OpenApiOperation& operation : operations) {
      const bool has_namespace = place.find("{namespace}") != std::string::npos;
      if (has_namespace) operation.parameters.push_back(InPath("namespace"));
      if (place.find("{name}") != std::string::npos) operation.parameters.push_back(InPath("name"));
      operation.parameters.push_back(kPretty);
      Sort(operation.parameters);
    }
    out_.push_back({std::move(place), std::move(operations)});
  }

  const object::ResourceDesc& resource_;
  const object::GroupVersionDesc& version_;
  const std::string prefix_;  // "ExampleComV1"
  std::vector<OpenApiPath> out_;
};

OpenApiPath ReadOnly(std::string path, std::string id, std::string tag,
                     const object::MessageDesc* answer) {
  OpenApiOperation operation;
  operation.method = "get";
  operation.id = std::move(id);
  operation.tag = std::move(tag);
  operation.answer = answer;
  operation.codes = kOk;
  operation.consumes = Consumes::kObject;
  OpenApiPath made{std::move(path), {}};
  made.operations.push_back(std::move(operation));
  return made;
}

}  // namespace

std::vector<OpenApiPath> VersionPaths(const ServedVersion& version) {
  std::vector<OpenApiPath> paths;
  const object::GroupVersionDesc& desc = *version.info->desc;
  const std::string root = desc.group.empty() ? "/api/" : "/apis/";
  paths.push_back(
      ReadOnly(root + std::string(desc.api_version) + "/",
               "get" + GroupWord(desc.group) + Capitalized(desc.version) + "APIResources",
               GroupTag(desc.group).append("_").append(desc.version),
               object::FindMessage("meta/v1", "APIResourceList")));
  for (const ServedResource& resource : version.resources) ResourcePaths(resource, paths).Write();
  std::sort(paths.begin(), paths.end(),
            [](const OpenApiPath& a, const OpenApiPath& b) { return a.path < b.path; });
  return paths;
}

std::vector<OpenApiPath> CustomKindPaths(const object::ResourceDesc& resource) {
  return CustomPaths(resource).Make();
}

OpenApiPath GroupPath(std::string_view group) {
  return ReadOnly(std::string("/apis/").append(group).append("/"),
                  "get" + GroupWord(group) + "APIGroup", GroupTag(group),
                  object::FindMessage("meta/v1", "APIGroup"));
}

std::vector<OpenApiPath> ServerPaths() {
  std::vector<OpenApiPath> paths;
  paths.push_back(ReadOnly("/.well-known/openid-configuration/",
                           "getServiceAccountIssuerOpenIDConfiguration", "WellKnown", nullptr));
  paths.back().operations[0].media = Media::kJson;
  paths.back().operations[0].consumes = Consumes::kNothing;
  paths.push_back(ReadOnly("/api/", "getCoreAPIVersions", "core",
                           object::FindMessage("meta/v1", "APIVersions")));
  paths.push_back(
      ReadOnly("/apis/", "getAPIVersions", "apis", object::FindMessage("meta/v1", "APIGroupList")));
  paths.push_back(
      ReadOnly("/openid/v1/jwks/", "getServiceAccountIssuerOpenIDKeyset", "openid", nullptr));
  paths.back().operations[0].media = Media::kKeySet;
  paths.back().operations[0].consumes = Consumes::kNothing;
  paths.push_back(ReadOnly("/version/", "getCodeVersion", "version",
                           object::FindMessage("common/version", "Info")));
  paths.back().operations[0].media = Media::kJson;
  paths.back().operations[0].consumes = Consumes::kJson;
  return paths;
}

std::vector<OpenApiParameter> CommonParameters(const OpenApiPath& path) {
  std::vector<OpenApiParameter> common = path.operations.front().parameters;
  for (const OpenApiOperation& operation : path.operations) {
    std::erase_if(common, [&](const OpenApiParameter& parameter) {
      return std::find(operation.parameters.begin(), operation.parameters.end(), parameter) ==
             operation.parameters.end();
    });
  }
  return common;
}

}  // namespace skiff::apiserver
