#include <gtest/gtest.h>

#include "apiserver/admission/chain.h"
#include "apiserver/admission/policies_testing.h"

namespace skiff::apiserver {
namespace {

std::string Apply(const std::string& expression) {
  return R"({"patchType":"ApplyConfiguration","applyConfiguration":{"expression":")" + expression +
         R"("}})";
}
std::string Patch(const std::string& expression) {
  return R"({"patchType":"JSONPatch","jsonPatch":{"expression":")" + expression + R"("}})";
}
std::string Mutations(const std::string& list, const std::string& reinvocation = "Never") {
  return R"("reinvocationPolicy":")" + reinvocation + R"(","mutations":[)" + list + "]";
}

class MutatingAdmissionPolicyTest : public testing::PoliciesTest {
 protected:
  void SetUp() override {
    PoliciesTest::SetUp();
    is_mutating_ = true;
    Make(MakeMutatingAdmissionPolicy);
  }
  static std::string Denied(const std::string& why) {
    return "policy 'p' with binding 'p' denied request: " + why;
  }
};

TEST_F(MutatingAdmissionPolicyTest, ObjectsBecomeWhatMutationsSay) {
  struct Case {
    std::string mutations;
    const char* data;  // of what comes out
  };
  const Case cases[] = {
      {Apply("Object{data: {'b': object.data.a + '2'}}"), R"("data":{"a":"1","b":"12"})"},
      {Apply("Object{data: {'a': 'x'}}"), R"("data":{"a":"x"})"},
      {Apply("Object{}"), R"("data":{"a":"1"})"},
      {Patch("[JSONPatch{op: 'add', path: '/data/b', value: '2'}, "
             "JSONPatch{op: 'remove', path: '/data/a'}]"),
       R"("data":{"b":"2"})"},
      {Patch("[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('x/y'), value: '2'}]"),
       R"("data":{"a":"1","x/y":"2"})"},
      {Patch("[JSONPatch{op: 'test', path: '/data/a', value: '0'}, "
             "JSONPatch{op: 'remove', path: '/data/a'}]"),
       R"("data":{"a":"1"})"},
      {Apply("Object{data: {'b': '2'}}") + "," + Apply("Object{data: {'c': object.data.b}}"),
       R"("data":{"a":"1","b":"2","c":"2"})"},
  };
  for (const Case& each : cases) {
    AddPolicy(Mutations(each.mutations), "");
    EXPECT_EQ(Create(), "") << each.mutations;
    EXPECT_TRUE(Has(each.data)) << each.mutations << ": " << object_;
  }
}

TEST_F(MutatingAdmissionPolicyTest, WhatCannotBeDoneIsRefused) {
  struct Case {
    std::string mutation;
    const char* why;
  };
  const Case cases[] = {
      {Apply("Object{data: {'b': object.data.c}}"),
       "expression 'Object{data: {'b': object.data.c}}' resulted in error: no such key: c"},
      {Apply("Object{metadata: Object.spec{}}"),
       "type mismatch: unexpected type name \"Object.spec\", expected \"Object.metadata\", which "
       "matches field name path from root Object type"},
      {Apply("Object{dat: {'a': 'b'}}"),
       "error applying patch: failed to convert patch object to typed object: .dat: field not "
       "declared in schema"},
      {Patch("[JSONPatch{op: 'remove', path: '/none'}]"), nullptr},
  };
  for (const Case& each : cases) {
    AddPolicy(Mutations(each.mutation), "");
    const std::string said = Create();
    if (each.why != nullptr) EXPECT_EQ(said, Denied(each.why)) << each.mutation;
    EXPECT_NE(said, "") << each.mutation;
    EXPECT_TRUE(Has(R"("data":{"a":"1"})")) << each.mutation;
    AddPolicy(R"("failurePolicy":"Ignore",)" + Mutations(each.mutation), "");
    EXPECT_EQ(Create(), "") << each.mutation;
  }
}

TEST_F(MutatingAdmissionPolicyTest, ListsMergeByTheirKeysAndAtomicOnesAreLeftAlone) {
  const std::string pods =
      R"({"operations":["CREATE"],"apiGroups":[""],"apiVersions":["v1"],"resources":["pods"]})";
  const std::string pod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"},"spec":{
      "containers":[{"name":"a","image":"i"},{"name":"b","image":"j"}]}})";
  AddPolicy(Mutations(Apply("Object{spec: Object.spec{containers: object.spec.containers.map(c, "
                            "Object.spec.containers{name: c.name, imagePullPolicy: 'Always'})}}")),
            "", "p", pods);
  EXPECT_EQ(Ask({.object = pod}), "");
  EXPECT_TRUE(Has(R"("name":"a","image":"i")")) << object_;
  EXPECT_TRUE(Has(R"("imagePullPolicy":"Always"},{"name":"b","image":"j")")) << object_;
  AddPolicy(Mutations(Apply("Object{spec: Object.spec{containers: [Object.spec.containers{name: "
                            "'a', args: ['x']}]}}")),
            "", "p", pods);
  EXPECT_EQ(
      Ask({.object = pod}),
      Denied("error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, "
             "maps or structs: .spec.containers[0].args"));
}

TEST_F(MutatingAdmissionPolicyTest, APolicyMayBeInvokedAgainForWhatOthersDidLater) {
  const auto add_once = [](const std::string& key, const std::string& needs) {
    return Apply("has(object.data." + needs + ") ? Object{data: {'" + key + "': 'x'}} : Object{}");
  };
  // a waits for what b adds.
  for (const char* reinvocation : {"Never", "IfNeeded"}) {
    AddPolicy(Mutations(add_once("c", "b"), reinvocation), "", "a");
    AddPolicy(Mutations(add_once("b", "a")), "", "b");
    std::vector<AdmissionChain::Member> members;
    members.push_back({"policies", *MakeMutatingAdmissionPolicy(Context(), "")});
    AdmissionChain chain(std::move(members), clock_);
    EXPECT_EQ(Ask({.resource = "configmaps", .object = ConfigMap(R"({"a":"1"})")}, chain), "");
    EXPECT_TRUE(Has(R"("b":"x")"));
    EXPECT_EQ(Has(R"("c":"x")"), reinvocation == std::string("IfNeeded")) << object_;
  }
}

TEST_F(MutatingAdmissionPolicyTest, AValueTooLargeForADocumentIsRefused) {
  const std::string large(200'000, 'x');
  AddPolicy(Mutations(Apply("Object{data: {'b': object.data.a + object.data.a}}") + "," +
                      Patch("[JSONPatch{op: 'add', path: '/data/c', value: "
                            "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20].map(x, "
                            "object.data.a)}]")),
            "");
  EXPECT_EQ(Create(R"({"a":")" + large + R"("})"), Denied("the value is too large"));
}

}  // namespace
}  // namespace skiff::apiserver
