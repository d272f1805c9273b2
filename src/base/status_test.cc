#include "base/status.h"

#include <string>

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff {
namespace {

TEST(StatusTest, ReasonsHaveKubernetesNamesAndCodes) {
  const struct {
    StatusReason reason;
    const char* name;
    int code;
  } kCases[] = {
      {StatusReason::kUnknown, "", 500},
      {StatusReason::kBadRequest, "BadRequest", 400},
      {StatusReason::kUnauthorized, "Unauthorized", 401},
      {StatusReason::kForbidden, "Forbidden", 403},
      {StatusReason::kNotFound, "NotFound", 404},
      {StatusReason::kAlreadyExists, "AlreadyExists", 409},
      {StatusReason::kConflict, "Conflict", 409},
      {StatusReason::kGone, "Gone", 410},
      {StatusReason::kExpired, "Expired", 410},
      {StatusReason::kInvalid, "Invalid", 422},
      {StatusReason::kRequestEntityTooLarge, "RequestEntityTooLarge", 413},
      {StatusReason::kUnsupportedMediaType, "UnsupportedMediaType", 415},
      {StatusReason::kNotAcceptable, "NotAcceptable", 406},
      {StatusReason::kMethodNotAllowed, "MethodNotAllowed", 405},
      {StatusReason::kServerTimeout, "ServerTimeout", 500},
      {StatusReason::kTimeout, "Timeout", 504},
      {StatusReason::kTooManyRequests, "TooManyRequests", 429},
      {StatusReason::kServiceUnavailable, "ServiceUnavailable", 503},
      {StatusReason::kStoreReadError, "StorageReadError", 500},
      {StatusReason::kInternalError, "InternalError", 500},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(StatusReasonName(c.reason), c.name);
    EXPECT_EQ(StatusReasonCode(c.reason), c.code) << c.name;
    EXPECT_EQ(Status(c.reason, "").code(), c.code) << c.name;
  }
}

TEST(StatusTest, ACopyIsIndependent) {
  Status original(StatusReason::kInvalid, "first");
  original.AddCause({"FieldValueInvalid", "why", "spec.replicas"}).SetPosition({3, 7});
  Status copy = original;
  copy.SetMessage("second").AddCause({"FieldValueRequired", "what", "spec.selector"});
  EXPECT_EQ(original.message(), "first");
  EXPECT_EQ(original.causes().size(), 1u);
  EXPECT_EQ(copy.reason(), StatusReason::kInvalid);
  EXPECT_EQ(copy.causes().size(), 2u);
  EXPECT_EQ(copy.position().line, 3u);

  Status assigned(StatusReason::kGone, "");
  assigned = copy;
  assigned = *&assigned;
  EXPECT_EQ(assigned.message(), "second");
  EXPECT_EQ(assigned.field(), "spec.replicas");
}

TEST(StatusTest, TextNamesPositionAndField) {
  Status status(StatusReason::kBadRequest, "expected an integer");
  EXPECT_EQ(status.ToString(), "expected an integer");
  status.AddCause({"FieldValueInvalid", "expected an integer", "spec.replicas"});
  EXPECT_EQ(status.ToString(), "spec.replicas: expected an integer");
  status.SetPosition({3, 7});
  EXPECT_EQ(status.ToString(), "line 3, column 7: spec.replicas: expected an integer");
}

TEST(StatusTest, BadFieldIsABadRequestWithOneCause) {
  const Result<int> result = BadField("metadata.name", "is required");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().reason(), StatusReason::kBadRequest);
  EXPECT_EQ(result.error().field(), "metadata.name");
  ASSERT_EQ(result.error().causes().size(), 1u);
  EXPECT_EQ(result.error().causes()[0].message, "is required");
}

Result<int> Half(int n) {
  if (n % 2 != 0) return BadRequest("odd");
  return n / 2;
}

Result<int> Quarter(int n) {
  SKIFF_ASSIGN_OR_RETURN(const int half, Half(n));
  SKIFF_RETURN_IF_ERROR(Half(half));
  return half / 2;
}

TEST(StatusTest, MacrosPassValuesOnAndErrorsUp) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(7).error().message(), "odd");
  EXPECT_EQ(Quarter(6).error().message(), "odd");
}

TEST(StatusTest, IsNeverMuchLongerThanItsBounds) {
  Status status(StatusReason::kInvalid, std::string(1'000'000, 'm'));
  EXPECT_LT(status.message().size(), limits::kMaxStatusMessageBytes + 100);
  EXPECT_TRUE(status.message().ends_with("(cut at 65536 bytes)"));
  status.SetMessage(std::string(1'000'000, 'm'));
  EXPECT_LT(status.message().size(), limits::kMaxStatusMessageBytes + 100);
  for (int i = 0; i < 1000; ++i) {
    status.AddCause({"FieldValueInvalid", std::string(100'000, 'm'), std::string(100'000, 'f')});
  }
  EXPECT_EQ(status.causes().size(), limits::kMaxStatusCauses);
  EXPECT_LT(status.causes()[0].message.size(), limits::kMaxCauseMessageBytes + 100);
  EXPECT_LT(status.causes()[0].field.size(), limits::kMaxCauseFieldBytes + 100);
  status.SetSubject({std::string(100'000, 'n'), "g", "k", "u"});
  EXPECT_LT(status.subject()->name.size(), limits::kMaxCauseFieldBytes + 100);
}

}  // namespace
}  // namespace skiff
