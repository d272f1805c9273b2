// AdmissionReview, as webhooks get it and as they answer it: versions v1 and v1beta1 of
// admission.k8s.io.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rest/admission.h"
#include "apiserver/webhook/webhook_target.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "object/resource.h"
#include "object/value.h"

namespace skiff::apiserver {

enum class ReviewVersion : uint8_t { kNone, kV1, kV1beta1 };

// A resource in one of its versions, with the kind that its objects have for clients.
struct ReviewedResource {
  const object::ResourceDesc* resource;
  const object::MessageDesc* kind;
};

// What a review is about, besides what the request says. Null objects: there are none.
struct ReviewedObjects {
  ReviewedResource as;     // what the webhook is told that it is
  ReviewedResource asked;  // what the request is for
  const object::Document* object = nullptr;
  const object::Document* old = nullptr;
};

// The JSON of the review.
SharedBytes WriteReview(ReviewVersion version, std::string_view uid,
                        const AdmissionRequest& request, const ReviewedObjects& objects);

// What a webhook said.
struct ReviewAnswer {
  bool allowed = false;
  object::Document document;              // that holds what follows
  const object::Value* status = nullptr;  // of a refusal; may be null
  std::string patch;                      // JSON
  std::map<std::string, std::string> audit_annotations;
  std::vector<std::string> warnings;
};

// Of a reply with a code of success. An error is why the call of the webhook came to nothing.
Result<ReviewAnswer> ReadReview(ReviewVersion version, std::string_view uid, bool mutates,
                                const WebhookReply& reply);

// The refusal that a client gets to hear.
Status RefusalOf(std::string_view webhook, const object::Value* status);

}  // namespace skiff::apiserver
