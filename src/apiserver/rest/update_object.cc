#include "apiserver/rest/update_object.h"

#include <utility>

#include "apiserver/rest/converted_reads.h"
#include "apiserver/rest/respond_stored.h"
#include "apiserver/rest/update_decision.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

// One update under way: tries, and the answer.
class UpdateRun : public std::enable_shared_from_this<UpdateRun> {
 public:
  explicit UpdateRun(Update update) : update_(std::move(update)), decision_(update_) {
    if (update_.conversions == nullptr) {
      update_.conversions = ConversionsFor(*update_.request, update_.endpoint);
    }
  }

  void Start() {
    ObjectChange change;
    change.storage = endpoint().storage;
    if (endpoint().resource->namespaced) change.name_space = request().info.name_space;
    change.name = request().info.name;
    change.dry_run = update_.dry_run;
    change.version = endpoint().resource->kind;
    const auto self = shared_from_this();
    change.decide = [self](const CurrentObject* current) {
      return self->decision_.Decide(current);
    };
    change.post = [self](std::move_only_function<void()> task) {
      self->request().responder.Post(std::move(task));
    };
    ChangeObject(std::move(change), [self](Result<Changed> changed) {
      if (!changed && self->MayDropFields(changed.error())) return self->Start();
      if (!changed) return self->AfterRefusal(std::move(changed.error()));
      self->RememberNoChange(*changed);
      if (self->update_.respond) return self->update_.respond(self->request(), *changed);
      RespondStored(self->request(), self->endpoint(), changed->created ? 201 : 200, changed->bytes,
                    changed->revision);
    });
  }

 private:
  serving::ApiRequest& request() { return *update_.request; }
  const Endpoint& endpoint() { return update_.endpoint; }

  // Admission may have refused only for lack of something that is about to be there.
  void AfterRefusal(Status refused) {
    AdmissionRetry& retry = decision_.admission_retry();
    if (!retry.IsWorthRetrying(decision_.awaited()))
      return serving::RespondError(request(), refused);
    const auto self = shared_from_this();
    retry.AwaitObject(
        *endpoint().context, request().responder, [self] { self->Start(); },
        [self, refused = std::move(refused)] { serving::RespondError(self->request(), refused); });
  }

  // Warnings are part of the answer, so that what gave one is gone through every time.
  void RememberNoChange(const Changed& changed) {
    if (!update_.known_as || update_.dry_run || changed.created || changed.removed) return;
    if (changed.revision != decision_.found() || !request().warnings.empty()) return;
    endpoint().context->noop_applies.Remember(*update_.known_as, changed.revision);
  }

  // An object that is too large for the store is tried once more without its managedFields.
  bool MayDropFields(const Status& why) {
    if (why.reason() != StatusReason::kRequestEntityTooLarge || update_.applies) return false;
    return decision_.DropFields();
  }

  Update update_;
  UpdateDecision decision_;
};

}  // namespace

void RunUpdate(Update update) { std::make_shared<UpdateRun>(std::move(update))->Start(); }

}  // namespace skiff::apiserver
