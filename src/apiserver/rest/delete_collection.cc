#include "apiserver/rest/delete_collection.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "apiserver/rest/converted_reads.h"
#include "apiserver/rest/delete_object.h"
#include "apiserver/rest/delete_options.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/list.h"
#include "apiserver/rest/list_encoder.h"
#include "apiserver/rest/list_options.h"
#include "apiserver/rest/rest_response.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

// Entries that are looked at before others have their turn on the loop, when few of them match.
constexpr size_t kEntriesPerTask = 1024;

class CollectionDeletion : public std::enable_shared_from_this<CollectionDeletion> {
 public:
  CollectionDeletion(std::shared_ptr<serving::ApiRequest> request, const Endpoint& endpoint,
                     DeleteOptions options, store::ListReply listed)
      : request_(std::move(request)),
        endpoint_(endpoint),
        options_(std::move(options)),
        listed_(std::move(listed)),
        at_(listed_.Entries()) {}

  // All that follows is done on the loop of the request.
  void Start() {
    working_ = std::max<int64_t>(endpoint_.context->delete_collection_workers, 1);
    for (int64_t i = working_; i > 0; --i) {
      request_->responder.Post([self = shared_from_this()] { self->Next(); });
    }
  }

 private:
  void Next() {
    // Nothing more is deleted after a fault, or for a client that has gone.
    const bool goes_on = !error_ && !request_->responder.gone();
    size_t looks = kEntriesPerTask;
    const store::CacheEntry* entry = goes_on ? at_.NextWithin(looks) : nullptr;
    if (entry == nullptr && goes_on && !at_.done()) {
      request_->responder.Post([self = shared_from_this()] { self->Next(); });
      return;
    }
    if (entry == nullptr) {
      if (--working_ == 0) Finish();
      return;
    }
    const auto self = shared_from_this();
    Deletion deletion{.endpoint = endpoint_,
                      .name_space = std::string(entry->name_space()),
                      .name = std::string(entry->name()),
                      .options = options_,
                      .request = request_,
                      .of_collection = true};
    DeleteObject(std::move(deletion), [self](Result<Changed> done) {
      // What is gone already needs no deletion.
      std::optional<Status> error;
      if (!done && done.error().reason() != StatusReason::kNotFound) error = done.error();
      // Through the loop again, so that a long list neither keeps it nor grows the stack.
      self->request_->responder.Post([self, error = std::move(error)] {
        if (error && !self->error_) self->error_ = error;
        self->Next();
      });
    });
  }

  void Finish() {
    if (error_) return serving::RespondError(*request_, *error_);
    if (serving::RespondLocally(*request_, 200, [&](serving::LocalResponse& answer) {
          answer.rest().Listed(endpoint_.SharedView(*request_), std::move(listed_));
        })) {
      return;
    }
    const Result<serving::OutputFormat> format =
        serving::NegotiateOutput(*request_, serving::ResponseKind::kList);
    if (!format) return serving::RespondError(*request_, format.error());
    auto encoder = MakeListEncoder(*request_, endpoint_, *format, std::move(listed_));
    if (!encoder) return serving::RespondError(*request_, encoder.error());
    RespondList(*request_, endpoint_.context->clock, std::move(*encoder), *format);
  }

  std::shared_ptr<serving::ApiRequest> request_;
  const Endpoint& endpoint_;
  DeleteOptions options_;
  store::ListReply listed_;
  store::ListCursor at_;
  int64_t working_ = 0;          // deletions under way, and those about to begin
  std::optional<Status> error_;  // the first
};

}  // namespace

void HandleDeleteCollection(serving::ApiRequestPtr request, const Endpoint& endpoint) {
  // What cannot be answered is not begun.
  const Result<serving::OutputFormat> format =
      serving::NegotiateOutput(*request, serving::ResponseKind::kList);
  if (!format) return serving::RespondError(*request, format.error());
  Result<ListOptions> list = ReadListOptions(*request, endpoint);
  if (!list) return serving::RespondError(*request, list.error());
  Result<DeleteOptions> options = ReadDeleteOptions(*request);
  if (!options) return serving::RespondError(*request, options.error());
  if (options->unreadable && endpoint.context->may_delete_unreadable) {
    return serving::RespondError(
        *request, UnreadableDeletionRefused("DeleteOptions", "meta.k8s.io", "",
                                            "is not allowed with DELETECOLLECTION, try again after "
                                            "removing the option"));
  }
  options->unreadable = false;
  WarnOfOrphans(*endpoint.resource, *options, *request);
  store::CacheListRequest wanted{std::move(list->selection), std::move(list->resource_version),
                                 std::move(list->resource_version_match),
                                 std::move(list->continue_token), list->limit};
  std::optional<store::SelectionRequest> fields;
  if (request->local == nullptr) fields = TakeConvertedFields(endpoint, wanted.selection);
  endpoint.storage->cache().List(std::move(wanted), [request = std::move(request), &endpoint,
                                                     fields = std::move(fields),
                                                     options = std::move(*options)](
                                                        Result<store::ListReply> reply) mutable {
    if (!reply) return serving::RespondError(*request, reply.error());
    if (const auto readable = endpoint.storage->CheckReadable(*reply); !readable) {
      return serving::RespondError(*request, readable.error());
    }
    std::shared_ptr<serving::ApiRequest> shared = std::move(request);
    const auto begin = [shared, &endpoint, options = std::move(options)](store::ListReply listed) {
      std::make_shared<CollectionDeletion>(shared, endpoint, options, std::move(listed))->Start();
    };
    if (endpoint.converter() == nullptr || shared->local != nullptr) {
      return begin(std::move(*reply));
    }
    ConvertList(shared, endpoint, std::move(*reply), std::move(fields), begin);
  });
}

}  // namespace skiff::apiserver
