// DELETE of a collection: what matches is listed once and then deleted one after the other. The
// answer is the list as it was.
#include <memory>
#include <utility>

#include "apiserver/request/respond.h"
#include "apiserver/rest/delete_object.h"
#include "apiserver/rest/delete_options.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/list_encoder.h"
#include "apiserver/rest/list_options.h"

namespace skiff {
namespace {

class CollectionDeletion : public std::enable_shared_from_this<CollectionDeletion> {
 public:
  CollectionDeletion(ApiRequestPtr request, const Endpoint& endpoint, DeleteOptions options,
                     ListReply listed)
      : request_(std::move(request)),
        endpoint_(endpoint),
        options_(std::move(options)),
        listed_(std::move(listed)),
        at_(listed_.Entries()) {}

  void Next() {
    const CacheEntry* entry = at_.Next();
    if (entry == nullptr) return Finish();
    const auto self = shared_from_this();
    Deletion deletion{.endpoint = endpoint_,
                      .name_space = std::string(entry->name_space()),
                      .name = std::string(entry->name()),
                      .options = options_,
                      .user = &request_->user,
                      .post = [self](std::move_only_function<void()> task) {
                        self->request_->responder.Post(std::move(task));
                      }};
    DeleteObject(std::move(deletion), [self](Result<Changed> done) {
      // What is gone already needs no deletion.
      if (!done && done.error().reason() != StatusReason::kNotFound) {
        return RespondError(*self->request_, done.error());
      }
      // Through the loop again, so that a long list neither keeps it nor grows the stack.
      self->request_->responder.Post([self] { self->Next(); });
    });
  }

 private:
  void Finish() {
    const Result<OutputFormat> format = NegotiateOutput(*request_, Answered::kStatus);
    auto encoder = MakeListEncoder(*request_, endpoint_, *format, std::move(listed_));
    if (!encoder) return RespondError(*request_, encoder.error());
    RespondList(*request_, std::move(*encoder), *format);
  }

  ApiRequestPtr request_;
  const Endpoint& endpoint_;
  DeleteOptions options_;
  ListReply listed_;
  ListCursor at_;
};

}  // namespace

void HandleDeleteCollection(ApiRequestPtr request, const Endpoint& endpoint) {
  Result<DeleteOptions> options = ReadDeleteOptions(*request);
  if (!options) return RespondError(*request, options.error());
  WarnOfOrphans(*endpoint.resource, *options, *request);
  Result<ListOptions> list = ReadListOptions(*request, endpoint);
  if (!list) return RespondError(*request, list.error());
  CacheListRequest wanted{std::move(list->selection), std::move(list->resource_version),
                          std::move(list->resource_version_match), std::move(list->continue_token),
                          list->limit};
  endpoint.storage->cache().List(
      std::move(wanted), [request = std::move(request), &endpoint,
                          options = std::move(*options)](Result<ListReply> reply) mutable {
        if (!reply) return RespondError(*request, reply.error());
        std::make_shared<CollectionDeletion>(std::move(request), endpoint, std::move(options),
                                             std::move(*reply))
            ->Next();
      });
}

}  // namespace skiff
