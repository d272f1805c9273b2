#include "client/https/discoverer.h"

#include <algorithm>
#include <atomic>

#include "client/https/testing.h"

namespace skiff::client {
namespace {

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
constexpr std::string_view kCore =
    R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},)"
    R"("items":[{"metadata":{"name":""},"versions":[{"version":"v1","freshness":"Current",)"
    R"("resources":[{"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},)"
    R"("scope":"Namespaced","singularResource":"pod","verbs":["watch","list","get"],)"
    R"("subresources":[{"subresource":"log","verbs":["get"]}]},)"
    R"({"resource":"nodes","responseKind":{"group":"","version":"v1","kind":"Node"},)"
    R"("scope":"Cluster","singularResource":"node","verbs":["list"]}]}]}]})";
constexpr std::string_view kGroups =
    R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},)"
    R"("items":[{"metadata":{"name":"example.com"},"versions":[)"
    R"({"version":"v2","freshness":"Current","resources":[{"resource":"widgets",)"
    R"("responseKind":{"group":"example.com","version":"v2","kind":"Widget"},)"
    R"("scope":"Namespaced","singularResource":"widget","verbs":["list"]}]},)"
    R"({"version":"v1","freshness":"Current","resources":[{"resource":"widgets",)"
    R"("responseKind":{"group":"example.com","version":"v1","kind":"Widget"},)"
    R"("scope":"Namespaced","singularResource":"widget","verbs":["list"]},{"resource":"gadgets",)"
    R"("responseKind":{"group":"example.com","version":"v1","kind":"Gadget"},)"
    R"("scope":"Cluster","singularResource":"gadget","verbs":["list"]}]}]},)"
    R"({"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1",)"
    R"("freshness":"Stale","resources":[]}]}]})";

class DiscovererTest : public HttpsTest {
 protected:
  Result<ServedApi> Discover() {
    net::Latch done;
    Result<ServedApi> out = ServedApi();
    OnLoop([&] {
      transport_->Discover([&](Result<ServedApi> served) {
        out = std::move(served);
        done.Open();
      });
    });
    EXPECT_TRUE(done.Wait());
    return out;
  }
  // "v1/pods example.com/v2/widgets", in alphabetical order.
  static std::string Names(const ServedApi& served) {
    std::vector<std::string> names;
    for (const DiscoveredResource& one : served.resources)
      names.push_back(one.resource.api_version() + "/" + one.resource.name);
    std::ranges::sort(names);
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : " ") + name;
    return out;
  }

  std::atomic<int> asked_ = 0;
};

TEST_F(DiscovererTest, OneDocumentTellsOfAllGroups) {
  Serve([&](net::HttpRequest request, net::Responder responder) {
    ++asked_;
    EXPECT_TRUE(request.headers.Get("accept").starts_with(kAggregated));
    if (request.headers.Get("if-none-match") == "\"7\"")
      return std::move(responder).Respond(TypedResponse(kAggregated, "", 304));
    net::HttpResponse response =
        TypedResponse(kAggregated, request.path == "/api" ? kCore : kGroups);
    response.headers.Add("etag", "\"7\"");
    std::move(responder).Respond(std::move(response));
  });
  Connect();
  const auto served = Discover();
  ASSERT_TRUE(served) << served.error().message();
  const std::string names = "example.com/v1/gadgets example.com/v2/widgets v1/nodes v1/pods";
  EXPECT_EQ(Names(*served), names);
  EXPECT_EQ(served->unavailable, (std::vector<std::string>{"metrics.k8s.io/v1beta1"}));
  const auto pods = std::ranges::find_if(
      served->resources, [](const auto& one) { return one.resource.name == "pods"; });
  EXPECT_EQ(pods->resource, BuiltIn("", "v1", "pods"));
  EXPECT_EQ(pods->resource.type, BuiltIn("", "v1", "pods").type);
  EXPECT_TRUE(pods->resource.namespaced);
  EXPECT_EQ(pods->verbs, (std::vector<std::string>{"get", "list", "watch"}));
  // Who asks soon again is told what is known; later the server says that it still holds.
  EXPECT_EQ(Names(*Discover()), names);
  EXPECT_EQ(asked_, 2);
  Advance(std::chrono::seconds(11));
  EXPECT_EQ(Names(*Discover()), names);
  EXPECT_EQ(asked_, 4);
}

TEST_F(DiscovererTest, OldServersAreAskedGroupByGroup) {
  Serve([&](net::HttpRequest request, net::Responder responder) {
    const std::map<std::string, std::string> documents = {
        {"/api", R"({"kind":"APIVersions","versions":["v1"]})"},
        {"/api/v1",
         R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[)"
         R"({"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":["list"]},)"
         R"({"name":"pods/log","singularName":"","namespaced":true,"kind":"Pod",)"
         R"("verbs":["get"]}]})"},
        {"/apis",
         R"({"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"example.com","versions":[)"
         R"({"groupVersion":"example.com/v1","version":"v1"},)"
         R"({"groupVersion":"example.com/v2","version":"v2"}],)"
         R"("preferredVersion":{"groupVersion":"example.com/v2","version":"v2"}},)"
         R"({"name":"broken.io","versions":[{"groupVersion":"broken.io/v1","version":"v1"}],)"
         R"("preferredVersion":{"groupVersion":"broken.io/v1","version":"v1"}}]})"},
        {"/apis/example.com/v1",
         R"({"kind":"APIResourceList","groupVersion":"example.com/v1","resources":[)"
         R"({"name":"widgets","namespaced":true,"kind":"Widget","verbs":["list"]},)"
         R"({"name":"gadgets","namespaced":false,"kind":"Gadget","verbs":["list"]}]})"},
        {"/apis/example.com/v2",
         R"({"kind":"APIResourceList","groupVersion":"example.com/v2","resources":[)"
         R"({"name":"widgets","namespaced":true,"kind":"Widget","verbs":["list"]}]})"}};
    const auto found = documents.find(request.path);
    std::move(responder).Respond(found == documents.end() ? net::TextResponse("no", 503)
                                                          : JsonResponse(found->second));
  });
  Connect();
  const auto served = Discover();
  ASSERT_TRUE(served) << served.error().message();
  EXPECT_EQ(Names(*served), "example.com/v1/gadgets example.com/v2/widgets v1/pods");
  EXPECT_EQ(served->unavailable, (std::vector<std::string>{"broken.io/v1"}));
}

TEST_F(DiscovererTest, WhoAsksAtTheSameTimeGetsTheSameAnswer) {
  Serve([&](net::HttpRequest request, net::Responder responder) {
    ++asked_;
    std::move(responder).Respond(
        TypedResponse(kAggregated, request.path == "/api" ? kCore : kGroups));
  });
  Connect();
  std::atomic<int> answered = 0;
  net::Latch all;
  OnLoop([&] {
    for (int i = 0; i < 3; ++i)
      transport_->Discover([&](Result<ServedApi> served) {
        EXPECT_TRUE(served);
        if (++answered == 3) all.Open();
      });
  });
  ASSERT_TRUE(all.Wait());
  EXPECT_EQ(asked_, 2);
}

TEST_F(DiscovererTest, AFailureIsNotKept) {
  std::atomic<bool> broken = true;
  Serve([&](net::HttpRequest request, net::Responder responder) {
    if (broken && request.path == "/apis")
      return std::move(responder).Respond(JsonResponse("{}", 500));
    std::move(responder).Respond(
        TypedResponse(kAggregated, request.path == "/api" ? kCore : kGroups));
  });
  Connect();
  EXPECT_FALSE(Discover());
  broken = false;
  EXPECT_TRUE(Discover());
}

}  // namespace
}  // namespace skiff::client
