#include "store/cache/freshness.h"

#include <charconv>
#include <limits>
#include <vector>

#include "base/strings.h"
#include "store/cache/continue_token.h"

namespace skiff::store {
namespace {

constexpr std::string_view kExactName = "Exact";
constexpr std::string_view kNotOlderThanName = "NotOlderThan";
constexpr std::string_view kMatchField = "resourceVersionMatch";

// Collects what is wrong with the options of one request.
class OptionErrors {
 public:
  void Forbid(std::string_view field, std::string_view why) {
    causes_.push_back({.reason = "FieldValueForbidden",
                       .message = "Forbidden: " + std::string(why),
                       .field = std::string(field)});
  }
  void NotSupported(std::string_view field, std::string_view value, std::string_view supported) {
    causes_.push_back({.reason = "FieldValueNotSupported",
                       .message = "Unsupported value: " + Quoted(value) +
                                  ": supported values: " + std::string(supported),
                       .field = std::string(field)});
  }

  Result<void> Finish() {
    if (causes_.empty()) return {};
    std::string all;
    for (const StatusCause& cause : causes_) {
      all += (all.empty() ? "" : ", ") + cause.field + ": " + cause.message;
    }
    if (causes_.size() > 1) all = "[" + all + "]";
    Status status(StatusReason::kInvalid, "ListOptions.meta.k8s.io \"\" is invalid: " + all);
    status.SetSubject({.name = {}, .group = "meta.k8s.io", .kind = "ListOptions", .uid = {}});
    for (StatusCause& cause : causes_) status.AddCause(std::move(cause));
    return std::unexpected(std::move(status));
  }

 private:
  std::vector<StatusCause> causes_;
};

// Zero for "" and "0". What is beyond all revisions stays beyond them.
Result<Revision> ParseResourceVersion(std::string_view text) {
  if (text.empty()) return Revision{};
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool all_digits = end == text.data() + text.size();
  if (!all_digits || error == std::errc::invalid_argument) {
    return BadRequest("invalid resource version: resourceVersion: Invalid value: " + Quoted(text) +
                      ": strconv.ParseUint: parsing " + Quoted(text) + ": invalid syntax");
  }
  constexpr auto kLast = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (error == std::errc::result_out_of_range) {
    return BadRequest("invalid resource version: resourceVersion: Invalid value: " + Quoted(text) +
                      ": strconv.ParseUint: parsing " + Quoted(text) + ": value out of range");
  }
  return Revision{static_cast<int64_t>(std::min(number, kLast))};
}

Freshness NotOlderThan(std::string_view text, Revision revision) {
  if (text.empty()) return {Freshness::Kind::kNewest, {}};
  if (revision == Revision{}) return {Freshness::Kind::kAny, {}};
  return {Freshness::Kind::kNotOlderThan, revision};
}

void CheckListMatch(const ListVersionOptions& options, OptionErrors& errors) {
  if (options.resource_version.empty()) {
    errors.Forbid(kMatchField,
                  "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (!options.continue_token.empty()) {
    errors.Forbid(kMatchField, "resourceVersionMatch is forbidden when continue is provided");
  }
  if (options.match != kExactName && options.match != kNotOlderThanName) {
    errors.NotSupported(kMatchField, options.match, R"("Exact", "NotOlderThan", "")");
  }
  if (options.match == kExactName && options.resource_version == "0") {
    errors.Forbid(kMatchField,
                  "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
  }
}

Result<void> CheckListOptions(const ListVersionOptions& options) {
  OptionErrors errors;
  if (!options.match.empty()) CheckListMatch(options, errors);
  if (options.send_initial_events) {
    errors.Forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
  }
  return errors.Finish();
}

Result<void> CheckWatchOptions(const WatchVersionOptions& options) {
  OptionErrors errors;
  if (options.send_initial_events && options.match != kNotOlderThanName) {
    errors.Forbid(kMatchField,
                  "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (!options.match.empty()) {
    if (!options.send_initial_events) {
      errors.Forbid(
          kMatchField,
          "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    }
    if (options.match != kNotOlderThanName) {
      errors.NotSupported(kMatchField, options.match, R"("NotOlderThan")");
    }
    if (!options.continue_token.empty()) {
      errors.Forbid(kMatchField, "resourceVersionMatch is forbidden when continue is provided");
    }
  }
  return errors.Finish();
}

Result<ListPlan> PlanContinuedList(const ListVersionOptions& options) {
  SKIFF_ASSIGN_OR_RETURN(ContinueToken token, DecodeContinueToken(options.continue_token));
  if (!options.resource_version.empty() && options.resource_version != "0") {
    return BadRequest("specifying resource version is not allowed when using continue");
  }
  ListPlan plan{.limit = options.limit, .continues = true, .start_key = std::move(token.start_key)};
  if (token.revision > 0) plan.freshness = {Freshness::Kind::kExact, Revision{token.revision}};
  return plan;
}

}  // namespace

Result<Freshness> PlanGet(std::string_view resource_version) {
  SKIFF_ASSIGN_OR_RETURN(const Revision revision, ParseResourceVersion(resource_version));
  return NotOlderThan(resource_version, revision);
}

Result<ListPlan> PlanList(const ListVersionOptions& options) {
  SKIFF_RETURN_IF_ERROR(CheckListOptions(options));
  if (!options.continue_token.empty() && !options.single) return PlanContinuedList(options);
  SKIFF_ASSIGN_OR_RETURN(const Revision revision, ParseResourceVersion(options.resource_version));
  ListPlan plan{.freshness = NotOlderThan(options.resource_version, revision),
                .limit = options.single ? 0 : options.limit};
  const bool exact_by_custom = options.match.empty() && plan.limit > 0 &&
                               plan.freshness.kind == Freshness::Kind::kNotOlderThan;
  if (revision > Revision{} && (options.match == kExactName || exact_by_custom)) {
    plan.freshness.kind = Freshness::Kind::kExact;
  }
  if (options.resource_version == "0") plan.limit = 0;
  return plan;
}

Result<WatchPlan> PlanWatch(const WatchVersionOptions& options) {
  SKIFF_RETURN_IF_ERROR(CheckWatchOptions(options));
  SKIFF_ASSIGN_OR_RETURN(const Revision revision, ParseResourceVersion(options.resource_version));
  WatchPlan plan{.freshness = NotOlderThan(options.resource_version, revision)};
  const bool from_revision = plan.freshness.kind == Freshness::Kind::kNotOlderThan;
  plan.initial_state = options.send_initial_events.value_or(!from_revision);
  plan.initial_end =
      plan.initial_state && options.send_initial_events.has_value() && options.allow_bookmarks;
  plan.best_effort = !options.send_initial_events;
  if (!plan.initial_state && from_revision) plan.freshness.kind = Freshness::Kind::kExact;
  return plan;
}

Status TooLargeResourceVersion(Revision wanted, Revision current) {
  Status status(StatusReason::kTimeout,
                "Timeout: Too large resource version: " + std::to_string(wanted.value) +
                    ", current: " + std::to_string(current.value));
  status.AddCause(
      {.reason = "ResourceVersionTooLarge", .message = "Too large resource version", .field = {}});
  status.SetRetryAfterSeconds(1);
  return status;
}

Status TooOldToWatch(Revision wanted, Revision oldest) {
  return Status(StatusReason::kExpired,
                "too old resource version: " + std::to_string(wanted.value) + " (" +
                    std::to_string(oldest.value) + ")");
}

Status WatchExpired() {
  return Status(StatusReason::kExpired, "The resourceVersion for the provided watch is too old.");
}

Status TooOldToList() {
  return Status(StatusReason::kExpired, "The resourceVersion for the provided list is too old.");
}

Status TooOldToContinue(std::string_view start_key) {
  Status status(
      StatusReason::kExpired,
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new list without the continue parameter, or use the continue token in this response "
      "to retrieve the remainder of the results. Continuing with the provided token results in an "
      "inconsistent list - objects that were created, modified, or deleted between the time the "
      "first chunk was returned and now may show up in the list.");
  status.SetContinueToken(EncodeContinueToken(
      {.revision = ContinueToken::kNewest, .start_key = std::string(start_key)}));
  return status;
}

Status CacheNotReady() {
  Status status(StatusReason::kTooManyRequests, "storage is (re)initializing");
  status.SetRetryAfterSeconds(1);
  return status;
}

}  // namespace skiff::store
