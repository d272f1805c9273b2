// The webhook of a definition whose versions it converts (spec.conversion.strategy: Webhook).
//
// Objects that are wanted together go in few calls, each of them bounded; what is being asked for
// already is waited for instead of being asked for again, and what was converted lately is
// remembered (converted_objects.h), so that however many watches there are of a version, each
// change is converted once. Answers are read where the first who wanted them goes on, and calls are
// made by WebhookCaller, so that a webhook which hangs costs its time-out and no thread.
//
// What comes back is made what the schema of its version allows: pruned, not defaulted.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "apiserver/convert/object_converter.h"
#include "apiserver/extensions/conversion_metrics.h"
#include "apiserver/extensions/converted_objects.h"
#include "apiserver/extensions/definition.h"
#include "apiserver/webhook/conversion_review.h"
#include "apiserver/webhook/webhook_caller.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"

namespace skiff::apiserver {

// What the webhooks of all definitions are called with. Outlives them, and their calls.
struct ConversionServices {
  WebhookCaller& caller;
  Clock& clock;
  Random& random;
  ConvertedObjects& converted;
  ConversionMetrics& metrics;
};

// Held by shared_ptr; calls under way keep it. Any thread.
class WebhookConverter final : public ObjectConverter,
                               public std::enable_shared_from_this<WebhookConverter> {
 public:
  WebhookConverter(std::shared_ptr<const CustomDefinition> definition, ConversionServices services);

  void Convert(Objects objects, const object::MessageDesc& to, Memory memory, Post post,
               Done done) override;

 private:
  using Key = ConvertedObjects::Key;
  struct Job;
  // A job that waits for an object, and the place where that goes.
  struct Waiter {
    std::shared_ptr<Job> job;
    size_t place;
  };
  struct Waited {
    Key key;
    size_t place;
  };
  struct Asked {
    Key key;
    SharedBytes object;
  };
  // One call: objects of one version.
  struct Call {
    std::vector<Asked> objects;
    std::vector<object::Document> sent;
    std::string from;  // "example.com/v1"
    const object::MessageDesc* to;
    std::string uid;
    Post post;
    Duration began;
    // "conversion webhook for example.com/v1, Kind=Thing "
    std::string prefix;
  };

  Result<std::shared_ptr<const ConversionWebhook>> Webhook();
  Key KeyOf(const SharedBytes& object, const object::MessageDesc& to) const;
  // As many of them as one call may have, from `next` on.
  Call TakeCall(std::vector<Asked>& objects, size_t& next) const;
  void Ask(Call call);
  void AfterReply(const Call& call, const ConversionWebhook& webhook,
                  const Result<WebhookReply>& reply);
  Result<Objects> ReadReply(const Call& call, const ConversionWebhook& webhook,
                            const Result<WebhookReply>& reply, ConversionEnd& end) const;
  Result<SharedBytes> Finish(const object::Document& converted,
                             const object::MessageDesc& to) const;
  void End(const Call& call, Result<Objects> made);

  const std::shared_ptr<const CustomDefinition> definition_;
  const ConversionServices services_;
  std::mutex mutex_;                                  // guards what follows, and all jobs
  std::shared_ptr<const ConversionWebhook> webhook_;  // null: not read yet
  std::unordered_map<Key, std::vector<Waiter>, crypto::Sha256Hash> waiting_;
};

}  // namespace skiff::apiserver
