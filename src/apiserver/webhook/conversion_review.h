// ConversionReview: objects of a custom resource that a webhook makes into another version; both
// versions of the review, v1 and v1beta1 of apiextensions.k8s.io.
//
// A webhook may change what it likes but not what the object is: its kind, name, namespace and uid
// stay, and of its metadata only labels and annotations are taken from the answer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/webhook/webhook_target.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {

// The webhook of one definition. Immutable.
struct ConversionWebhook {
  std::shared_ptr<const WebhookTarget> target;
  // conversionReviewVersions, in their order; of those that are not known nothing comes.
  std::vector<std::string> review_versions;
};
// Of `spec.conversion` of a definition.
ConversionWebhook ReadConversionWebhook(const object::Value& conversion);

// The JSON of a review of the first version that is known; fails when there is none. Objects are
// those that are in another version than `desired`.
Result<SharedBytes> WriteConversionReview(const ConversionWebhook& webhook, std::string_view uid,
                                          std::string_view desired,
                                          std::span<const object::Document* const> objects);

// What a review came to, for metrics.
enum class ConversionEnd : uint8_t {
  kConverted,
  kCallFailed,      // there is no answer, or none that is a review
  kMalformed,       // the answer is a failure, or to another request
  kOthers,          // more objects came back, or fewer
  kInvalidObjects,  // they are not what was sent
};

// The converted objects, untyped and in the order of those that were sent, with the metadata of
// those but for labels and annotations. Errors are what follows "conversion webhook for KIND ", and
// `end` tells what sort they are of.
Result<std::vector<object::Document>> ReadConversionReview(
    const ConversionWebhook& webhook, std::string_view uid, std::string_view desired,
    std::span<const object::Document* const> sent, const WebhookReply& reply, ConversionEnd& end);

}  // namespace skiff::apiserver
