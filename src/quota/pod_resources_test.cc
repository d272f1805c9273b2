#include "quota/pod_resources.h"

#include <string>

#include <gtest/gtest.h>

#include "object/json/decode.h"

namespace skiff::quota {
namespace {

namespace core = views::core_v1;

std::string Sum(const std::string& pod_json, bool limits, const PodResourceOptions& options = {}) {
  const Result<object::Document> document = object::DecodeJson(pod_json, core::Pod::Type());
  EXPECT_TRUE(document) << document.error().ToString();
  const core::Pod pod(*document);
  return Describe(limits ? PodLimits(pod, options) : PodRequests(pod, options));
}

std::string Container(const std::string& name, const std::string& cpu,
                      const std::string& more = {}) {
  return R"({"name":")" + name + R"(","resources":{"requests":{"cpu":")" + cpu +
         R"("},"limits":{"cpu":")" + cpu + R"("}})" + more + "}";
}

constexpr PodResourceOptions kAll{
    .with_status = true, .with_overhead = true, .pod_level_hugepages = true};

TEST(PodResourcesTest, ContainersAddUpAndTheGreediestInitContainerCounts) {
  const std::string pod = R"({"spec":{"initContainers":[)" + Container("i", "5") + "," +
                          Container("j", "1") + R"(],"containers":[)" + Container("a", "2") + "," +
                          Container("b", "1") + "]}}";
  EXPECT_EQ(Sum(pod, false), "cpu=5");
  EXPECT_EQ(Sum(pod, true), "cpu=5");
}

TEST(PodResourcesTest, SidecarsRunBesideWhatComesAfterThem) {
  const std::string always = R"(,"restartPolicy":"Always")";
  const std::string pod = R"({"spec":{"initContainers":[)" + Container("first", "3") + "," +
                          Container("side", "1", always) + "," + Container("later", "3") +
                          R"(],"containers":[)" + Container("a", "2") + "]}}";
  EXPECT_EQ(Sum(pod, false), "cpu=4");
}

TEST(PodResourcesTest, ThePodsOwnResourcesTakeThePlaceOfTheSum) {
  const std::string pod =
      R"({"spec":{"resources":{"requests":{"cpu":"10","hugepages-2Mi":"2Mi","other":"1"}},
          "containers":[)" +
      Container("a", "2") + "]}}";
  EXPECT_EQ(Sum(pod, false), "cpu=10");
  EXPECT_EQ(Sum(pod, false, kAll), "cpu=10,hugepages-2Mi=2Mi");
  EXPECT_EQ(Sum(pod, true, kAll), "cpu=2");
}

TEST(PodResourcesTest, OverheadIsAddedToLimitsThatThereAre) {
  const std::string pod = R"({"spec":{"overhead":{"cpu":"1","memory":"1Mi"},"containers":[)" +
                          Container("a", "2") + "]}}";
  EXPECT_EQ(Sum(pod, false), "cpu=2");
  EXPECT_EQ(Sum(pod, false, kAll), "cpu=3,memory=1Mi");
  EXPECT_EQ(Sum(pod, true, kAll), "cpu=3");
}

TEST(PodResourcesTest, AContainerThatIsResizedCountsTheGreater) {
  const std::string status = R"("containerStatuses":[{"name":"a",
      "allocatedResources":{"cpu":"3"},
      "resources":{"requests":{"cpu":"1"},"limits":{"cpu":"4"}}}])";
  const std::string spec = R"({"spec":{"containers":[)" + Container("a", "2") + "]},";
  const std::string pod = spec + R"("status":{)" + status + "}}";
  EXPECT_EQ(Sum(pod, false), "cpu=2");
  EXPECT_EQ(Sum(pod, false, kAll), "cpu=3");
  EXPECT_EQ(Sum(pod, true, kAll), "cpu=4");
  const std::string big = R"({"spec":{"containers":[)" + Container("a", "9") +
                          R"(]},"status":{"conditions":[{"type":"PodResizePending",
                             "reason":"Infeasible"}],)" +
                          status + "}}";
  EXPECT_EQ(Sum(big, false, kAll), "cpu=3");
  EXPECT_EQ(Sum(big, true, kAll), "cpu=4");
}

}  // namespace
}  // namespace skiff::quota
