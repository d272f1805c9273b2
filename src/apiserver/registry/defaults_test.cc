// Objects of testdata/*.json with what defaulting adds to them, by path; null: what it removes.
#include "apiserver/defaults/defaults.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "apiserver/registry/find_default_rule.h"
#include "apiserver/registry/use_kinds.h"
#include "object/field_path.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/protobuf/decode.h"
#include "object/protobuf/encode.h"

namespace skiff::apiserver {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

struct Case {
  std::string file;
  std::string name;
  std::string object;
  std::string expected;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.file << ": " << one.name; }

object::Document Decode(std::string_view json) {
  const object::TypeMeta meta = object::PeekTypeMeta(json).value();
  const object::MessageDesc* type = object::FindKind(meta.api_version, meta.kind);
  EXPECT_NE(type, nullptr) << meta.api_version << " " << meta.kind;
  return object::DecodeJson(json, type).value();
}

// The untyped object with the paths set.
std::string WithAdded(const object::Value& object, const object::Value& added) {
  object::Document document;
  document.root() = object.CopyInto(document.arena());
  for (const object::MapEntry& entry : added.entries()) {
    const object::FieldPath path = object::FieldPath::Parse(entry.key).value();
    const object::Value value = entry.value.CopyInto(document.arena());
    const auto set = path.Set(document, value, object::FieldPath::Missing::kCreate);
    EXPECT_TRUE(set.has_value()) << entry.key << ": " << set.error().ToString();
  }
  return object::EncodeJson(document.root());
}

std::vector<Case> ReadCases() {
  std::vector<Case> cases;
  for (const auto& file :
       fs::directory_iterator(SKIFF_SOURCE_DIR "/src/apiserver/registry/testdata")) {
    const object::Document content = object::DecodeJson(ReadFile(file.path()), nullptr).value();
    for (const object::Value& one : content.root().items()) {
      const object::Value& object = *one.Find("object");
      cases.push_back({file.path().stem(), std::string(one.Find("name")->AsText()),
                       object::EncodeJson(object), WithAdded(object, *one.Find("added"))});
    }
  }
  return cases;
}

// As of a server without flags, where time stands still at 2023-11-14T22:13:20Z.
const DefaultPlans& Defaults() {
  static ManualClock clock;
  static const std::unique_ptr<const DefaultPlans> plans = DefaultsOfKinds({}, &clock);
  return *plans;
}

std::string Defaulted(std::string_view json) {
  object::Document object = Decode(json);
  Defaults().Apply(object);
  return object::EncodeJson(object.root());
}

class DefaultsCaseTest : public ::testing::TestWithParam<Case> {};

TEST_P(DefaultsCaseTest, AddsWhatTheTableSaysAndNothingElse) {
  EXPECT_EQ(Defaulted(GetParam().object), object::EncodeJson(Decode(GetParam().expected).root()));
}

TEST_P(DefaultsCaseTest, ChangesNothingTheSecondTime) {
  const std::string once = Defaulted(GetParam().object);
  EXPECT_EQ(Defaulted(once), once);
}

std::string MessageOf(const object::Document& object) {
  std::string out;
  object::EncodeProtobuf(object.root(), &out);
  return out;
}

// Objects of which only decoding tells that nothing is missing: limits of limit ranges, resources
// of whole pods, amounts with an exponent, and others that are as rare.
bool OnlyDecodingTells(const Case& one, const object::Document& object) {
  static const std::set<std::string> names = {"an autoscaler of version 1 with other metrics",
                                              "a namespace that is still to get its name",
                                              "a resource quota", "a service with a load balancer"};
  const object::MessageDesc* const type = object.type();
  return names.contains(one.name) || type == object::FindKind("v1", "LimitRange") ||
         (type == object::FindKind("v1", "Pod") &&
          object.root().FindPath({"spec", "resources"}) != nullptr);
}

TEST_P(DefaultsCaseTest, BytesTellWhetherSomethingIsMissing) {
  object::Document object = Decode(GetParam().object);
  if (!object.type()->in_protobuf) return;
  const std::string given = MessageOf(object);
  Defaults().Apply(object);
  const std::string complete = MessageOf(object);
  if (given != complete) {
    EXPECT_FALSE(Defaults().LeavesAlone(object.type(), given));
  }
  EXPECT_EQ(Defaults().LeavesAlone(object.type(), complete),
            !OnlyDecodingTells(GetParam(), object));
}

TEST_P(DefaultsCaseTest, BytesTellOfEachDefaultThatIsMissingAlone) {
  object::Document object = Decode(GetParam().object);
  if (!object.type()->in_protobuf) return;
  Defaults().Apply(object);
  const std::string complete = MessageOf(object);
  // Any member taken away is missed if defaulting puts it back.
  const std::function<void(object::Value&)> visit = [&](object::Value& at) {
    if (at.is_list()) {
      for (object::Value& item : at.items()) visit(item);
    }
    if (at.is_map()) {
      for (object::MapEntry& entry : at.entries()) visit(entry.value);
    }
    if (!at.is_object()) return;
    for (size_t i = 0; i < at.size(); ++i) {
      const object::Value member = at.members()[i];
      if (&at == &object.root() && member.field() < 2) continue;  // kind and apiVersion
      at.EraseMember(member.field());
      const std::string without = MessageOf(object);
      object::Document again = Decode(object::EncodeJson(object.root()));
      Defaults().Apply(again);
      if (MessageOf(again) != without) {
        EXPECT_FALSE(Defaults().LeavesAlone(object.type(), without))
            << object::EncodeJson(object.root());
      }
      at.SetMember(object.arena(), member.field(), member);
      visit(*at.Member(member.field()));
    }
  };
  visit(object.root());
  EXPECT_EQ(MessageOf(object), complete);
}

TEST_P(DefaultsCaseTest, ChangedBytesAreNotTakenForComplete) {
  object::Document object = Decode(GetParam().object);
  const object::MessageDesc* const type = object.type();
  if (!type->in_protobuf) return;
  Defaults().Apply(object);
  const std::string complete = MessageOf(object);
  const auto check = [&](const std::string& bytes) {
    if (!Defaults().LeavesAlone(type, bytes)) return;
    Result<object::Document> read = object::DecodeProtobuf(bytes, type);
    if (!read) return;  // damaged where no default can be
    const std::string before = MessageOf(*read);
    Defaults().Apply(*read);
    EXPECT_EQ(MessageOf(*read), before);
  };
  for (size_t i = 0; i < complete.size(); ++i) {
    check(complete.substr(0, i));
    for (const char bits : {'\x01', '\x08', '\x7f'}) {
      std::string changed = complete;
      changed[i] = static_cast<char>(changed[i] ^ bits);
      check(changed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, DefaultsCaseTest, ::testing::ValuesIn(ReadCases()));

DefaultsEnvironment WithGates(bool on) {
  return {.gates = FeatureGates({{"AllAlpha", on}, {"AllBeta", on}}),
          .clock = nullptr,
          .find_rule = FindDefaultRule};
}

std::string DefaultedWithGates(std::string_view json, bool on) {
  static const auto all = DefaultPlans::Compile(WithGates(true)).value();
  static const auto none = DefaultPlans::Compile(WithGates(false)).value();
  object::Document object = Decode(json);
  (on ? all : none)->Apply(object);
  return object::EncodeJson(object.root());
}

TEST(DefaultsTest, EveryRuleOfTheSchemaCompiles) {
  const auto plans = DefaultPlans::Compile(WithGates(true));
  EXPECT_TRUE(plans.has_value()) << plans.error().ToString();
}

TEST(DefaultsTest, EveryKindThatIsStoredAndHasDefaultsIsInTheTables) {
  std::set<const object::MessageDesc*> tested;
  for (const Case& one : ReadCases()) tested.insert(Decode(one.object).type());
  const auto plans = DefaultPlans::Compile(WithGates(true)).value();
  for (const object::GroupVersionInfo& version : object::ServedGroupVersions()) {
    for (const object::ResourceDesc& resource : version.resources) {
      if (!plans->Has(resource.kind)) continue;
      EXPECT_TRUE(tested.contains(resource.kind))
          << version.desc->api_version << " " << resource.kind_name;
    }
  }
}

TEST(DefaultsTest, KindsWithoutDefaultsHaveNoPlan) {
  const auto plans = DefaultPlans::Compile(WithGates(true)).value();
  for (const char* kind : {"ConfigMap", "Event", "ServiceAccount"}) {
    EXPECT_FALSE(plans->Has(object::FindKind("v1", kind))) << kind;
  }
  EXPECT_FALSE(plans->Has(object::FindKind("coordination.k8s.io/v1", "Lease")));
}

TEST(DefaultsTest, RulesBehindGatesHoldOnlyIfTheGateIsOn) {
  constexpr std::string_view kSet = R"({"kind":"StatefulSet","apiVersion":"apps/v1"})";
  EXPECT_NE(DefaultedWithGates(kSet, true).find("maxUnavailable"), std::string::npos);
  EXPECT_EQ(DefaultedWithGates(kSet, false).find("maxUnavailable"), std::string::npos);
  constexpr std::string_view kPod =
      R"({"kind":"Pod","apiVersion":"v1","spec":{"resources":{"limits":{"cpu":"1"}}}})";
  EXPECT_NE(DefaultedWithGates(kPod, true).find("requests"), std::string::npos);
  EXPECT_EQ(DefaultedWithGates(kPod, false).find("requests"), std::string::npos);
}

TEST(DefaultsTest, WithoutAClockTimesStayUnset) {
  const std::string rule = DefaultedWithGates(
      R"({"kind":"DeviceTaintRule","apiVersion":"resource.k8s.io/v1beta2"})", true);
  EXPECT_EQ(rule.find("timeAdded"), std::string::npos);
}

TEST(DefaultsTest, DocumentsWithoutATypeStayAsTheyAre) {
  object::Document object =
      object::DecodeJson(R"({"kind":"Pod","apiVersion":"v1"})", nullptr).value();
  Defaults().Apply(object);
  EXPECT_EQ(object::EncodeJson(object.root()), R"({"apiVersion":"v1","kind":"Pod"})");
}

TEST(DefaultsTest, RecordedObjectsOfEveryKindChangeOnceAtMost) {
  const fs::path folder = fs::path(SKIFF_SOURCE_DIR) / "../shared/fixtures/wire";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "../shared/fixtures is not there";
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() != ".json") continue;
    const std::string json = ReadFile(file.path());
    const object::TypeMeta meta = object::PeekTypeMeta(json).value();
    if (object::FindKind(meta.api_version, meta.kind) == nullptr) continue;
    const std::string once = Defaulted(json);
    EXPECT_EQ(Defaulted(once), once) << file.path().filename();
  }
}

TEST(DefaultsTest, AListOfNoPoliciesIsNotFilled) {
  object::Document scaler = Decode(
      R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"behavior":)"
      R"({"scaleUp":{"policies":null},"scaleDown":{"policies":[]}}}})");
  Defaults().Apply(scaler);
  const object::Value& behavior = *scaler.root().FindPath({"spec", "behavior"});
  EXPECT_EQ(behavior.FindPath({"scaleUp", "policies"})->size(), 2U);
  EXPECT_EQ(behavior.FindPath({"scaleDown", "policies"})->size(), 0U);
}

}  // namespace
}  // namespace skiff::apiserver
