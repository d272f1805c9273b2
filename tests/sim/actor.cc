#include "tests/sim/actor.h"

#include <utility>

namespace skiff::sim {
namespace {

// {"metadata":{"name":…,"namespace":…,"annotations":{"sim":…}<more>}<rest>}
std::string ObjectText(const client::ObjectName& name, const std::string& marker,
                       const std::string& more, const std::string& rest) {
  std::string out = "{\"metadata\":{\"name\":\"" + name.name + "\"";
  if (!name.name_space.empty()) out += ",\"namespace\":\"" + name.name_space + "\"";
  out += ",\"annotations\":{\"sim\":\"" + marker + "\"}" + more + "}" + rest + "}";
  return out;
}

// Members of the metadata come first, up to the mark; without one there is only one sort.
struct Members {
  std::string metadata;
  std::string rest;
};
Members Split(const std::string& text, bool is_metadata) {
  const size_t mark = text.find('|');
  if (mark != std::string::npos) return {text.substr(0, mark), text.substr(mark + 1)};
  return is_metadata ? Members{text, ""} : Members{"", text};
}

}  // namespace

Task<void> Pause(Executor& executor, Duration time) {
  co_await FromCallback<bool>(
      [&](auto done) { executor.After(time, [done = std::move(done)]() mutable { done(true); }); });
}

std::vector<const client::ApiResource*> WorkKinds() {
  return {&client::BuiltIn("", "v1", "configmaps"), &client::BuiltIn("", "v1", "secrets"),
          &client::BuiltIn("", "v1", "pods")};
}

std::string RestOf(const client::ApiResource& resource) {
  if (resource.kind == "Pod") {
    return R"(,"spec":{"containers":[{"name":"main","image":"example.org/none"}]})";
  }
  if (resource.kind == "Secret") return R"(,"type":"Opaque")";
  return "";
}

Actor::Actor(Cluster& cluster, Guarantees& guarantees, const std::string& name)
    : cluster_(cluster),
      guarantees_(guarantees),
      process_(cluster, name, DeriveSeed(cluster.seed(), name)),
      transport_(cluster.network().MakeTransport(name, Admin(), process_.executor)),
      client_(*transport_, name) {}

void Actor::Start() {
  process_.executor.Post([this] { Detach(Run(), [this] { done_ = true; }); });
}

Task<void> Actor::Run() {
  while (!stopping_) {
    co_await Step();
    co_await Pause(process_.executor,
                   Duration(Draw(static_cast<uint64_t>(LongestPause().count()) + 1)));
  }
  co_await CleanUp();
}

std::string Actor::NewMarker() { return name() + "." + std::to_string(++markers_); }

Task<Result<client::ObjectPtr>> Actor::Create(const client::ApiResource& resource,
                                              client::ObjectName name, std::string rest) {
  const std::string marker = NewMarker();
  const Members members = Split(rest, false);
  Result<client::ObjectPtr> body =
      client::ParseObject(resource, ObjectText(name, marker, members.metadata, members.rest));
  if (!body) {
    cluster_.Fail("the workload makes no sense: " + body.error().ToString());
    co_return std::unexpected(body.error());
  }
  Result<client::ObjectPtr> answer = co_await client_.Create(resource, *body);
  guarantees_.OnWritten(StoredKey(resource, name), marker, answer);
  co_return answer;
}

Task<Result<client::ObjectPtr>> Actor::CreateNameless(const client::ApiResource& resource,
                                                      std::string name_space, std::string rest) {
  const std::string marker = NewMarker();
  const std::string text = "{\"metadata\":{\"generateName\":\"nameless-\",\"namespace\":\"" +
                           name_space + "\",\"annotations\":{\"sim\":\"" + marker + "\"}}" + rest +
                           "}";
  Result<client::ObjectPtr> body = client::ParseObject(resource, text);
  if (!body) {
    cluster_.Fail("the workload makes no sense: " + body.error().ToString());
    co_return std::unexpected(body.error());
  }
  Result<client::ObjectPtr> answer = co_await client_.Create(resource, *body);
  // Of what was refused nobody knows the name.
  const client::ObjectName name =
      answer ? client::NameOf(**answer) : client::ObjectName{name_space, ""};
  guarantees_.OnWritten(StoredKey(resource, name), marker, answer);
  co_return answer;
}

Task<Result<client::ObjectPtr>> Actor::Patch(const client::ApiResource& resource,
                                             client::ObjectName name, std::string change) {
  const std::string marker = NewMarker();
  const Members members = Split(change, true);
  const std::string patch = "{\"metadata\":{\"annotations\":{\"sim\":\"" + marker + "\"}" +
                            members.metadata + "}" + members.rest + "}";
  Result<client::ObjectPtr> answer =
      co_await client_.Patch(resource, name, client::PatchType::kMerge, patch);
  guarantees_.OnWritten(StoredKey(resource, name), marker, answer);
  co_return answer;
}

Task<Result<client::ObjectPtr>> Actor::Update(const client::ApiResource& resource,
                                              client::ObjectPtr known) {
  const std::string marker = NewMarker();
  std::shared_ptr<object::Document> changed = client::MutableCopy(*known);
  object::Value* metadata = changed->root().Find("metadata");
  object::Value* annotations = metadata == nullptr ? nullptr : metadata->Find("annotations");
  if (annotations == nullptr) co_return std::unexpected(Status(StatusReason::kUnknown, "bare"));
  annotations->Set(changed->arena(), "sim", object::Value::String(changed->arena().Copy(marker)));
  Result<client::ObjectPtr> answer = co_await client_.Update(resource, changed);
  guarantees_.OnWritten(StoredKey(resource, client::NameOf(*known)), marker, answer);
  co_return answer;
}

Task<Result<void>> Actor::Delete(const client::ApiResource& resource, client::ObjectName name,
                                 client::DeleteChoice how) {
  const std::string key = StoredKey(resource, name);
  guarantees_.AllowDeletion(key);
  const std::string uid = how.uid;
  Result<void> answer = co_await client_.Delete(resource, name, std::move(how));
  guarantees_.OnDeleted(key, uid, answer);
  co_return answer;
}

Task<Result<client::ObjectPtr>> Actor::Get(const client::ApiResource& resource,
                                           client::ObjectName name) {
  cluster_.ledger().CatchUp();
  const int64_t since = cluster_.ledger().revision();
  Result<client::ObjectPtr> answer = co_await client_.Get(resource, name);
  guarantees_.OnRead(StoredKey(resource, name), since, answer);
  co_return answer;
}

Task<void> Actor::List(const client::ApiResource& resource, std::string name_space) {
  cluster_.ledger().CatchUp();
  const int64_t since = cluster_.ledger().revision();
  client::ClientCall call{.verb = client::ClientVerb::kList, .resource = &resource};
  call.target.name_space = name_space;
  const Result<client::ClientReply> answer = co_await client_.List(std::move(call));
  guarantees_.OnListed(resource, name_space, since, answer);
}

Task<void> Actor::EnsureNamespace(std::string name) {
  const client::ApiResource& namespaces = client::BuiltIn("", "v1", "namespaces");
  const client::ObjectName full_name{"", name};
  while (!stopping_) {
    const Result<client::ObjectPtr> made = co_await Create(namespaces, full_name, "");
    if (made || made.error().reason() == StatusReason::kAlreadyExists) co_return;
    co_await Pause(process_.executor, std::chrono::milliseconds(500));
  }
}

}  // namespace skiff::sim
