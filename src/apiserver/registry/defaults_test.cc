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

namespace skiff {
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

Document Decode(std::string_view json) {
  const TypeMeta meta = PeekTypeMeta(json).value();
  const MessageDesc* type = FindKind(meta.api_version, meta.kind);
  EXPECT_NE(type, nullptr) << meta.api_version << " " << meta.kind;
  return DecodeJson(json, type).value();
}

// The untyped object with the paths set.
std::string WithAdded(const Value& object, const Value& added) {
  Document document;
  document.root() = object.CopyInto(document.arena());
  for (const MapEntry& entry : added.entries()) {
    const FieldPath path = FieldPath::Parse(entry.key).value();
    const Value value = entry.value.CopyInto(document.arena());
    const auto set = path.Set(document, value, FieldPath::Missing::kCreate);
    EXPECT_TRUE(set.has_value()) << entry.key << ": " << set.error().ToString();
  }
  return EncodeJson(document.root());
}

std::vector<Case> ReadCases() {
  std::vector<Case> cases;
  for (const auto& file :
       fs::directory_iterator(SKIFF_SOURCE_DIR "/src/apiserver/registry/testdata")) {
    const Document content = DecodeJson(ReadFile(file.path()), nullptr).value();
    for (const Value& one : content.root().items()) {
      const Value& object = *one.Find("object");
      cases.push_back({file.path().stem(), std::string(one.Find("name")->AsText()),
                       EncodeJson(object), WithAdded(object, *one.Find("added"))});
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
  Document object = Decode(json);
  Defaults().Apply(object);
  return EncodeJson(object.root());
}

class DefaultsCaseTest : public ::testing::TestWithParam<Case> {};

TEST_P(DefaultsCaseTest, AddsWhatTheTableSaysAndNothingElse) {
  EXPECT_EQ(Defaulted(GetParam().object), EncodeJson(Decode(GetParam().expected).root()));
}

TEST_P(DefaultsCaseTest, ChangesNothingTheSecondTime) {
  const std::string once = Defaulted(GetParam().object);
  EXPECT_EQ(Defaulted(once), once);
}

std::string MessageOf(const Document& object) {
  std::string out;
  EncodeProtobuf(object.root(), &out);
  return out;
}

// Objects of which only decoding tells that nothing is missing: limits of limit ranges, resources
// of whole pods, amounts with an exponent, and others that are as rare.
bool OnlyDecodingTells(const Case& one, const Document& object) {
  static const std::set<std::string> names = {"an autoscaler of version 1 with other metrics",
                                              "a namespace that is still to get its name",
                                              "a resource quota", "a service with a load balancer"};
  const MessageDesc* const type = object.type();
  return names.contains(one.name) || type == FindKind("v1", "LimitRange") ||
         (type == FindKind("v1", "Pod") &&
          object.root().FindPath({"spec", "resources"}) != nullptr);
}

TEST_P(DefaultsCaseTest, BytesTellWhetherSomethingIsMissing) {
  Document object = Decode(GetParam().object);
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
  Document object = Decode(GetParam().object);
  if (!object.type()->in_protobuf) return;
  Defaults().Apply(object);
  const std::string complete = MessageOf(object);
  // Any member taken away is missed if defaulting puts it back.
  const std::function<void(Value&)> visit = [&](Value& at) {
    if (at.is_list()) {
      for (Value& item : at.items()) visit(item);
    }
    if (at.is_map()) {
      for (MapEntry& entry : at.entries()) visit(entry.value);
    }
    if (!at.is_object()) return;
    for (size_t i = 0; i < at.size(); ++i) {
      const Value member = at.members()[i];
      if (&at == &object.root() && member.field() < 2) continue;  // kind and apiVersion
      at.EraseMember(member.field());
      const std::string without = MessageOf(object);
      Document again = Decode(EncodeJson(object.root()));
      Defaults().Apply(again);
      if (MessageOf(again) != without) {
        EXPECT_FALSE(Defaults().LeavesAlone(object.type(), without)) << EncodeJson(object.root());
      }
      at.SetMember(object.arena(), member.field(), member);
      visit(*at.Member(member.field()));
    }
  };
  visit(object.root());
  EXPECT_EQ(MessageOf(object), complete);
}

TEST_P(DefaultsCaseTest, ChangedBytesAreNotTakenForComplete) {
  Document object = Decode(GetParam().object);
  const MessageDesc* const type = object.type();
  if (!type->in_protobuf) return;
  Defaults().Apply(object);
  const std::string complete = MessageOf(object);
  const auto check = [&](const std::string& bytes) {
    if (!Defaults().LeavesAlone(type, bytes)) return;
    Result<Document> read = DecodeProtobuf(bytes, type);
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
  Document object = Decode(json);
  (on ? all : none)->Apply(object);
  return EncodeJson(object.root());
}

TEST(DefaultsTest, EveryRuleOfTheSchemaCompiles) {
  const auto plans = DefaultPlans::Compile(WithGates(true));
  EXPECT_TRUE(plans.has_value()) << plans.error().ToString();
}

TEST(DefaultsTest, EveryKindThatIsStoredAndHasDefaultsIsInTheTables) {
  std::set<const MessageDesc*> tested;
  for (const Case& one : ReadCases()) tested.insert(Decode(one.object).type());
  const auto plans = DefaultPlans::Compile(WithGates(true)).value();
  for (const GroupVersionInfo& version : ServedGroupVersions()) {
    for (const ResourceDesc& resource : version.resources) {
      if (!plans->Has(resource.kind)) continue;
      EXPECT_TRUE(tested.contains(resource.kind))
          << version.desc->api_version << " " << resource.kind_name;
    }
  }
}

TEST(DefaultsTest, KindsWithoutDefaultsHaveNoPlan) {
  const auto plans = DefaultPlans::Compile(WithGates(true)).value();
  for (const char* kind : {"ConfigMap", "Event", "ServiceAccount"}) {
    EXPECT_FALSE(plans->Has(FindKind("v1", kind))) << kind;
  }
  EXPECT_FALSE(plans->Has(FindKind("coordination.k8s.io/v1", "Lease")));
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
  Document object = DecodeJson(R"({"kind":"Pod","apiVersion":"v1"})", nullptr).value();
  Defaults().Apply(object);
  EXPECT_EQ(EncodeJson(object.root()), R"({"apiVersion":"v1","kind":"Pod"})");
}

TEST(DefaultsTest, RecordedObjectsOfEveryKindChangeOnceAtMost) {
  const fs::path folder = fs::path(SKIFF_SOURCE_DIR) / "../shared/fixtures/wire";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "../shared/fixtures is not there";
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() != ".json") continue;
    const std::string json = ReadFile(file.path());
    const TypeMeta meta = PeekTypeMeta(json).value();
    if (FindKind(meta.api_version, meta.kind) == nullptr) continue;
    const std::string once = Defaulted(json);
    EXPECT_EQ(Defaulted(once), once) << file.path().filename();
  }
}

TEST(DefaultsTest, AListOfNoPoliciesIsNotFilled) {
  Document scaler = Decode(
      R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"behavior":)"
      R"({"scaleUp":{"policies":null},"scaleDown":{"policies":[]}}}})");
  Defaults().Apply(scaler);
  const Value& behavior = *scaler.root().FindPath({"spec", "behavior"});
  EXPECT_EQ(behavior.FindPath({"scaleUp", "policies"})->size(), 2U);
  EXPECT_EQ(behavior.FindPath({"scaleDown", "policies"})->size(), 0U);
}

}  // namespace
}  // namespace skiff
