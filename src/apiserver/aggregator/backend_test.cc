#include "apiserver/aggregator/backend.h"

#include <gtest/gtest.h>

#include "apiserver/aggregator/api_service_condition.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "views/apiregistration.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

object::Document Read(std::string_view json) {
  return std::move(
      *object::DecodeJson(json, object::FindKind("apiregistration.k8s.io/v1", "APIService")));
}

constexpr std::string_view kRemote = R"({
  "metadata": {"name": "v1.ext.example.com", "uid": "u"},
  "spec": {"group": "ext.example.com", "version": "v1", "groupPriorityMinimum": 100,
           "versionPriority": 10, "caBundle": "Q0E=",
           "service": {"namespace": "ns", "name": "svc", "port": 8443}},
  "status": {"conditions": [
    {"type": "Other", "status": "False"},
    {"type": "Available", "status": "True", "reason": "Passed", "message": "m",
     "lastTransitionTime": "2024-01-01T00:00:00Z"}]}})";

TEST(BackendTest, SaysWhatItsApiServiceSays) {
  const std::unique_ptr<BackendState> state = ReadBackendState(Read(kRemote));
  ASSERT_NE(state, nullptr);
  EXPECT_EQ(state->spec.name, "v1.ext.example.com");
  EXPECT_EQ(state->spec.group, "ext.example.com");
  EXPECT_EQ(state->spec.version, "v1");
  EXPECT_EQ(state->spec.ca_pem, "CA");
  EXPECT_EQ(state->spec.service.HostName(), "svc.ns.svc");
  EXPECT_EQ(state->spec.service.port, 8443);
  EXPECT_EQ(state->spec.group_priority, 100);
  EXPECT_EQ(state->spec.version_priority, 10);
  EXPECT_TRUE(state->condition.available);
  EXPECT_EQ(state->condition.reason, "Passed");
}

TEST(BackendTest, AnApiServiceWithoutAServiceHasNone) {
  EXPECT_EQ(ReadBackendState(Read(R"({"metadata": {"name": "v1.a"},
                                      "spec": {"group": "a", "version": "v1"}})")),
            nullptr);
}

TEST(BackendTest, NobodyHasLookedAtANewOne) {
  const auto state = ReadBackendState(Read(R"({"metadata": {"name": "v1.a"},
    "spec": {"service": {"namespace": "n", "name": "s"}}})"));
  ASSERT_NE(state, nullptr);
  EXPECT_EQ(state->spec.service.port, 443);
  EXPECT_FALSE(state->condition.available);
  EXPECT_EQ(state->condition.reason, "");
}

TEST(ApiServiceConditionTest, IsWrittenOnceAndKeepsTheOthers) {
  object::Document object = Read(kRemote);
  const BackendCondition failed{.available = false, .reason = "R", .message = "why"};
  EXPECT_TRUE(LacksCondition(object, failed));
  SetCondition(failed, *object::ParseTime("2024-02-02T00:00:00Z"), object);
  EXPECT_FALSE(LacksCondition(object, failed));
  const auto conditions =
      views::apiregistration_k8s_io_v1::APIService(object).status().conditions();
  ASSERT_EQ(conditions.size(), 2U);
  EXPECT_EQ(conditions[0].type(), "Other");
  EXPECT_EQ(conditions[1].status(), "False");
  EXPECT_EQ(conditions[1].last_transition_time(), *object::ParseTime("2024-02-02T00:00:00Z"));
}

TEST(ApiServiceConditionTest, TheTimeStaysWhileTheStatusDoes) {
  object::Document object = Read(kRemote);
  SetCondition({.available = true, .reason = "Other", .message = ""},
               *object::ParseTime("2024-02-02T00:00:00Z"), object);
  const auto conditions =
      views::apiregistration_k8s_io_v1::APIService(object).status().conditions();
  EXPECT_EQ(conditions[1].reason(), "Other");
  EXPECT_EQ(conditions[1].last_transition_time(), *object::ParseTime("2024-01-01T00:00:00Z"));
}

TEST(ApiServiceConditionTest, WhatCouldNotBeLookedAtIsUnknown) {
  object::Document object = Read(R"({"metadata": {"name": "v1.a"}})");
  SetCondition({.available = false, .reason = "EndpointsAccessError", .message = ""}, {}, object);
  const auto conditions =
      views::apiregistration_k8s_io_v1::APIService(object).status().conditions();
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(conditions[0].type(), "Available");
  EXPECT_EQ(conditions[0].status(), "Unknown");
}

}  // namespace
}  // namespace skiff::apiserver
