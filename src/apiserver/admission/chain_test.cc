#include "apiserver/admission/chain.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "apiserver/admission/config_file.h"
#include "apiserver/admission/request.h"
#include "apiserver/admission/testing.h"

namespace skiff::apiserver {
namespace {

using testing::Asked;
using Names = std::vector<std::string_view>;

// Writes down when it is asked.
class Witness final : public AdmissionPlugin {
 public:
  Witness(std::string name, std::vector<std::string>& log, bool refuses = false)
      : name_(std::move(name)), log_(log), refuses_(refuses) {}
  Result<void> Mutate(AdmissionRequest& request) override {
    log_.push_back("mutate " + name_ + (request.is_reinvocation ? " again" : ""));
    if (reinvokes_) request.reinvoke = true;
    if (refuses_) return Deny(request, name_);
    return {};
  }
  Result<void> Validate(AdmissionRequest&) override {
    log_.push_back("validate " + name_);
    return {};
  }
  bool reinvokes_ = false;

 private:
  std::string name_;
  std::vector<std::string>& log_;
  bool refuses_;
};

// Answers when it is told to.
class Waiter final : public WaitingAdmissionPlugin {
 public:
  explicit Waiter(std::vector<std::string>& log) : log_(log) {}
  MaybeTask<Result<void>> MutateOrWait(AdmissionRequest& request) override {
    log_.push_back(std::string("wait") + (request.is_reinvocation ? " again" : ""));
    request.reinvoke = true;
    return Wait();
  }
  Task<Result<void>> Wait() {
    co_return co_await FromCallback<Result<void>>(
        [this](std::move_only_function<void(Result<void>)> done) { go_on_ = std::move(done); });
  }
  void GoOn(Result<void> answer) { std::exchange(go_on_, nullptr)(std::move(answer)); }

 private:
  std::vector<std::string>& log_;
  std::move_only_function<void(Result<void>)> go_on_;
};

class AdmissionChainTest : public testing::PluginTest {
 protected:
  std::string MakeChain(AdmissionSettings settings) {
    auto made = AdmissionChain::Make(Context(), settings);
    if (!made) return made.error().ToString();
    chain_ = std::move(*made);
    return {};
  }
  bool Runs(std::string_view name) const {
    const Names names = chain_->names();
    return std::ranges::find(names, name) != names.end();
  }
  std::string WriteFile(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  void TearDown() override {
    chain_.reset();
    std::filesystem::remove_all(folder_);
    PluginTest::TearDown();
  }

  std::unique_ptr<AdmissionChain> chain_;
  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) /
                                  ("admission_chain_" + std::to_string(SystemRandom().Next()));
};

TEST_F(AdmissionChainTest, AllMutateBeforeAnyValidates) {
  std::vector<std::string> log;
  std::vector<AdmissionChain::Member> members;
  members.push_back({"a", std::make_unique<Witness>("a", log)});
  members.push_back({"b", std::make_unique<Witness>("b", log)});
  AdmissionChain chain(std::move(members), clock_);
  EXPECT_EQ(Ask({.object = Pod("{}")}, chain), "");
  EXPECT_EQ(log, (std::vector<std::string>{"mutate a", "mutate b", "validate a", "validate b"}));
}

TEST_F(AdmissionChainTest, TheFirstRefusalEndsIt) {
  std::vector<std::string> log;
  std::vector<AdmissionChain::Member> members;
  members.push_back({"a", std::make_unique<Witness>("a", log, /*refuses=*/true)});
  members.push_back({"b", std::make_unique<Witness>("b", log)});
  AdmissionChain chain(std::move(members), clock_);
  EXPECT_EQ(Ask({.object = Pod("{}")}, chain), "pods \"x\" is forbidden: a");
  EXPECT_EQ(log, std::vector<std::string>{"mutate a"});
}

TEST_F(AdmissionChainTest, ChangesByOthersLetEveryPluginChangeTheObjectOnceMore) {
  std::vector<std::string> log;
  std::vector<AdmissionChain::Member> members;
  members.push_back({"a", std::make_unique<Witness>("a", log)});
  auto webhook = std::make_unique<Witness>("webhook", log);
  webhook->reinvokes_ = true;
  members.push_back({"webhook", std::move(webhook)});
  AdmissionChain chain(std::move(members), clock_);
  EXPECT_EQ(Ask({.object = Pod("{}")}, chain), "");
  EXPECT_EQ(log,
            (std::vector<std::string>{"mutate a", "mutate webhook", "mutate a again",
                                      "mutate webhook again", "validate a", "validate webhook"}));
}

TEST_F(AdmissionChainTest, OnePluginThatWaitsHoldsUpTheOthersAndNoThread) {
  std::vector<std::string> log;
  std::vector<AdmissionChain::Member> members;
  members.push_back({"a", std::make_unique<Witness>("a", log)});
  auto made = std::make_unique<Waiter>(log);
  Waiter& waiter = *made;
  members.push_back({"waiter", std::move(made)});
  members.push_back({"b", std::make_unique<Witness>("b", log)});
  AdmissionChain chain(std::move(members), clock_);
  const object::ResourceDesc& pods = *object::FindResource("", "v1", "pods");
  const serving::UserInfo user;
  store::Transaction transaction;
  std::vector<std::string> warnings;
  AdmissionRequest request{.operation = AdmissionOperation::kCreate,
                           .resource = pods,
                           .subresource = {},
                           .name_space = "ns",
                           .name = "x",
                           .user = user,
                           .now = {},
                           .random = random_,
                           .transaction = transaction,
                           .warnings = warnings};
  std::optional<Result<void>> answer;
  MaybeTask<Result<void>> asked = chain.Mutate(request);
  ASSERT_FALSE(asked.ready());
  Detach<Result<void>>(std::move(asked).TakeTask(),
                       [&](Result<void> result) { answer = std::move(result); });
  EXPECT_EQ(log, (std::vector<std::string>{"mutate a", "wait"}));
  log.clear();
  waiter.GoOn({});
  EXPECT_EQ(log, (std::vector<std::string>{"mutate b", "mutate a again", "wait again"}));
  EXPECT_FALSE(answer);
  log.clear();
  waiter.GoOn(Fail(StatusReason::kForbidden, "no"));
  EXPECT_EQ(log, std::vector<std::string>{});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->error().message(), "no");
}

TEST_F(AdmissionChainTest, AnObserverIsToldOfBothPhases) {
  struct Observer final : AdmissionObserver {
    void OnStep(AdmissionPhase phase, AdmissionOperation, bool rejected, Duration) override {
      seen.emplace_back(phase, rejected);
    }
    std::vector<std::pair<AdmissionPhase, bool>> seen;
  } observer;
  std::vector<std::string> log;
  std::vector<AdmissionChain::Member> members;
  members.push_back({"a", std::make_unique<Witness>("a", log)});
  AdmissionChain chain(std::move(members), clock_);
  chain.SetObserver(&observer);
  Ask({.object = Pod("{}")}, chain);
  EXPECT_EQ(observer.seen,
            (std::vector<std::pair<AdmissionPhase, bool>>{{AdmissionPhase::kMutate, false},
                                                          {AdmissionPhase::kValidate, false}}));
}

TEST_F(AdmissionChainTest, KnowsThePluginsOfKubernetesInItsOrder) {
  const auto all = AllAdmissionPlugins();
  EXPECT_EQ(all.size(), 41U);
  EXPECT_EQ(all.front().name, "AlwaysAdmit");
  EXPECT_EQ(all.back().name, "AlwaysDeny");
  EXPECT_EQ(std::ranges::count_if(all, &PluginDesc::on_by_default), 27);
  const auto at = [&](std::string_view name) {
    return std::ranges::find(all, name, &PluginDesc::name) - all.begin();
  };
  EXPECT_LT(at("NamespaceLifecycle"), at("LimitRanger"));
  EXPECT_LT(at("LimitRanger"), at("ServiceAccount"));
  EXPECT_LT(at("ServiceAccount"), at("PodSecurity"));
  EXPECT_LT(at("MutatingAdmissionWebhook"), at("ValidatingAdmissionPolicy"));
  EXPECT_LT(at("ValidatingAdmissionWebhook"), at("ResourceQuota"));
}

TEST_F(AdmissionChainTest, TheOrderOfFlagsDoesNotMatter) {
  ASSERT_EQ(MakeChain({{"AlwaysPullImages", "NodeRestriction"}, {"Priority"}}), "");
  const Names names = chain_->names();
  ASSERT_EQ(MakeChain({{"NodeRestriction", "AlwaysPullImages"}, {"Priority"}}), "");
  EXPECT_EQ(chain_->names(), names);
  EXPECT_TRUE(Runs("NodeRestriction"));
  EXPECT_TRUE(Runs("ServiceAccount"));
  EXPECT_FALSE(Runs("Priority"));
  EXPECT_FALSE(Runs("AlwaysDeny"));
}

TEST_F(AdmissionChainTest, RefusesNamesThatAreUnknownOrOnBothSides) {
  EXPECT_EQ(MakeChain({{"Nonsense"}, {}}), "\"Nonsense\" is no admission plugin");
  EXPECT_EQ(MakeChain({{}, {"Nonsense"}}), "\"Nonsense\" is no admission plugin");
  EXPECT_NE(MakeChain({{"Priority"}, {"Priority"}}).find("both enabled and disabled"),
            std::string::npos);
}

TEST_F(AdmissionChainTest, PluginsOfExtensionsAreKnownByName) {
  EXPECT_EQ(MakeChain({{"MutatingAdmissionWebhook"}, {"ValidatingAdmissionPolicy"}}), "");
}

TEST_F(AdmissionChainTest, AWebhookForImagesIsRefusedAsLongAsThereIsNone) {
  EXPECT_NE(MakeChain({{"ImagePolicyWebhook"}, {}}).find("webhooks cannot be called yet"),
            std::string::npos);
}

TEST_F(AdmissionChainTest, AlwaysAdmitAndAlwaysDenyDoWhatTheySay) {
  ASSERT_EQ(MakeChain({{"AlwaysAdmit", "AlwaysDeny"}, {}}), "");
  EXPECT_EQ(Ask({.resource = "configmaps", .object = R"({"metadata":{"name":"x"}})"}, *chain_),
            "configmaps \"x\" is forbidden: admission control is denying all modifications");
}

TEST_F(AdmissionChainTest, ConnectionsAreRefusedToo) {
  ASSERT_EQ(MakeChain({{"AlwaysDeny"}, {}}), "");
  const auto connect = [this](std::string resource, std::string subresource, std::string options) {
    return Ask({.operation = AdmissionOperation::kConnect,
                .resource = std::move(resource),
                .subresource = std::move(subresource),
                .object = std::move(options)},
               *chain_);
  };
  const std::string why = " \"x\" is forbidden: admission control is denying all modifications";
  EXPECT_EQ(connect("pods", "exec", R"({"command":["ls"]})"), "pods" + why);
  EXPECT_EQ(status_->reason(), StatusReason::kForbidden);
  EXPECT_EQ(status_->code(), 403);
  EXPECT_EQ(connect("pods", "attach", R"({"stdin":true})"), "pods" + why);
  EXPECT_EQ(connect("pods", "portforward", R"({"ports":[80]})"), "pods" + why);
  EXPECT_EQ(connect("pods", "proxy", R"({"path":"/"})"), "pods" + why);
  EXPECT_EQ(connect("services", "proxy", R"({"path":"/"})"), "services" + why);
  EXPECT_EQ(connect("nodes", "proxy", R"({"path":"/"})"), "nodes" + why);
}

TEST_F(AdmissionChainTest, ConnectionsAreNoneOfTheDefaultPluginsBusiness) {
  ASSERT_EQ(MakeChain({}), "");
  for (const std::string name_space : {"ns", "none"}) {
    EXPECT_EQ(Ask({.operation = AdmissionOperation::kConnect,
                   .subresource = "exec",
                   .name_space = name_space,
                   .object = R"({"command":["ls"]})"},
                  *chain_),
              "");
    EXPECT_EQ(object_, R"({"command":["ls"]})");
  }
}

TEST_F(AdmissionChainTest, AFileConfiguresPluginsInlineAndByPath) {
  WriteFile("events.yaml",
            "apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\n"
            "limits: [{type: Server, qps: 1, burst: 1}]\n");
  const std::string file = WriteFile(
      "all.yaml",
      "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n"
      "- name: EventRateLimit\n  path: events.yaml\n"
      "- name: PodNodeSelector\n  configuration:\n    podNodeSelectorPluginConfig: {ns: a=b}\n");
  ASSERT_EQ(MakeChain({{"EventRateLimit", "PodNodeSelector"}, {}, file}), "");
  EXPECT_TRUE(Runs("EventRateLimit"));
  const auto read = ReadAdmissionConfig(file);
  ASSERT_TRUE(read);
  ASSERT_NE(read->Find("PodNodeSelector"), nullptr);
  EXPECT_EQ(read->Find("PodNodeSelector")->json, R"({"podNodeSelectorPluginConfig":{"ns":"a=b"}})");
  EXPECT_EQ(read->Find("Priority"), nullptr);
}

TEST_F(AdmissionChainTest, ErrorsOfTheFileNameItAndThePlace) {
  const std::string head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n";
  const struct {
    std::string text;
    std::string says;
  } cases[] = {
      {"a: [", "line "},
      {"apiVersion: v1\nkind: Pod\n", "not an AdmissionConfiguration"},
      {head + "pluginz: []\n", "unknown field \"pluginz\""},
      {head + "plugins: 3\n", "plugins: expected a list"},
      {head + "plugins:\n- name: Nonsense\n", "plugins[0]: \"Nonsense\" is no admission plugin"},
      {head + "plugins:\n- name: Priority\n- name: PodSecurity\n  paht: x\n",
       "plugins[1]: unknown field \"paht\""},
      {head + "plugins:\n- name: EventRateLimit\n  path: missing.yaml\n", "missing.yaml"},
      {head + "plugins:\n- name: PodSecurity\n  configuration: {}\n- name: PodSecurity\n",
       "plugins[1]: PodSecurity is there twice"},
      {head + "plugins:\n- name: EventRateLimit\n  configuration: {apiVersion: x, kind: Other}\n",
       "expected eventratelimit.admission.k8s.io/v1alpha1 Configuration, got x Other"},
  };
  for (const auto& each : cases) {
    const std::string file = WriteFile("wrong.yaml", each.text);
    const std::string error = MakeChain({{"EventRateLimit"}, {}, file});
    EXPECT_NE(error.find(each.says), std::string::npos) << error;
    EXPECT_NE(error.find(file), std::string::npos) << error;
  }
  EXPECT_NE(MakeChain({{}, {}, "/nowhere/a.yaml"}).find("/nowhere/a.yaml"), std::string::npos);
}

TEST_F(AdmissionChainTest, ARefusalNamesWhatAGeneratedNameIsMadeFrom) {
  ASSERT_EQ(MakeChain({{"AlwaysDeny"}, {}}), "");
  Add(R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default",
          "namespace":"ns"}})");
  EXPECT_EQ(Ask({.name = "", .object = Pod("{}", R"("generateName":"web-","name":"web-4x2x8")")},
                *chain_),
            "pods \"web-\" is forbidden: admission control is denying all modifications");
}

}  // namespace
}  // namespace skiff::apiserver
