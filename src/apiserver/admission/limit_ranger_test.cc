#include "apiserver/admission/limit_ranger.h"

#include <string>

#include <gtest/gtest.h>

#include "apiserver/admission/small_cluster_testing.h"

namespace skiff::apiserver {
namespace {

std::string RangeOf(const std::string& items) { return R"({"spec":{"limits":[)" + items + "]}}"; }

// Containers with these resources, as the insides of JSON objects.
std::string PodOf(const std::string& requests, const std::string& limits) {
  return R"({"spec":{"containers":[{"name":"c","resources":{"requests":{)" + requests +
         R"(},"limits":{)" + limits + "}}}]}}";
}

struct Case {
  const char* what;
  const char* item;  // of the LimitRange
  std::string pod;
  const char* violation;  // "": none
};

const Case kCases[] = {
    {"at the minimum", R"({"type":"Container","min":{"cpu":"100m"}})", PodOf(R"("cpu":"100m")", ""),
     ""},
    {"below the minimum", R"({"type":"Container","min":{"cpu":"100m"}})",
     PodOf(R"("cpu":"50m")", ""), "minimum cpu usage per Container is 100m, but request is 50m"},
    {"a limit below the minimum", R"({"type":"Container","min":{"cpu":"100m"}})",
     PodOf(R"("cpu":"100m")", R"("cpu":"50m")"),
     "minimum cpu usage per Container is 100m, but limit is 50m"},
    {"nothing said of a minimum", R"({"type":"Pod","min":{"cpu":"100m"}})", PodOf("", ""),
     "minimum cpu usage per Pod is 100m.  No request is specified"},
    {"at the maximum", R"({"type":"Container","max":{"memory":"1Gi"}})",
     PodOf("", R"("memory":"1024Mi")"), ""},
    {"beyond the maximum", R"({"type":"Container","max":{"memory":"1Gi"}})",
     PodOf("", R"("memory":"2Gi")"), "maximum memory usage per Container is 1Gi, but limit is 2Gi"},
    {"a request beyond the maximum", R"({"type":"Container","max":{"memory":"1Gi"}})",
     PodOf(R"("memory":"2Gi")", R"("memory":"1Gi")"),
     "maximum memory usage per Container is 1Gi, but request is 2Gi"},
    {"nothing said of a maximum", R"({"type":"Pod","max":{"memory":"1Gi"}})",
     PodOf(R"("memory":"1")", ""), "maximum memory usage per Pod is 1Gi.  No limit is specified"},
    {"the ratio", R"({"type":"Container","maxLimitRequestRatio":{"cpu":"1500m"}})",
     PodOf(R"("cpu":"100m")", R"("cpu":"150m")"), ""},
    {"beyond the ratio", R"({"type":"Container","maxLimitRequestRatio":{"cpu":"1500m"}})",
     PodOf(R"("cpu":"100m")", R"("cpu":"200m")"),
     "cpu max limit to request ratio per Container is 1500m, but provided ratio is 2.000000"},
    {"no request for a ratio", R"({"type":"Container","maxLimitRequestRatio":{"cpu":"2"}})",
     PodOf("", R"("cpu":"1")"),
     "cpu max limit to request ratio per Container is 2, but no request is specified or request is "
     "0"},
    {"no limit for a ratio", R"({"type":"Container","maxLimitRequestRatio":{"cpu":"2"}})",
     PodOf(R"("cpu":"1")", ""),
     "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"},
    {"several faults", R"({"type":"Pod","min":{"cpu":"1"},"max":{"cpu":"1"}})", PodOf("", ""),
     "[minimum cpu usage per Pod is 1.  No request is specified, maximum cpu usage per Pod is 1.  "
     "No "
     "limit is specified]"},
    {"amounts too great for thousandths", R"({"type":"Container","max":{"memory":"8E"}})",
     PodOf("", R"("memory":"9E")"), "maximum memory usage per Container is 8E, but limit is 9E"},
    {"the sum of a pod", R"({"type":"Pod","max":{"cpu":"2"}})",
     R"({"spec":{"initContainers":[{"name":"i","resources":{"limits":{"cpu":"3"}}}],
         "containers":[{"name":"a","resources":{"limits":{"cpu":"1"}}},
                       {"name":"b","resources":{"limits":{"cpu":"1"}}}]}})",
     "maximum cpu usage per Pod is 2, but limit is 3"},
    {"the pod's own resources", R"({"type":"Pod","max":{"cpu":"2"}})",
     R"({"spec":{"resources":{"limits":{"cpu":"1"}},
         "containers":[{"name":"a","resources":{"limits":{"cpu":"3"}}}]}})",
     ""},
    {"the same fault of two containers", R"({"type":"Container","min":{"cpu":"2"}})",
     R"({"spec":{"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}},
                               {"name":"b","resources":{"requests":{"cpu":"1"}}}]}})",
     "minimum cpu usage per Container is 2, but request is 1"},
    {"bounds of something else", R"({"type":"PersistentVolumeClaim","min":{"storage":"1"}})",
     PodOf("", ""), ""},
};

TEST(LimitRangerTest, PodsKeepToTheirBounds) {
  for (const Case& c : kCases) {
    SmallCluster cluster;
    const auto plugin = cluster.Make(MakeLimitRanger);
    cluster.Put("limitranges", "r", RangeOf(c.item));
    const TestOutcome outcome =
        cluster.Write(*plugin, {.resource = "pods", .name = "p", .object = c.pod});
    const std::string violation = c.violation;
    EXPECT_EQ(outcome.error, violation.empty() ? "" : "pods \"p\" is forbidden: " + violation)
        << c.what;
  }
}

class LimitRangerWriteTest : public ::testing::Test {
 protected:
  SmallCluster cluster_;
  std::unique_ptr<AdmissionPlugin> plugin_ = cluster_.Make(MakeLimitRanger);
};

TEST_F(LimitRangerWriteTest, ContainersGetWhatTheyLackAndAnAnnotationSaysSo) {
  cluster_.Put("limitranges", "r",
               RangeOf(R"({"type":"Container","default":{"cpu":"2","memory":"2Gi"},
                           "defaultRequest":{"cpu":"1","memory":"1Gi"}})"));
  const TestOutcome outcome = cluster_.Write(
      *plugin_,
      {.resource = "pods", .name = "p", .object = R"({"spec":{"initContainers":[{"name":"i"}],
                     "containers":[{"name":"c","resources":{"limits":{"cpu":"3"}}}]}})"});
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(
      cluster_.Stored("pods", "p", {"metadata", "annotations"}),
      R"({"kubernetes.io/limit-ranger":"LimitRanger plugin set: cpu, memory request for )"
      R"(container c; memory limit for container c; cpu, memory request for init container i; )"
      R"(cpu, memory limit for init container i"})");
  EXPECT_NE(outcome.object.find(R"("resources":{"limits":{"cpu":"3","memory":"2Gi"},)"
                                R"("requests":{"cpu":"1","memory":"1Gi"}})"),
            std::string::npos)
      << outcome.object;
}

TEST_F(LimitRangerWriteTest, ClaimsKeepToTheirBounds) {
  cluster_.Put("limitranges", "r",
               RangeOf(R"({"type":"PersistentVolumeClaim","min":{"storage":"1Gi"},
                           "max":{"storage":"5Gi"}})"));
  const auto create = [&](const std::string& name, const std::string& storage) {
    return cluster_
        .Write(*plugin_, {.resource = "persistentvolumeclaims",
                          .name = name,
                          .object = R"({"spec":{"resources":{"requests":{)" + storage + "}}}}"})
        .error;
  };
  EXPECT_EQ(create("a", R"("storage":"1Gi")"), "");
  EXPECT_EQ(create("b", R"("storage":"6Gi")"),
            "persistentvolumeclaims \"b\" is forbidden: maximum storage usage per "
            "PersistentVolumeClaim is 5Gi, but request is 6Gi");
  EXPECT_EQ(create("c", ""),
            "persistentvolumeclaims \"c\" is forbidden: [minimum storage usage per "
            "PersistentVolumeClaim is 1Gi.  No request is specified, maximum storage usage per "
            "PersistentVolumeClaim is 5Gi.  No request is specified]");
}

TEST_F(LimitRangerWriteTest, OfUpdatesOnlyResizesAreChecked) {
  cluster_.Put("pods", "p", PodOf(R"("cpu":"1")", ""));
  cluster_.Put("limitranges", "r", RangeOf(R"({"type":"Container","min":{"cpu":"2"}})"));
  TestWrite write{
      .resource = "pods", .name = "p", .object = PodOf(R"("cpu":"1500m")", ""), .update = true};
  EXPECT_EQ(cluster_.Write(*plugin_, write).error, "");
  write.subresource = "status";
  EXPECT_EQ(cluster_.Write(*plugin_, write).error, "");
  write.subresource = "resize";
  EXPECT_EQ(cluster_.Write(*plugin_, write).error,
            "pods \"p\" is forbidden: minimum cpu usage per Container is 2, but request is 1500m");
}

TEST_F(LimitRangerWriteTest, WhatIsGoingIsLeftAlone) {
  cluster_.Put("persistentvolumeclaims", "c",
               R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}})");
  cluster_.Put("limitranges", "r",
               RangeOf(R"({"type":"PersistentVolumeClaim","min":{"storage":"1Gi"}})"));
  EXPECT_EQ(
      cluster_
          .Write(
              *plugin_,
              {.resource = "persistentvolumeclaims", .name = "c", .object = "{}", .update = true})
          .error,
      "");
}

}  // namespace
}  // namespace skiff::apiserver
