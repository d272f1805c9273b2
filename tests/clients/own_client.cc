// Our own client against an API server, as a process: every verb, watches, discovery, informers,
// service accounts, and a server that is killed and started again.
//
//   own_client KUBECONFIG
//
// Prints what it has checked, one line each. At "restart" it waits for a line on its input, when
// the server is there again. Ends with 1 at the first thing that is wrong.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "client/client.h"
#include "client/https/https_transport.h"
#include "client/https/kubeconfig.h"
#include "client/https/service_accounts.h"
#include "client/informer.h"
#include "net/loop_executor.h"
#include "object/json/encode.h"

namespace {

using namespace skiff;

constexpr std::chrono::seconds kPatience{60};

void Check(bool holds, const std::string& what) {
  std::cout << (holds ? "ok   " : "WRONG ") << what << std::endl;
  if (!holds) std::_Exit(1);
}

template <typename T>
void CheckOk(const Result<T>& result, const std::string& what) {
  Check(result.has_value(), what + (result ? "" : ": " + result.error().ToString()));
}

template <typename T>
void CheckReason(const Result<T>& result, StatusReason reason, const std::string& what) {
  Check(!result && result.error().reason() == reason,
        what + (result ? "" : ": " + result.error().ToString()));
}

// What other threads wait for.
class Gate {
 public:
  void Change(const std::function<void()>& change) {
    std::lock_guard lock(mutex_);
    change();
    wake_.notify_all();
  }
  bool WaitFor(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, kPatience, condition);
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
};

class Sink final : public client::ClientWatchSink {
 public:
  void OnEvents(std::span<const client::ClientEvent> events) override {
    gate_.Change([&] {
      for (const client::ClientEvent& event : events) {
        if (event.type == client::ClientEvent::Type::kBookmark && !event.initial_end) continue;
        constexpr const char* kNames[] = {"+", "~", "-", "end"};
        text_ += kNames[static_cast<size_t>(event.type)];
        if (!event.initial_end) text_ += client::NameOf(*event.object).name;
        text_ += ' ';
      }
    });
  }
  void OnEnd(std::optional<Status> why) override {
    gate_.Change([&] {
      ended_ = true;
      why_ = why ? why->ToString() : "";
    });
  }
  bool WaitFor(const std::string& text) {
    return gate_.WaitFor([&] { return text_ == text; });
  }
  bool WaitForEnd() {
    return gate_.WaitFor([&] { return ended_; });
  }
  const std::string& text() const { return text_; }
  const std::string& why() const { return why_; }

 private:
  Gate gate_;
  std::string text_;
  std::string why_;
  bool ended_ = false;
};

class Checks {
 public:
  explicit Checks(const std::string& kubeconfig) {
    loop_ = *net::EventLoop::Create(clock_);
    loop_->Start("client");
    executor_ = std::make_unique<net::LoopExecutor>(loop_);
    auto config = client::ReadKubeconfig(kubeconfig);
    CheckOk(config, "the kubeconfig is read");
    config_ = *config;
    config_.user_agent = "own-client";
    auto transport = client::HttpsTransport::Open({loop_, *executor_, random_}, config_);
    CheckOk(transport, "the transport is made");
    transport_ = std::move(*transport);
  }
  ~Checks() {
    OnLoop([this] {
      transport_->Close();
      transport_.reset();
      executor_.reset();
    });
    loop_->Stop();
  }

  void RunAll() {
    Verbs();
    Lists();
    Watches();
    CustomResources();
    Subresources();
    Discovery();
    ServiceAccounts();
    Restart();
  }

 private:
  void OnLoop(const std::function<void()>& task) {
    Gate gate;
    bool done = false;
    loop_->Post([&] {
      task();
      gate.Change([&] { done = true; });
    });
    if (!gate.WaitFor([&] { return done; })) Check(false, "the loop runs");
  }
  template <typename T>
  T Await(std::function<Task<T>()> start) {
    Gate gate;
    std::optional<T> out;
    loop_->Post([&] {
      Detach<T>(start(), [&](T result) { gate.Change([&] { out = std::move(result); }); });
    });
    if (!gate.WaitFor([&] { return out.has_value(); })) Check(false, "a call is answered");
    return std::move(*out);
  }
  client::Client client() { return client::Client(*transport_, "own-client"); }

  static const client::ApiResource& Maps() { return client::BuiltIn("", "v1", "configmaps"); }
  static client::ObjectPtr Map(const std::string& name, const std::string& more = "") {
    return *client::ParseObject(
        Maps(), R"({"metadata":{"name":")" + name + R"(","namespace":"default"})" + more + "}");
  }
  Result<client::ObjectPtr> Create(const client::ApiResource& resource, client::ObjectPtr object,
                                   std::string subresource = {}, std::string name = {}) {
    return Await<Result<client::ObjectPtr>>(
        [&] { return client().Create(resource, object, subresource, name); });
  }
  Result<client::ObjectPtr> Get(const client::ApiResource& resource, client::ObjectName name) {
    return Await<Result<client::ObjectPtr>>([&] { return client().Get(resource, name); });
  }
  Result<void> Delete(const client::ApiResource& resource, client::ObjectName name,
                      client::DeleteChoice how = {}) {
    return Await<Result<void>>([&] { return client().Delete(resource, name, how); });
  }
  Result<client::ClientReply> Send(client::ClientCall call) {
    return Await<Result<client::ClientReply>>([&] { return client().Send(call); });
  }
  Result<client::ObjectPtr> Patch(client::ObjectName name, client::PatchType type,
                                  const std::string& patch) {
    return Await<Result<client::ObjectPtr>>(
        [&] { return client().Patch(Maps(), name, type, patch); });
  }

  void Verbs() {
    const auto made = Create(Maps(), Map("a", R"(,"data":{"k":"v"})"));
    CheckOk(made, "an object is created");
    Check(!client::UidOf(**made).empty(), "it has a uid");
    Check((*made)->kind() == "ConfigMap", "and a kind");
    Check(
        object::EncodeJson((*made)->root()).find("\"manager\":\"own-client\"") != std::string::npos,
        "its manager is known");
    CheckReason(Create(Maps(), Map("a")), StatusReason::kAlreadyExists, "it is not created twice");
    CheckReason(Get(Maps(), {"default", "none"}), StatusReason::kNotFound, "others are missing");
    auto copy = client::MutableCopy(**Get(Maps(), {"default", "a"}));
    copy->root().Set(copy->arena(), "immutable", object::Value::Bool(false));
    const auto update = [&](client::ObjectPtr object) {
      return Await<Result<client::ObjectPtr>>([&] { return client().Update(Maps(), object); });
    };
    CheckOk(Patch({"default", "a"}, client::PatchType::kMerge, R"({"data":{"k":"w"}})"),
            "a merge patch");
    CheckReason(update(copy), StatusReason::kConflict, "an update of an old state is a conflict");
    CheckOk(update(client::MutableCopy(**Get(Maps(), {"default", "a"}))),
            "one of the new state is not");
    CheckOk(Patch({"default", "a"}, client::PatchType::kStrategic, R"({"data":{"l":"m"}})"),
            "a strategic merge patch");
    CheckOk(
        Patch({"default", "a"}, client::PatchType::kJson, R"([{"op":"remove","path":"/data/l"}])"),
        "a JSON patch");
    CheckOk(Patch({"default", "b"}, client::PatchType::kApply,
                  R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}})"),
            "an apply");
    CheckReason(Delete(Maps(), {"default", "b"}, {.uid = "another"}), StatusReason::kConflict,
                "a deletion under a wrong condition");
    CheckOk(Delete(Maps(), {"default", "b"}, {.propagation = "Background"}), "a deletion");
    auto invalid =
        Create(client::BuiltIn("", "v1", "services"),
               *client::ParseObject(client::BuiltIn("", "v1", "services"),
                                    R"({"metadata":{"name":"s","namespace":"default"}})"));
    CheckReason(invalid, StatusReason::kInvalid, "what is wrong is refused");
    Check(!invalid.error().causes().empty(), "with causes");
  }

  void Lists() {
    CheckOk(Create(Maps(), Map("c")), "another object");
    client::ClientCall call;
    call.verb = client::ClientVerb::kList;
    call.resource = &Maps();
    call.target.name_space = "default";
    call.limit = 1;
    std::string names;
    do {
      const auto page = Send(call);
      CheckOk(page, "a page");
      for (const client::ObjectPtr& item : page->items) {
        Check(item->kind() == "ConfigMap" && item->type() == Maps().type, "of typed objects");
        names += client::NameOf(*item).name + " ";
      }
      call.continue_token = page->continue_token;
    } while (!call.continue_token.empty());
    Check(names.find("a ") != std::string::npos && names.find("c ") != std::string::npos,
          "pages have all: " + names);
    call.limit = 0;
    call.metadata_only = true;
    const auto metadata = Send(call);
    CheckOk(metadata, "a list of metadata");
    Check(metadata->items.at(0)->kind() == "PartialObjectMetadata", "has nothing else");
    Check(!metadata->resource_version.empty(), "and a resourceVersion");
  }

  void Watches() {
    Sink from_version, initial, metadata;
    std::vector<std::unique_ptr<client::ClientWatch>> watches;
    client::ClientCall list;
    list.verb = client::ClientVerb::kList;
    list.resource = &Maps();
    const std::string version = Send(list)->resource_version;
    OnLoop([&] {
      client::WatchCall call;
      call.resource = &Maps();
      call.name_space = "default";
      call.field_selector = "metadata.name!=kube-root-ca.crt";
      call.resource_version = version;
      watches.push_back(transport_->Watch(call, &from_version));
      call.metadata_only = true;
      watches.push_back(transport_->Watch(call, &metadata));
      call.metadata_only = false;
      call.resource_version.clear();
      call.send_initial_events = true;
      watches.push_back(transport_->Watch(call, &initial));
    });
    Check(initial.WaitFor("+a +c end "), "initial events come first: " + initial.text());
    CheckOk(Create(Maps(), Map("d")), "an object is created");
    CheckOk(Patch({"default", "d"}, client::PatchType::kMerge, R"({"data":{"k":"w"}})"), "changed");
    CheckOk(Delete(Maps(), {"default", "d"}), "and deleted");
    Check(from_version.WaitFor("+d ~d -d "), "the watch tells: " + from_version.text());
    Check(metadata.WaitFor("+d ~d -d "), "and so does that of metadata: " + metadata.text());
    Check(initial.WaitFor("+a +c end +d ~d -d "), "and the third: " + initial.text());
    Sink future;
    OnLoop([&] {
      watches.clear();
      client::WatchCall call;
      call.resource = &Maps();
      call.resource_version = "bad";
      watches.push_back(transport_->Watch(call, &future));
    });
    Check(future.WaitForEnd() && !future.why().empty(), "a bad watch ends: " + future.why());
    OnLoop([&] { watches.clear(); });
  }

  void CustomResources() {
    const client::ApiResource& definitions =
        client::BuiltIn("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    const auto definition =
        client::ParseObject(definitions, R"({"metadata":{"name":"widgets.example.com"},
      "spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets",
      "singular":"widget","kind":"Widget","listKind":"WidgetList"},"versions":[{"name":"v1",
      "served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
      "x-kubernetes-preserve-unknown-fields":true}}}]}})");
    CheckOk(definition, "a definition is read");
    CheckOk(Create(definitions, *definition), "and created");
    const client::ApiResource widgets{
        .group = "example.com", .version = "v1", .name = "widgets", .kind = "Widget"};
    const auto widget = client::ParseObject(
        widgets, R"({"metadata":{"name":"w","namespace":"default"},"spec":{"size":3}})");
    Result<client::ObjectPtr> made = Create(widgets, *widget);
    for (int i = 0; i < 200 && !made; ++i) made = Create(widgets, *widget);
    if (!made && made.error().reason() == StatusReason::kNotFound) {
      std::cout << "ok   this server serves no custom resources yet" << std::endl;
      return;
    }
    CheckOk(made, "a custom resource is created");
    Check((*made)->root().FindPath({"spec", "size"})->AsInt() == 3, "as it was given");
    client::ClientCall call;
    call.verb = client::ClientVerb::kList;
    call.resource = &widgets;
    call.metadata_only = true;
    const auto metadata = Send(call);
    CheckOk(metadata, "metadata of custom resources");
    Check(client::NameOf(*metadata->items.at(0)).name == "w", "is there");
  }

  void Subresources() {
    const client::ApiResource& deployments = client::BuiltIn("apps", "v1", "deployments");
    CheckOk(Create(deployments, *client::ParseObject(
                                    deployments, R"({"metadata":{"name":"d","namespace":"default"},
      "spec":{"replicas":2,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":
      {"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})")),
            "a deployment");
    client::ClientCall call;
    call.resource = &deployments;
    call.target = {"default", "d"};
    call.subresource = "scale";
    const auto scale = Send(call);
    CheckOk(scale, "its scale");
    Check(scale->object->kind() == "Scale", "is a Scale");
    Check(scale->object->root().FindPath({"spec", "replicas"})->AsInt() == 2, "of two");
  }

  void Discovery() {
    const auto served = Await<Result<client::ServedApi>>([&] { return client().Discover(); });
    CheckOk(served, "discovery");
    Check(served->unavailable.empty(), "is whole");
    size_t known = 0;
    for (const client::DiscoveredResource& one : served->resources) {
      if (one.resource == client::BuiltIn("apps", "v1", "deployments"))
        Check(one.Has("deletecollection") && one.resource.type != nullptr, "has deployments");
      known += one.resource.type != nullptr ? 1 : 0;
    }
    Check(known > 50, "and " + std::to_string(known) + " built-in resources");
  }

  void ServiceAccounts() {
    auto accounts = client::NamedTransports::OpenServiceAccounts({loop_, *executor_, random_},
                                                                 config_, *transport_);
    CheckOk(accounts, "transports of service accounts");
    const auto as = [&](const char* name) {
      return Await<Result<client::ObjectPtr>>([&] {
        return client::Client((*accounts)->Of(name), "as").Get(Maps(), {"default", "a"});
      });
    };
    const auto stranger = as("own-loop");
    CheckReason(stranger, StatusReason::kForbidden, "a new account may do nothing");
    Check(stranger.error().message().find("system:serviceaccount:kube-system:own-loop") !=
              std::string::npos,
          "but is known: " + stranger.error().message());
    CheckOk(as("namespace-controller"), "one of a control loop may read");
    OnLoop([&] {
      (*accounts)->Close();
      accounts->reset();
    });
  }

  void Restart() {
    Sink sink;
    std::unique_ptr<client::ClientWatch> watch;
    std::unique_ptr<client::InformerSet> informers;
    SeededRandom random(1);
    OnLoop([&] {
      client::WatchCall call;
      call.resource = &Maps();
      call.send_initial_events = true;
      watch = transport_->Watch(call, &sink);
      informers = client::MakeInformerSet(client(), random);
      informers->For(Maps());
      informers->Start();
    });
    const auto informed = [&](const std::string& name) {
      for (int i = 0; i < 2000; ++i) {
        bool found = false;
        OnLoop([&] {
          found = informers->For(Maps()).synced() &&
                  informers->For(Maps()).Find({"default", name}) != nullptr;
        });
        if (found) return true;
        Pause();
      }
      return false;
    };
    Check(informed("a"), "an informer knows the state");
    std::cout << "restart" << std::endl;
    std::string line;
    std::getline(std::cin, line);
    Check(sink.WaitForEnd() && !sink.why().empty(), "the watch broke: " + sink.why());
    CheckOk(Create(Maps(), Map("after")), "an object is created after the restart");
    Check(informed("after"), "the informer has found the server again");
    OnLoop([&] {
      informers.reset();
      watch.reset();
    });
  }

  void Pause() {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable().wait_for(lock, std::chrono::milliseconds(20));
  }

  SystemClock clock_;
  SystemRandom random_;
  std::shared_ptr<net::EventLoop> loop_;
  std::unique_ptr<net::LoopExecutor> executor_;
  client::RestConfig config_;
  std::unique_ptr<client::HttpsTransport> transport_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Checks checks(argv[1]);
  checks.RunAll();
  std::cout << "all is well" << std::endl;
  return 0;
}
