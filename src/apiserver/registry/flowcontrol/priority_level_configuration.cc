#include "apiserver/registry/flowcontrol/priority_level_configuration.h"

#include <cmath>
#include <string>

#include "apiserver/registry/flowcontrol/mandatory.h"
#include "apiserver/registry/flowcontrol/status_conditions.h"
#include "apiserver/validation/common.h"
#include "views/flowcontrol.apiserver.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace flow = views::flowcontrol_apiserver_k8s_io_v1;

constexpr int32_t kMaxQueues = 10'000'000;
// A request's hand of queues is dealt from this many bits of a hash.
constexpr double kMaxHashBits = 60;
// An annotation of a version that is no longer served.
constexpr std::string_view kPreserveZeroShares =
    "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

void ValidateQueuing(const flow::QueuingConfiguration& queuing, FieldErrors& errors) {
  const auto at = errors.At("queuing");
  const int32_t queues = queuing.queues();
  const int32_t hand = queuing.hand_size();
  if (queuing.queue_length_limit() <= 0) {
    errors.Invalid("queueLengthLimit", queuing.queue_length_limit(), "must be positive");
  }
  if (queues <= 0) {
    errors.Invalid("queues", queues, "must be positive");
  } else if (queues > kMaxQueues) {
    errors.Invalid("queues", queues, "must not be greater than 10000000");
  }
  if (hand <= 0) {
    errors.Invalid("handSize", hand, "must be positive");
  } else if (hand > queues) {
    errors.Invalid("handSize", hand,
                   "should not be greater than queues (" + std::to_string(queues) + ")");
  } else if (std::ceil(std::log2(static_cast<double>(queues)) * hand) > kMaxHashBits) {
    errors.Invalid("handSize", hand,
                   "required entropy bits of deckSize " + std::to_string(queues) +
                       " and handSize " + std::to_string(hand) + " should not be greater than 60");
  }
}

void ValidateLimitResponse(const flow::LimitResponse& response, FieldErrors& errors) {
  const auto at = errors.At("limitResponse");
  if (response.type() == "Reject") {
    if (response.has_queuing()) {
      errors.Forbidden("queuing", "must be nil if limited.limitResponse.type is not Limited");
    }
  } else if (response.type() == "Queue") {
    if (!response.has_queuing()) {
      errors.Required("queuing", "must not be empty if limited.limitResponse.type is Limited");
    } else {
      ValidateQueuing(response.queuing(), errors);
    }
  } else if (response.type().empty()) {
    errors.Required("type");
  } else {
    errors.NotSupported("type", response.type(), {"Queue", "Reject"});
  }
}

void ValidateLendable(std::optional<int32_t> percent, FieldErrors& errors) {
  if (!percent || (*percent >= 0 && *percent <= 100)) return;
  errors.Invalid("lendablePercent", *percent, "must be between 0 and 100, inclusive");
}

void ValidateShares(std::optional<int32_t> shares, FieldErrors& errors) {
  if (shares.value_or(0) >= 0) return;
  errors.Invalid("nominalConcurrencyShares", *shares, "must be a non-negative integer");
}

void ValidateLimited(const flow::LimitedPriorityLevelConfiguration& limited, FieldErrors& errors) {
  const auto at = errors.At("limited");
  ValidateShares(limited.nominal_concurrency_shares(), errors);
  ValidateLimitResponse(limited.limit_response(), errors);
  ValidateLendable(limited.lendable_percent(), errors);
  if (const auto borrowing = limited.borrowing_limit_percent(); borrowing && *borrowing < 0) {
    errors.Invalid("borrowingLimitPercent", *borrowing,
                   "if specified, must be a non-negative integer");
  }
}

void ValidateSpec(const flow::PriorityLevelConfigurationSpec& spec, std::string_view name,
                  FieldErrors& errors) {
  const auto at = errors.At("spec");
  const std::string_view type = spec.type();
  if ((name == kExemptName) != (type == "Exempt")) {
    errors.Invalid("type", type, "must be 'Exempt' if and only if `name` is 'exempt'");
  }
  if (type == "Exempt") {
    if (spec.has_limited()) {
      errors.Forbidden("limited", "must be nil if the type is not Limited");
    }
    const auto in_exempt = errors.At("exempt");
    ValidateShares(spec.exempt().nominal_concurrency_shares(), errors);
    ValidateLendable(spec.exempt().lendable_percent(), errors);
  } else if (type == "Limited") {
    if (spec.has_exempt()) errors.Forbidden("exempt", "must be nil if the type is Limited");
    if (!spec.has_limited()) {
      errors.Required("limited", "must not be empty when type is Limited");
    } else {
      ValidateLimited(spec.limited(), errors);
    }
  } else if (type.empty()) {
    errors.Required("type");
  } else {
    errors.NotSupported("type", type, {"Exempt", "Limited"});
  }
}

void ValidateCreate(const object::Document& object, FieldErrors& errors) {
  const flow::PriorityLevelConfiguration level(object);
  if (level.metadata().annotations().Contains(kPreserveZeroShares)) {
    errors.Forbidden("metadata.annotations",
                     "annotation '" + std::string(kPreserveZeroShares) + "' is forbidden");
  }
  ValidateSpec(level.spec(), level.metadata().name(), errors);
  ValidateMandatoryPriorityLevel(object, errors);
  ValidateStatusConditions(object, errors);
}

void ValidateUpdate(const object::Document& object, const object::Document&, FieldErrors& errors) {
  ValidateCreate(object, errors);
}

void ValidateStatus(const object::Document& object, const object::Document&, FieldErrors& errors) {
  ValidateStatusConditions(object, errors);
}

}  // namespace

const KindRules kPriorityLevelConfigurationRules = {.group = "flowcontrol.apiserver.k8s.io",
                                                    .kind = "PriorityLevelConfiguration",
                                                    .create = ValidateCreate,
                                                    .update = ValidateUpdate,
                                                    .status = ValidateStatus};

}  // namespace skiff::apiserver
