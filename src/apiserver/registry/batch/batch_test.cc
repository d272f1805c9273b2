#include <gtest/gtest.h>

#include "apiserver/registry/batch/completion_indexes.h"
#include "apiserver/registry/batch/cron_schedule.h"
#include "apiserver/registry/rules_testing.h"

namespace skiff::apiserver {
namespace {

using testing::RulesTester;

#define POD_SPEC                                                                 \
  R"("spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 30,)"   \
  R"("dnsPolicy": "ClusterFirst", "securityContext": {}, "schedulerName": "s",)" \
  R"("containers": [{"name": "c", "image": "i", "imagePullPolicy": "Always",)"   \
  R"("terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}]})"

const RulesTester& Job() {
  static const RulesTester tester(
      "batch/v1", "Job",
      R"({"metadata": {"name": "j", "uid": "u"}, "spec": {"parallelism": 1, "completions": 1,
      "completionMode": "NonIndexed", "suspend": false, "selector": {"matchLabels":
      {"batch.kubernetes.io/controller-uid": "u"}}, "template": {"metadata": {"labels":
      {"controller-uid": "u", "job-name": "j", "batch.kubernetes.io/controller-uid": "u",
      "batch.kubernetes.io/job-name": "j"}}, )" POD_SPEC "}}}");
  return tester;
}

constexpr std::string_view kIndexed = "spec.completionMode=Indexed & spec.completions=5";

std::string Indexed(std::string_view edits) {
  return std::string(kIndexed) + " & " + std::string(edits);
}

TEST(JobRulesTest, AmountsAreNotNegative) {
  for (const std::string field : {"parallelism", "completions", "activeDeadlineSeconds",
                                  "backoffLimit", "ttlSecondsAfterFinished"}) {
    EXPECT_EQ(Job().New("spec." + field + "=-1"), "spec." + field + " Invalid");
  }
}

TEST(JobRulesTest, ASelectorIsMadeForTheJob) {
  Job().ExpectNew({
      {"spec.selector=", "spec.selector Required; spec.template.metadata.labels Invalid"},
      {"spec.template.metadata.labels.job-name=x",
       "spec.template.metadata.labels[job-name] Invalid"},
      {"spec.template.metadata.labels.controller-uid=",
       "spec.template.metadata.labels[controller-uid] Required"},
      {"spec.selector.matchLabels={\"a\": \"b\"} & spec.template.metadata.labels.a=b",
       "spec.selector Invalid"},
      {"spec.selector.matchLabels={\"a\": \"b\"} & spec.template.metadata.labels.a=b & "
       "spec.manualSelector=true",
       ""},
  });
}

TEST(JobRulesTest, WhatIsCountedPerIndexNeedsIndexes) {
  Job().ExpectNew({
      {"spec.completionMode=X", "spec.completionMode NotSupported"},
      {"spec.completionMode=Indexed & spec.completions=", "spec.completions Required"},
      {"spec.backoffLimitPerIndex=1", "spec.backoffLimitPerIndex Invalid"},
      {"spec.maxFailedIndexes=1",
       "spec.backoffLimitPerIndex Required; spec.maxFailedIndexes Invalid"},
      {Indexed("spec.backoffLimitPerIndex=1 & spec.maxFailedIndexes=6"),
       "spec.maxFailedIndexes Invalid"},
      {Indexed("spec.parallelism=100001"), "spec.parallelism Invalid"},
      {Indexed("spec.completions=200000 & spec.backoffLimitPerIndex=1"),
       "spec.maxFailedIndexes Required"},
      {Indexed("spec.completions=200000 & spec.backoffLimitPerIndex=1 & "
               "spec.maxFailedIndexes=10001 & spec.parallelism=10001"),
       "spec.parallelism Invalid; spec.maxFailedIndexes Invalid"},
      {Indexed("metadata.name=a.b & spec.template.metadata.labels.job-name=a.b & "
               "spec.template.metadata.labels['batch.kubernetes.io/job-name']=a.b"),
       "metadata.name Invalid"},
      {kIndexed, ""},
  });
}

TEST(JobRulesTest, AManagerIsNamedByAPathOfItsDomain) {
  EXPECT_EQ(Job().New("spec.managedBy=nobody"), "spec.managedBy Invalid");
  EXPECT_EQ(Job().New("spec.managedBy=example.com/" + std::string(60, 'x')),
            "spec.managedBy TooLong");
  EXPECT_EQ(Job().New("spec.managedBy=example.com/me"), "");
}

TEST(JobRulesTest, FailuresOfPodsHaveRules) {
  const auto rule = [](std::string_view json) {
    return Job().New("spec.podFailurePolicy.rules=[" + std::string(json) + "]");
  };
  const std::string at = "spec.podFailurePolicy.rules[0]";
  EXPECT_EQ(rule(R"({"action":"Ignore","onPodConditions":[{"type":"T","status":"True"}]})"), "");
  EXPECT_EQ(rule(R"({"onPodConditions":[{"type":"T","status":"True"}]})"), at + ".action Required");
  EXPECT_EQ(rule(R"({"action":"X","onPodConditions":[{"type":"T","status":"True"}]})"),
            at + ".action NotSupported");
  EXPECT_EQ(rule(R"({"action":"FailIndex","onPodConditions":[{"type":"T","status":"True"}]})"),
            at + ".action Invalid");
  EXPECT_EQ(rule(R"({"action":"Count"})"), at + " Invalid");
  EXPECT_EQ(rule(R"({"action":"Count","onPodConditions":[{"type":"","status":"X"}]})"),
            at + ".onPodConditions[0].type Invalid; " + at + ".onPodConditions[0].type Invalid; " +
                at + ".onPodConditions[0].status NotSupported");
  const auto codes = [&](std::string_view json) {
    return rule(R"({"action":"FailJob","onExitCodes":)" + std::string(json) + "}");
  };
  EXPECT_EQ(codes(R"({"operator":"In","values":[1,2]})"), "");
  EXPECT_EQ(codes(R"({"operator":"In","values":[0]})"), at + ".onExitCodes.values[0] Invalid");
  EXPECT_EQ(codes(R"({"operator":"NotIn","values":[2,1,1]})"),
            at + ".onExitCodes.values[2] Duplicate; " + at + ".onExitCodes.values Invalid");
  EXPECT_EQ(codes(R"({"operator":"X","values":[],"containerName":"z"})"),
            at + ".onExitCodes.operator NotSupported; " + at +
                ".onExitCodes.containerName Invalid; " + at + ".onExitCodes.values Invalid");
  EXPECT_EQ(Job().New("spec.podFailurePolicy.rules=[] & spec.template.spec.restartPolicy="
                      "OnFailure"),
            "spec.template.spec.restartPolicy Invalid");
  EXPECT_EQ(Job().New("spec.podFailurePolicy.rules=[] & spec.podReplacementPolicy="
                      "TerminatingOrFailed"),
            "spec.podReplacementPolicy NotSupported");
}

TEST(JobRulesTest, SuccessNeedsIndexesOrACount) {
  const auto rule = [](std::string_view json) {
    return Job().New(Indexed("spec.successPolicy.rules=" + std::string(json)));
  };
  const std::string at = "spec.successPolicy.rules[0]";
  EXPECT_EQ(rule(R"([{"succeededIndexes":"0-2,4","succeededCount":2}])"), "");
  EXPECT_EQ(Job().New("spec.successPolicy.rules=[]"), "spec.successPolicy Invalid");
  EXPECT_EQ(rule("[]"), "spec.successPolicy.rules Required");
  EXPECT_EQ(rule("[{}]"), at + " Required");
  EXPECT_EQ(rule(R"([{"succeededIndexes":"4-2"}])"), at + ".succeededIndexes Invalid");
  EXPECT_EQ(rule(R"([{"succeededCount":-1}])"), at + ".succeededCount Invalid");
  EXPECT_EQ(rule(R"([{"succeededCount":6}])"), at + ".succeededCount Invalid");
  EXPECT_EQ(rule(R"([{"succeededIndexes":"0","succeededCount":2}])"),
            at + ".succeededCount Invalid");
}

TEST(JobRulesTest, PodsOfAJobEnd) {
  Job().ExpectNew({
      {"spec.template.spec.restartPolicy=Always", "spec.template.spec.restartPolicy Required"},
      {"spec.podReplacementPolicy=X", "spec.podReplacementPolicy NotSupported"},
      {"spec.template.spec.restartPolicy=OnFailure", ""},
  });
}

TEST(JobRulesTest, WhatAJobIsStaysAsItIs) {
  Job().ExpectChanged({
      {"", "spec.parallelism=4 & spec.suspend=true", ""},
      {"", "spec.completions=2", "spec.completions Invalid"},
      {kIndexed, "spec.completions=6", "spec.completions Invalid"},
      {kIndexed, "spec.completions=6 & spec.parallelism=6", ""},
      {"", "spec.completionMode=Indexed", "spec.completionMode Invalid"},
      {"", "spec.managedBy=example.com/m", "spec.managedBy Invalid"},
      {"", "spec.podFailurePolicy.rules=[]", "spec.podFailurePolicy Invalid"},
      {"", "spec.template.spec.nodeSelector.a=b", "spec.template Invalid"},
      {"spec.suspend=true",
       "spec.template.spec.nodeSelector.a=b & "
       "spec.template.metadata.annotations.x=y",
       ""},
      {"spec.suspend=true",
       "spec.template.spec.containers[0].resources.requests.cpu=\"1\" & "
       "spec.template.spec.affinity.nodeAffinity={}",
       ""},
      {"spec.suspend=true", "spec.template.spec.containers[0].image=j",
       "spec.template.spec Invalid"},
      {"spec.suspend=true & status.active=1", "spec.template.spec.nodeSelector.a=b",
       "spec.template Invalid"},
      // Kubernetes looks twice.
      {"", "spec.backoffLimit=-1", "spec.backoffLimit Invalid; spec.backoffLimit Invalid"},
  });
}

TEST(JobRulesTest, WhatMayChangeOfASuspendedJobDependsOnGates) {
  const std::string stopped =
      "spec.suspend=true & status.startTime=\"2024-01-01T00:00:00Z\" & "
      "status.conditions=[{\"type\":\"Suspended\",\"status\":\"True\"}]";
  const std::string placed = "spec.template.spec.nodeSelector.a=b";
  const std::string sized = "spec.template.spec.containers[0].resources.requests.cpu=\"1\"";
  Job().ExpectChanged({{stopped, placed, ""}, {stopped, sized, ""}});
  Job()
      .With({{"MutableSchedulingDirectivesForSuspendedJobs", false}})
      .ExpectChanged({{stopped, placed, "spec.template.spec Invalid"},
                      {"spec.suspend=true", placed, ""},
                      {stopped, sized, ""}});
  Job()
      .With({{"MutablePodResourcesForSuspendedJobs", false}})
      .ExpectChanged({{stopped, placed, ""}, {stopped, sized, "spec.template.spec Invalid"}});
}

#define CONDITION(type) R"({"type":")" type R"(","status":"True"})"
#define DONE \
  "status.conditions=[" CONDITION("SuccessCriteriaMet") "," CONDITION("Complete") "] & " \
  "status.startTime=\"2024-01-01T00:00:00Z\" & status.completionTime=\"2024-01-01T00:00:01Z\""

TEST(JobRulesTest, AStatusAgreesWithItself) {
  Job().ExpectChanged(
      {{"", DONE, ""},
       {"", "status.active=-1", "status.active Invalid"},
       {"", "status.ready=1", "status.ready Invalid"},
       {"", "status.active=1 & status.ready=1", ""},
       {"", "status.uncountedTerminatedPods={\"succeeded\":[\"a\"],\"failed\":[\"a\",\"\"]}",
        "status.uncountedTerminatedPods.failed[0] Duplicate; "
        "status.uncountedTerminatedPods.failed[1] Invalid"},
       {"", DONE " & status.active=1", "status.active Invalid"},
       {"", DONE " & status.terminating=1", "status.terminating Invalid"},
       {"", DONE " & status.startTime=", "status.startTime Required"},
       {"", DONE " & status.completionTime=", "status.completionTime Required"},
       {"", DONE " & status.uncountedTerminatedPods.failed=[\"a\"]",
        "status.uncountedTerminatedPods Invalid"},
       {"", DONE " & status.startTime=\"2024-01-01T00:00:02Z\"", "status.completionTime Invalid"},
       {"", "status.completionTime=\"2024-01-01T00:00:02Z\"", "status.completionTime Invalid"},
       {"",
        "status.conditions=[" CONDITION("Failed") "] & "
                                                  "status.startTime=\"2024-01-01T00:00:00Z\"",
        "status.conditions Invalid"},
       {"", "status.completedIndexes=\"0\"", "status.completedIndexes Invalid"},
       {"", "status.failedIndexes=''", "status.failedIndexes Invalid"},
       {Indexed("spec.backoffLimitPerIndex=1"),
        "status.completedIndexes=0-2 & status.failedIndexes=\"2\"", "status.failedIndexes Invalid"},
       {Indexed("spec.backoffLimitPerIndex=1"),
        "status.completedIndexes=0-2 & status.failedIndexes=\"3\"", ""},
       {kIndexed, "status.completedIndexes=9-1", "status.completedIndexes Invalid"}},
      "status");
}

TEST(JobRulesTest, AStatusOnlyGoesForward) {
  Job().ExpectChanged(
      {{"status.failed=2", "status.failed=1", "status.failed Invalid"},
       {"status.succeeded=2", "status.succeeded=1", "status.succeeded Invalid"},
       {DONE, "status.completionTime=\"2024-01-01T00:00:05Z\"", "status.completionTime Invalid"},
       {"status.startTime=\"2024-01-01T00:00:00Z\"",
        "status.startTime=", "status.startTime Invalid"},
       {"status.startTime=\"2024-01-01T00:00:00Z\" & spec.suspend=true", "status.startTime=", ""},
       {"status.conditions=[" CONDITION("FailureTarget") "]",
        "status.conditions=", "status.conditions Invalid"},
       {"status.conditions=[" CONDITION("SuccessCriteriaMet") "]",
        "status.conditions=", "status.conditions Invalid"}},
      "status");
}

TEST(JobRulesTest, ANameThatIsNoLabelIsWarnedAbout) {
  EXPECT_TRUE(Job().Warnings("").empty());
  EXPECT_EQ(Job().Warnings("metadata.name=a.b").size(), 1u);
  EXPECT_EQ(Job().Warnings(Indexed("spec.completions=100001 & spec.parallelism=10001")).size(), 1u);
}

const RulesTester& CronJob() {
  static const RulesTester tester("batch/v1", "CronJob",
                                  R"({"metadata": {"name": "c"}, "spec": {"schedule": "*/5 * * * *",
      "concurrencyPolicy": "Allow", "jobTemplate": {"spec": {"template": {)" POD_SPEC "}}}}}");
  return tester;
}

TEST(CronJobRulesTest, ItRunsByAScheduleInAZone) {
  CronJob().ExpectNew({
      {"spec.schedule=", "spec.schedule Required"},
      {"spec.schedule=* * * *", "spec.schedule Invalid"},
      {"spec.schedule=TZ=UTC 0 * * * *", "spec.schedule Invalid"},
      {"spec.startingDeadlineSeconds=-1", "spec.startingDeadlineSeconds Invalid"},
      {"spec.timeZone=''", "spec.timeZone Invalid"},
      {"spec.timeZone=Europe/Nowhere", "spec.timeZone Invalid"},
      {"spec.timeZone=Local", "spec.timeZone Invalid"},
      {"spec.timeZone=../UTC", "spec.timeZone Invalid"},
      {"spec.timeZone=Europe/Zurich", ""},
      {"spec.concurrencyPolicy=", "spec.concurrencyPolicy Required"},
      {"spec.concurrencyPolicy=X", "spec.concurrencyPolicy NotSupported"},
      {"spec.jobTemplate.spec.selector={}", "spec.jobTemplate.spec.selector Invalid"},
      {"spec.jobTemplate.spec.manualSelector=true",
       "spec.jobTemplate.spec.manualSelector NotSupported"},
      {"spec.jobTemplate.spec.template.spec.restartPolicy=Always",
       "spec.jobTemplate.spec.template.spec.restartPolicy Required"},
      {"spec.successfulJobsHistoryLimit=-1", "spec.successfulJobsHistoryLimit Invalid"},
      {"spec.failedJobsHistoryLimit=-1", "spec.failedJobsHistoryLimit Invalid"},
      {"metadata.name=abcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabc",
       "metadata.name Invalid"},
  });
}

TEST(CronJobRulesTest, ZonesThatWereInSchedulesMayStay) {
  CronJob().ExpectChanged({
      {"spec.schedule=TZ=UTC 0 * * * *", "spec.schedule=TZ=UTC 1 * * * *", ""},
      {"spec.schedule=TZ=UTC 0 * * * *", "spec.timeZone=UTC", "spec.schedule Invalid"},
      {"spec.timeZone=Old/Zone", "spec.suspend=true", ""},
  });
}

TEST(CronScheduleTest, FieldsAreListsOfRangesWithSteps) {
  for (const char* good :
       {"* * * * *", "0 0 1 1 0", "*/5 0-12/2 ?  jan-MAR mon,wed", "59 23 31 12 6", "@yearly",
        "@every 1h30m", "CRON_TZ=Europe/Zurich 0 1 * * *", "1,2,,3 * * * *"}) {
    EXPECT_EQ(CheckCronSchedule(good), "") << good;
  }
  for (const char* bad :
       {"", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 7", "5-1 * * * *",
        "*/0 * * * *", "1-2-3 * * * *", "1/2/3 * * * *", "x * * * *", "-1 * * * *", "@never",
        "@every x", "* * * * * *", "TZ=Nowhere * * * * *", "TZ=UTC"}) {
    EXPECT_NE(CheckCronSchedule(bad), "") << bad;
  }
}

TEST(CompletionIndexesTest, TheyAscendAndAreBelowTheNumberOfCompletions) {
  EXPECT_EQ(CountCompletionIndexes("", 5).value(), 0);
  EXPECT_EQ(CountCompletionIndexes("0,2-4", 5).value(), 4);
  for (const char* bad : {"5", "1,1", "3-2", "1-2-3", "a", "2,1", ","}) {
    EXPECT_FALSE(CountCompletionIndexes(bad, 5)) << bad;
  }
  EXPECT_EQ(FirstCommonIndex("0-2,4", "3,4", 5), 4);
  EXPECT_EQ(FirstCommonIndex("0-2", "3", 5), -1);
}

TEST(JobRulesTest, MessagesAreThoseOfKubernetes) {
  EXPECT_EQ(Job().NewMessages("spec.podFailurePolicy={\"rules\": [{\"action\": \"Count\"}]}"),
            "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and "
            "OnPodConditions is required");
  EXPECT_EQ(Job().NewMessages("spec.podFailurePolicy={\"rules\": [{\"onExitCodes\": "
                              "{\"operator\": \"In\", \"values\": [1]}}]}"),
            "spec.podFailurePolicy.rules[0].action: Required value: valid values: "
            "[\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
  EXPECT_EQ(Job().NewMessages("spec.completionMode=Other"),
            "spec.completionMode: Unsupported value: \"Other\": supported values: \"NonIndexed\", "
            "\"Indexed\"");
  constexpr std::string_view kOfThree = "spec.completionMode=Indexed & spec.completions=3";
  const auto indexes = [&](std::string_view text) {
    return Job().NewMessages(std::string(kOfThree) +
                             " & spec.successPolicy={\"rules\": [{\"succeededIndexes\": \"" +
                             std::string(text) + "\"}]}");
  };
  const std::string where = "spec.successPolicy.rules[0].succeededIndexes: Invalid value: ";
  EXPECT_EQ(indexes("0,+1"), "");
  EXPECT_EQ(indexes("1,0"), where +
                                "\"1,0\": error parsing succeededIndexes: non-increasing order, "
                                "previous: 1, current: 0");
  EXPECT_EQ(indexes("a"), where +
                              "\"a\": error parsing succeededIndexes: cannot convert string to "
                              "integer for index: \"a\"");
  EXPECT_EQ(indexes("0-1-2"),
            where +
                "\"0-1-2\": error parsing succeededIndexes: the fragment \"0-1-2\" violates the "
                "requirement that an index interval can have at most two parts separated by "
                "'-'");
}

TEST(JobRulesTest, MessagesOfConditionsShowNoValue) {
  EXPECT_EQ(
      Job().ChangedMessages("",
                            "status.conditions=[{\"type\": \"Failed\", \"status\": \"True\"}] & "
                            "status.startTime=2024-01-01T00:00:00Z",
                            "status"),
      "status.conditions: Invalid value: cannot set Failed=True condition without the "
      "FailureTarget=true condition");
}

TEST(CronJobRulesTest, MessagesAreThoseOfTheParser) {
  const auto message = [](std::string_view schedule) {
    const std::string all = CronJob().NewMessages("spec.schedule=" + std::string(schedule));
    const size_t from = all.find("\": ");
    return from == std::string::npos ? all : all.substr(from + 3);
  };
  EXPECT_EQ(message("60 * * * *"), "end of range (60) above maximum (59): 60");
  EXPECT_EQ(message("* * 0 * *"), "beginning of range (0) below minimum (1): 0");
  EXPECT_EQ(message("5-1 * * * *"), "beginning of range (5) beyond end of range (1): 5-1");
  EXPECT_EQ(message("a * * * *"),
            "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax");
  EXPECT_EQ(message("*/0 * * * *"), "step of range should be a positive number: */0");
  EXPECT_EQ(message("* * *"), "expected exactly 5 fields, found 3: [* * *]");
  EXPECT_EQ(message("@every 1x"),
            "failed to parse duration @every 1x: time: unknown unit \"x\" in duration \"1x\"");
}

}  // namespace
}  // namespace skiff::apiserver
