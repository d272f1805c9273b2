// Small requests must not make large work: every list and every map of every kind is sent with as
// many items as a request has room for, of the same, of others, and of bad ones, and neither the
// answer nor the work for it may grow beyond all measure.
//
// Work is the processor time of the process, which others on the machine do not add to. It is no
// measure by itself, so whatever takes long is done again with a quarter of the items: linear work
// then takes a quarter of the time, and quadratic work a sixteenth.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/many_items_testing.h"
#include "apiserver/server_testing.h"
#include "object/json/status.h"

namespace skiff::apiserver {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Where time tells nothing, it is about survival.
constexpr size_t kItems = 400;
#else
constexpr size_t kItems = 20'000;
#endif
constexpr size_t kFewerItems = kItems / 4;
// What 20,000 items may take without a question.
constexpr double kFreeSeconds = 0.1;
// Between linear (4) and quadratic (16), with room for noise.
constexpr double kMaxGrowth = 9;
constexpr size_t kMaxRefusalBytes = 1024 * 1024;
constexpr size_t kMaxAnswerBytes = 16 * 1024 * 1024;
// An object that is larger has many items.
constexpr size_t kSmallObjectBytes = 64 * 1024;
constexpr int kMaxAttempts = 100;
// Each version of a definition is a group-version with an APIService of its own: to publish 20,000
// of them takes longer than this test has.
constexpr std::string_view kManyVersions =
    "apiextensions.k8s.io/v1 customresourcedefinitions spec.versions[], ";

// An object that the server takes, without kind and apiVersion. The name is "base" if none is said.
struct Example {
  std::string_view resource;  // as "apps/deployments"; those of the core group as "/pods"
  std::string_view json;
};

#define SKIFF_POD_TEMPLATE \
  R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"a"}]}})"
#define SKIFF_WORKLOAD R"({"spec":{"selector":{"matchLabels":{"a":"b"}},)" SKIFF_POD_TEMPLATE "}}"

constexpr Example kExamples[] = {
    {"/configmaps", R"({"data":{"a":"b"}})"},
    {"/events", R"({"involvedObject":{"namespace":"default"}})"},
    {"/endpoints", R"({"subsets":[{"addresses":[{"ip":"10.1.2.3"}],"ports":[{"port":1}]}]})"},
    {"/limitranges", R"({"spec":{"limits":[{"type":"Container"}]}})"},
    {"/namespaces", "{}"},
    {"/nodes", "{}"},
    {"/persistentvolumeclaims", R"({"spec":{"accessModes":["ReadWriteOnce"],
        "resources":{"requests":{"storage":"1Gi"}}}})"},
    {"/persistentvolumes", R"({"spec":{"capacity":{"storage":"1Gi"},
        "accessModes":["ReadWriteOnce"],"hostPath":{"path":"/a"}}})"},
    {"/pods", R"({"spec":{"containers":[{"name":"a","image":"a"}]}})"},
    {"/podtemplates", "{" SKIFF_POD_TEMPLATE "}"},
    {"/replicationcontrollers", R"({"spec":{"selector":{"a":"b"},)" SKIFF_POD_TEMPLATE "}}"},
    {"/resourcequotas", R"({"spec":{"hard":{"pods":"1000"}}})"},
    {"/secrets", R"({"data":{"a":"YQ=="}})"},
    {"/serviceaccounts", "{}"},
    {"/services", R"({"spec":{"type":"LoadBalancer","selector":{"a":"b"},"ports":[{"port":80}]}})"},
    {"apps/controllerrevisions", R"({"revision":1,"data":{}})"},
    {"apps/daemonsets", SKIFF_WORKLOAD},
    {"apps/deployments", SKIFF_WORKLOAD},
    {"apps/replicasets", SKIFF_WORKLOAD},
    {"apps/statefulsets", SKIFF_WORKLOAD},
    {"batch/jobs", R"({"spec":{"template":{"spec":{"restartPolicy":"Never",
        "containers":[{"name":"a","image":"a"}]}}}})"},
    {"batch/cronjobs", R"({"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":{
        "spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"a"}]}}}}}})"},
    {"autoscaling/horizontalpodautoscalers", R"({"spec":{"maxReplicas":2,
        "scaleTargetRef":{"kind":"Deployment","name":"a","apiVersion":"apps/v1"}}})"},
    {"policy/poddisruptionbudgets", R"({"spec":{"selector":{"matchLabels":{"a":"b"}}}})"},
    {"networking.k8s.io/ingresses", R"({"spec":{"defaultBackend":{"service":{"name":"a",
        "port":{"number":1}}}}})"},
    {"networking.k8s.io/ingressclasses", R"({"spec":{"controller":"example.com/a"}})"},
    {"networking.k8s.io/networkpolicies", R"({"spec":{"podSelector":{},"ingress":[{"from":[
        {"ipBlock":{"cidr":"10.0.0.0/8"}}]}]}})"},
    {"networking.k8s.io/ipaddresses", R"({"metadata":{"name":"10.0.0.200"},
        "spec":{"parentRef":{"resource":"services","name":"a"}}})"},
    {"networking.k8s.io/servicecidrs", R"({"spec":{"cidrs":["10.9.0.0/24"]}})"},
    {"rbac.authorization.k8s.io/roles", R"({"rules":[{"apiGroups":[""],"resources":["pods"],
        "verbs":["get"]}]})"},
    {"rbac.authorization.k8s.io/clusterroles", R"({"rules":[{"apiGroups":[""],
        "resources":["pods"],"verbs":["get"]}]})"},
    {"rbac.authorization.k8s.io/rolebindings", R"({"roleRef":{"kind":"ClusterRole","name":"view",
        "apiGroup":"rbac.authorization.k8s.io"}})"},
    {"rbac.authorization.k8s.io/clusterrolebindings", R"({"roleRef":{"kind":"ClusterRole",
        "name":"view","apiGroup":"rbac.authorization.k8s.io"}})"},
    {"storage.k8s.io/csidrivers", R"({"spec":{}})"},
    {"storage.k8s.io/csinodes", R"({"spec":{"drivers":[{"name":"a.b","nodeID":"a"}]}})"},
    {"storage.k8s.io/csistoragecapacities", R"({"storageClassName":"a"})"},
    {"storage.k8s.io/storageclasses", R"({"provisioner":"example.com/a"})"},
    {"storage.k8s.io/volumeattachments", R"({"spec":{"attacher":"a.b","nodeName":"a",
        "source":{"persistentVolumeName":"a"}}})"},
    {"storage.k8s.io/volumeattributesclasses", R"({"driverName":"a.b","parameters":{"a":"b"}})"},
    {"scheduling.k8s.io/priorityclasses", R"({"value":1})"},
    {"scheduling.k8s.io/podgroups", R"({"spec":{"schedulingPolicy":{"basic":{}}}})"},
    {"scheduling.k8s.io/workloads", R"({"spec":{"podGroupTemplates":[{"name":"a",
        "schedulingPolicy":{"basic":{}}}]}})"},
    {"node.k8s.io/runtimeclasses", R"({"handler":"a"})"},
    {"discovery.k8s.io/endpointslices", R"({"addressType":"IPv4",
        "endpoints":[{"addresses":["10.1.2.3"]}]})"},
    {"coordination.k8s.io/leases", R"({"spec":{"holderIdentity":"a"}})"},
    {"coordination.k8s.io/leasecandidates", R"({"spec":{"leaseName":"a","strategy":
        "OldestEmulationVersion","binaryVersion":"1.36.0","emulationVersion":"1.36.0"}})"},
    {"flowcontrol.apiserver.k8s.io/flowschemas", R"({"spec":{"matchingPrecedence":1000,
        "priorityLevelConfiguration":{"name":"a"}}})"},
    {"flowcontrol.apiserver.k8s.io/prioritylevelconfigurations", R"({"spec":{"type":"Limited",
        "limited":{"limitResponse":{"type":"Reject"}}}})"},
    {"admissionregistration.k8s.io/validatingwebhookconfigurations", "{}"},
    {"admissionregistration.k8s.io/mutatingwebhookconfigurations", "{}"},
    {"admissionregistration.k8s.io/validatingadmissionpolicies", R"({"spec":{
        "matchConstraints":{"resourceRules":[{"apiGroups":["a"],"apiVersions":["v1"],
        "resources":["as"],"operations":["CREATE"]}]},"validations":[{"expression":"true"}]}})"},
    {"admissionregistration.k8s.io/validatingadmissionpolicybindings", R"({"spec":{
        "policyName":"a","validationActions":["Deny"]}})"},
    {"admissionregistration.k8s.io/mutatingadmissionpolicies", R"({"spec":{
        "reinvocationPolicy":"Never","matchConstraints":{"resourceRules":[{"apiGroups":["a"],
        "apiVersions":["v1"],"resources":["as"],"operations":["CREATE"]}]},"mutations":[{
        "patchType":"JSONPatch","jsonPatch":{"expression":
        "[JSONPatch{op: 'add', path: '/a', value: 1}]"}}]}})"},
    {"admissionregistration.k8s.io/mutatingadmissionpolicybindings", R"({"spec":{
        "policyName":"a"}})"},
    {"apiregistration.k8s.io/apiservices", R"({"metadata":{"name":"v1.a.example.com"},"spec":{
        "group":"a.example.com","version":"v1","groupPriorityMinimum":1,"versionPriority":1,
        "insecureSkipTLSVerify":true,"service":{"namespace":"default","name":"a"}}})"},
    {"apiextensions.k8s.io/customresourcedefinitions", R"({"metadata":{"name":"as.a.example.com"},
        "spec":{"group":"a.example.com","scope":"Namespaced","names":{"plural":"as","kind":"A",
        "singular":"a","listKind":"AList"},"versions":[{"name":"v1","served":true,"storage":true,
        "schema":{"openAPIV3Schema":{"type":"object"}}}]}})"},
    {"resource.k8s.io/deviceclasses", R"({"spec":{}})"},
    {"resource.k8s.io/resourceclaims", R"({"spec":{"devices":{}}})"},
    {"resource.k8s.io/resourceclaimtemplates", R"({"spec":{"spec":{"devices":{}}}})"},
    {"resource.k8s.io/resourceslices", R"({"spec":{"driver":"a.b","nodeName":"a",
        "pool":{"name":"a","resourceSliceCount":1}}})"},
    {"resource.k8s.io/devicetaintrules", R"({"spec":{"taint":{"key":"a","effect":"NoSchedule"}}})"},
    {"resource.k8s.io/resourcepoolstatusrequests", R"({"spec":{"driver":"a.b"}})"},
    {"storagemigration.k8s.io/storageversionmigrations", R"({"spec":{"resource":{
        "resource":"configmaps"}}})"},
    {"events.k8s.io/events",
     R"({"metadata":{"name":"of-events"},"eventTime":"2026-01-02T03:04:05.000000Z","type":"Normal",
        "reason":"a","action":"a","reportingController":"a.b/c","reportingInstance":"a",
        "regarding":{"namespace":"default"}})"},
    {"internal.apiserver.k8s.io/storageversions", R"({"metadata":{"name":"a.b"},"spec":{}})"},
};

// What would need a certificate: these are created, and refused, only.
constexpr std::string_view kWithoutExample[] = {"certificatesigningrequests", "clustertrustbundles",
                                                "podcertificaterequests"};

// What one request was and took.
struct Taken {
  std::string request;
  double seconds = 0;
};

// A resource, and an object of it that the server takes and, if it is stored, has.
struct Subject {
  const object::ResourceDesc* desc;
  const client::ApiResource* resource;
  std::shared_ptr<object::Document> example;
  bool is_there = false;
};

// Puts so many items into an object.
using Fill = std::function<void(object::Document& object, size_t count)>;

class ManyItemsTest : public ServerWithinTest {
 protected:
  void Change(ApiServerOptions& options) override {
    options.runtime_config["api/all"] = true;
    options.feature_gates["AllAlpha"] = true;
    options.feature_gates["AllBeta"] = true;
  }

  void TearDown() override {
    std::ranges::sort(taken_, std::ranges::greater(), &Taken::seconds);
    std::printf("%zu requests; the slowest, in seconds of processor time:\n", taken_.size());
    for (size_t i = 0; i < std::min<size_t>(10, taken_.size()); ++i) {
      std::printf("  %6.3f  %s\n", taken_[i].seconds, taken_[i].request.c_str());
    }
  }

  // The example in one of the versions of its resource, or an object of nothing but a name.
  static std::shared_ptr<object::Document> ExampleOf(const object::ResourceDesc& resource,
                                                     const client::ApiResource& api) {
    const std::string name = api.group + "/" + api.name;
    const auto found = std::ranges::find(kExamples, name, &Example::resource);
    Result<client::ObjectPtr> parsed =
        client::ParseObject(api, found != std::end(kExamples) ? found->json : "{}");
    if (!parsed) parsed = client::ParseObject(api, "{}");  // a field that only other versions have
    auto object = client::MutableCopy(**parsed);
    Arena& arena = object->arena();
    const uint16_t field = resource.kind->FindField("metadata");
    object::Value* meta = object->root().Member(field);
    if (meta == nullptr) {
      meta = &object->root().SetMember(
          arena, field, object::Value::EmptyObject(arena, resource.kind->fields[field].message));
    }
    if (meta->Find("name") == nullptr) meta->Set(arena, "name", object::Value::String("base"));
    if (resource.namespaced) meta->Set(arena, "namespace", object::Value::String("default"));
    return object;
  }

  // All that can be created, what is stored first, and of that the preferred versions.
  std::vector<Subject> Subjects() {
    std::vector<Subject> out;
    std::set<const object::ResourceHub*> made;
    for (const bool is_stored : {true, false}) {
      for (const object::GroupVersionInfo& version : object::ServedGroupVersions()) {
        for (const object::ResourceDesc& desc : version.resources) {
          const bool matches = (desc.hub->storage != nullptr) == is_stored;
          if (!desc.verbs.Has(object::Verb::kCreate) || !matches) continue;
          const client::ApiResource& api =
              client::BuiltIn(version.desc->group, version.desc->version, desc.name);
          out.push_back({&desc, &api, ExampleOf(desc, api)});
          const bool has_example =
              std::ranges::find(kWithoutExample, desc.name) == std::end(kWithoutExample);
          if (is_stored && has_example && made.insert(desc.hub).second) Make(out.back());
        }
      }
    }
    return out;
  }
  void Make(Subject& subject) {
    const Result<client::ClientReply> made = Await(
        client().Send(CallOf(client::ClientVerb::kCreate, *subject.resource, subject.example)));
    EXPECT_TRUE(made) << NameOf(subject) << ": " << (made ? "" : made.error().message());
    subject.is_there = made.has_value();
  }
  static std::string NameOf(const Subject& subject) {
    return subject.resource->api_version() + " " + subject.resource->name;
  }

  static client::ClientCall CallOf(client::ClientVerb verb, const client::ApiResource& resource,
                                   client::ObjectPtr object, std::string subresource = {}) {
    client::ClientCall call;
    call.verb = verb;
    call.resource = &resource;
    call.target = client::NameOf(*object);
    if (verb == client::ClientVerb::kCreate) call.target.name.clear();
    call.subresource = std::move(subresource);
    call.field_manager = "test";
    call.body = std::move(object);
    return call;
  }

  // Sends it and returns the processor time that it took.
  double Measure(client::ClientCall call, const std::string& request) {
    const std::clock_t began = std::clock();
    const Result<client::ClientReply> reply = Await(client().Send(std::move(call)));
    const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    accepted_ = reply ? reply->object : nullptr;
    if (!reply) {
      EXPECT_LE(object::StatusToJson(reply.error()).size(), kMaxRefusalBytes) << request;
    } else if (accepted_ != nullptr) {
      EXPECT_LE(object::EncodeJson(accepted_->root()).size(), kMaxAnswerBytes) << request;
    }
    return seconds;
  }

  // Measures what `send` sends of so many items, and judges it.
  void CheckGrowth(const std::string& request, const std::function<double(size_t)>& send) {
    taken_.push_back({request, send(kItems)});
    if (taken_.back().seconds < kFreeSeconds) return;
    const double many = std::min(taken_.back().seconds, send(kItems));
    const double few = std::min(send(kFewerItems), send(kFewerItems));
    EXPECT_LT(many, kMaxGrowth * std::max(few, kFreeSeconds / 10)) << request << ": from " << few;
  }

  // An object beside the example, unless its name must be what it is.
  static std::shared_ptr<object::Document> Another(const object::Document& example) {
    auto out = client::MutableCopy(example);
    if (client::NameOf(example).name == "base") {
      out->root().Find("metadata")->Set(out->arena(), "name", object::Value::String("another"));
    }
    return out;
  }

  void Create(const Subject& subject, const std::string& what, const Fill& fill) {
    bool is_taken = false;
    CheckGrowth("create " + what, [&](size_t count) {
      const std::shared_ptr<object::Document> object = Another(*subject.example);
      fill(*object, count);
      const double seconds =
          Measure(CallOf(client::ClientVerb::kCreate, *subject.resource, object), "create " + what);
      is_taken = accepted_ != nullptr;
      if (is_taken) Remove(subject, *accepted_);
      return seconds;
    });
    if (is_taken && subject.is_there) Apply(subject, what, fill);
  }

  void Apply(const Subject& subject, const std::string& what, const Fill& fill) {
    CheckGrowth("apply " + what, [&](size_t count) {
      const std::shared_ptr<object::Document> object = client::MutableCopy(*subject.example);
      fill(*object, count);
      client::ClientCall call = CallOf(client::ClientVerb::kPatch, *subject.resource, object);
      call.patch_type = client::PatchType::kApply;
      call.patch = object::EncodeJson(object->root());
      call.force = true;
      call.field_manager = "other";
      return Measure(std::move(call), "apply " + what);
    });
    Restore(subject);
  }

  void Update(const Subject& subject, const std::string& what, const Fill& fill,
              const std::string& subresource) {
    CheckGrowth("update " + what, [&](size_t count) {
      const auto stored = Await(client().Get(*subject.resource, client::NameOf(*subject.example)));
      EXPECT_TRUE(stored) << what << ": " << (stored ? "" : stored.error().ToString());
      if (!stored) return 0.0;
      const std::shared_ptr<object::Document> object = client::MutableCopy(**stored);
      fill(*object, count);
      return Measure(CallOf(client::ClientVerb::kUpdate, *subject.resource, object, subresource),
                     "update " + what);
    });
    Restore(subject);
  }

  void Remove(const Subject& subject, const object::Document& object) {
    static_cast<void>(Await(client().Delete(*subject.resource, client::NameOf(object))));
  }
  // An example that was given many items is made anew.
  void Restore(const Subject& subject) {
    if (accepted_ == nullptr || object::EncodeJson(accepted_->root()).size() < kSmallObjectBytes)
      return;
    // A definition has a finalizer, and would take its time to go.
    if (subject.resource->name == "customresourcedefinitions") return PutBack(subject);
    Remove(subject, *subject.example);
    static_cast<void>(Await(
        client().Send(CallOf(client::ClientVerb::kCreate, *subject.resource, subject.example))));
  }
  // A definition whose status names versions that the example has not stays as it is.
  void PutBack(const Subject& subject) {
    for (int attempts = 0; attempts < kMaxAttempts; ++attempts) {
      const auto stored = Await(client().Get(*subject.resource, client::NameOf(*subject.example)));
      if (!stored) break;
      const std::shared_ptr<object::Document> object = client::MutableCopy(*subject.example);
      object->root().Find("metadata")->Set(
          object->arena(), "resourceVersion",
          object::Value::String(object->arena().Copy(
              (*stored)->root().Find("metadata")->Find("resourceVersion")->AsText())));
      // Its status may have been written meanwhile.
      if (Await(client().Send(CallOf(client::ClientVerb::kUpdate, *subject.resource, object)))) {
        return;
      }
    }
  }

  void Try(const Subject& subject, const std::vector<RepeatedField>& fields, ItemsAre items) {
    const FieldSteps& first = fields.front().steps;
    std::string what = NameOf(subject) + " " + PathOf(first) + ", " + std::string(TextOf(items));
    if (what.starts_with(kManyVersions)) return;
    if (fields.size() > 1) what += ", and its neighbours";
    const Fill fill = [&](object::Document& object, size_t count) {
      for (const RepeatedField& field : fields) {
        PutItems(object, field.steps, items, std::max<size_t>(1, count / fields.size()));
      }
    };
    Create(subject, what, fill);
    const std::string_view top = first.front().field().name();
    if (!subject.is_there || items != ItemsAre::kDistinct) return;
    const bool has_status = subject.desc->FindSubresource("status") != nullptr;
    if (top == "status" && !has_status) return;
    if (fields.front().is_new) Update(subject, what, fill, top == "status" ? "status" : "");
  }

  std::vector<Taken> taken_;
  client::ObjectPtr accepted_;  // by the last request
};

// Lists and maps of the same message.
std::vector<std::vector<RepeatedField>> Neighbours(const std::vector<RepeatedField>& fields) {
  std::map<std::string, std::vector<RepeatedField>> by_place;
  for (const RepeatedField& field : fields) {
    by_place[PathOf({field.steps.begin(), field.steps.end() - 1})].push_back(field);
  }
  std::vector<std::vector<RepeatedField>> out;
  for (auto& [place, group] : by_place) {
    if (group.size() > 1 && group.front().is_new) out.push_back(std::move(group));
  }
  return out;
}

TEST_F(ManyItemsTest, NoListOfAnyKindTakesMoreThanItsShare) {
  RepeatedFields all;
  for (const Subject& subject : Subjects()) {
    const std::vector<RepeatedField> fields = all.In(subject.desc->kind);
    for (const RepeatedField& field : fields) {
      Try(subject, {field}, ItemsAre::kDistinct);
      if (!field.is_new) continue;
      Try(subject, {field}, ItemsAre::kSame);
      Try(subject, {field}, ItemsAre::kInvalid);
    }
    for (const auto& group : Neighbours(fields)) Try(subject, group, ItemsAre::kDistinct);
  }
}

// Entries of managedFields that only differ in who has them, and what they own.
TEST_F(ManyItemsTest, ManyManagersTakeNoMoreThanTheirShare) {
  const client::ApiResource& maps = client::BuiltIn("", "v1", "configmaps");
  Subject subject{object::FindResource("", "v1", "configmaps"), &maps,
                  ExampleOf(*object::FindResource("", "v1", "configmaps"), maps)};
  Make(subject);
  for (const std::string_view operation : {"Apply", "Update"}) {
    const Fill fill = [&](object::Document& object, size_t count) {
      std::string list;
      for (size_t i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        list += (list.empty() ? "" : ",") + (R"({"manager":"m)" + number + R"(","operation":")") +
                std::string(operation) + R"(","apiVersion":"v1","fieldsType":"FieldsV1",)" +
                R"("fieldsV1":{"f:data":{"f:k)" + number + R"(":{}}}})";
      }
      const Result<client::ObjectPtr> filled = client::ParseObject(
          maps, R"({"metadata":{"name":"x","managedFields":[)" + list + R"(]},"data":{"k":"v"}})");
      ASSERT_TRUE(filled) << filled.error().ToString();
      const object::Value managed = *(*filled)->root().FindPath({"metadata", "managedFields"});
      object.root()
          .Find("metadata")
          ->Set(object.arena(), "managedFields", managed.CopyInto(object.arena()));
    };
    const std::string what =
        "v1 configmaps metadata.managedFields[], of managers that " + std::string(operation);
    Update(subject, what, fill, "");
    Create(subject, what, fill);
  }
}

}  // namespace
}  // namespace skiff::apiserver
