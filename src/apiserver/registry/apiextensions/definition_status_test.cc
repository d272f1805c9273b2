#include "apiserver/registry/apiextensions/definition_status.h"

#include <gtest/gtest.h>

#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

object::Document Definition(std::string_view json) {
  Result<object::Document> out = object::DecodeJson(
      json, object::FindKind("apiextensions.k8s.io/v1", "CustomResourceDefinition"));
  EXPECT_TRUE(out.has_value());
  return out ? std::move(*out) : object::Document();
}

object::Document Things() {
  return Definition(R"({"spec": {"group": "example.com", "names": {"plural": "things",
      "singular": "thing", "shortNames": ["th", "t"], "kind": "Thing",
      "listKind": "ThingList"}}})");
}

std::string Told(const DefinitionStatus& status) {
  std::string out;
  for (const DefinitionCondition& each : status.conditions) {
    out += each.type + "=" + each.status + " " + each.reason + ": " + each.message + "\n";
  }
  return out;
}

TEST(DefinitionStatusTest, GrantsNamesThatNobodyHas) {
  const DefinitionStatus status = StatusOf(Things(), {});
  EXPECT_TRUE(status.names_accepted);
  EXPECT_TRUE(status.established);
  EXPECT_EQ(status.names, SpecNames(Things()));
  EXPECT_EQ(Told(status),
            "NamesAccepted=True NoConflicts: no conflicts found\n"
            "Established=True InitialNamesAccepted: the initial names have been accepted\n");
}

TEST(DefinitionStatusTest, GrantsTheNamesThatAreLeftAndTellsOfTheOthers) {
  TakenNames taken;
  taken.Add({.plural = "others",
             .singular = "other",
             .short_names = {"th", "t"},
             .kind = "Other",
             .list_kind = "OtherList"});
  const DefinitionStatus status = StatusOf(Things(), taken);
  EXPECT_FALSE(status.established);
  EXPECT_EQ(status.names.plural, "things");
  EXPECT_TRUE(status.names.short_names.empty());
  EXPECT_EQ(
      Told(status),
      "NamesAccepted=False ShortNamesConflict: [\"th\" is already in use, \"t\" is already in "
      "use]\nEstablished=False NotAccepted: not all names are accepted\n");
}

TEST(DefinitionStatusTest, AKindOfOthersIsNotGranted) {
  TakenNames taken;
  taken.Add({.plural = "a", .singular = "b", .kind = "Thing", .list_kind = "AList"});
  EXPECT_EQ(StatusOf(Things(), taken).conditions[0].reason, "KindConflict");
  taken.Remove({.plural = "a", .singular = "b", .kind = "Thing", .list_kind = "AList"});
  EXPECT_TRUE(StatusOf(Things(), taken).established);
}

TEST(DefinitionStatusTest, NamesThatWereGrantedBeforeStay) {
  object::Document things = Things();
  ASSERT_TRUE(SetDefinitionStatus(StatusOf(things, {}), {100, 0}, things));
  TakenNames taken;
  taken.Add(AcceptedNames(things));
  const DefinitionStatus again = StatusOf(things, taken);
  EXPECT_TRUE(again.conditions.empty());
  EXPECT_FALSE(SetDefinitionStatus(again, {200, 0}, things));
}

TEST(DefinitionStatusTest, TheTimeOfAConditionIsThatOfItsStatus) {
  object::Document things = Things();
  const auto time_of = [&] {
    return object::EncodeJson(
        *things.root().FindPath({"status", "conditions"})->items()[0].Find("lastTransitionTime"));
  };
  EXPECT_TRUE(SetDefinitionCondition({"Terminating", "True", "A", "a"}, {100, 0}, things));
  const std::string first = time_of();
  EXPECT_TRUE(SetDefinitionCondition({"Terminating", "True", "B", "b"}, {200, 0}, things));
  EXPECT_EQ(time_of(), first);
  EXPECT_FALSE(SetDefinitionCondition({"Terminating", "True", "B", "b"}, {300, 0}, things));
  EXPECT_TRUE(SetDefinitionCondition({"Terminating", "False", "B", "b"}, {300, 0}, things));
  EXPECT_NE(time_of(), first);
}

TEST(DefinitionStatusTest, GroupsOfKubernetesNeedAnApproval) {
  const auto reason = [](std::string_view group, std::string_view annotation) {
    const object::Document definition =
        Definition(R"({"metadata": {"annotations": {"api-approved.kubernetes.io": ")" +
                   std::string(annotation) + R"("}}, "spec": {"group": ")" + std::string(group) +
                   R"(", "names": {"plural": "a", "kind": "A"}}})");
    for (const DefinitionCondition& each : StatusOf(definition, {}).conditions) {
      if (each.type == "KubernetesAPIApprovalPolicyConformant") {
        return each.status + " " + each.reason;
      }
    }
    return std::string("none");
  };
  EXPECT_EQ(reason("example.com", ""), "none");
  EXPECT_EQ(reason("notk8s.io", ""), "none");
  EXPECT_EQ(reason("a.k8s.io", ""), "False MissingAnnotation");
  EXPECT_EQ(reason("k8s.io", "what"), "False InvalidAnnotation");
  EXPECT_EQ(reason("a.kubernetes.io", "unapproved, an experiment"), "False UnapprovedAnnotation");
  EXPECT_EQ(reason("a.k8s.io", "https://github.com/kubernetes/kubernetes/pull/1"),
            "True ApprovedAnnotation");
}

}  // namespace
}  // namespace skiff::apiserver
