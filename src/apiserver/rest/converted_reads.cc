#include "apiserver/rest/converted_reads.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/webhook_limits.h"
#include "serving/request/respond.h"
#include "store/cache/object_facts.h"
#include "store/cache/ordered_index.h"

namespace skiff::apiserver {
namespace {

// Entries that are looked at before others have their turn on the loop, when few of them match.
constexpr size_t kEntriesPerTask = 1024;

bool IsOfKey(const object::FieldTerm& term) {
  return term.field == store::kNameField || term.field == store::kNamespaceField;
}

// One list under way. All is done on the loop of the request.
class ListConversion : public std::enable_shared_from_this<ListConversion> {
 public:
  ListConversion(std::shared_ptr<serving::ApiRequest> request, const Endpoint& endpoint,
                 store::ListReply reply, std::move_only_function<void(store::ListReply)> done)
      : request_(std::move(request)),
        storage_(*endpoint.storage),
        version_(*endpoint.resource->kind),
        reply_(std::move(reply)),
        done_(std::move(done)) {}

  Result<void> Start(std::optional<store::SelectionRequest> fields) {
    // What the page was made of by labels need not be looked for again.
    store::SelectionRequest shown;
    shown.name_space = reply_.selection().name_space();
    shown.name = reply_.selection().name();
    has_changed_ = fields.has_value();
    if (fields) shown = std::move(*fields);
    SKIFF_ASSIGN_OR_RETURN(shown_, BindSelection(storage_, std::move(shown)));
    request_->responder.Post([self = shared_from_this()] { self->Step(); });
    return {};
  }

 private:
  void Step() {
    size_t looks = kEntriesPerTask;
    if (!at_) {
      if (!reply_.SearchPage(looks)) return Later();
      at_.emplace(reply_.Entries());
    }
    while (!IsFull()) {
      const store::CacheEntry* entry = at_->NextWithin(looks);
      if (entry == nullptr) break;
      bytes_ += entry->value().size();
      objects_.push_back(entry->value());
      entries_.emplace_back(entry);
    }
    if (!IsFull() && !at_->done()) return Later();
    if (objects_.empty()) return Finish();
    storage_.converter()->Convert(
        std::exchange(objects_, {}), version_, ObjectConverter::Memory::kAnswers, PostTo(request_),
        [self = shared_from_this()](Result<ObjectConverter::Objects> made) {
          self->AfterConversion(std::move(made));
        });
  }

  bool IsFull() const {
    return objects_.size() >= limits::kMaxConvertedAtOnce ||
           bytes_ >= limits::kConvertedBytesAtOnce;
  }
  void Later() {
    request_->responder.Post([self = shared_from_this()] { self->Step(); });
  }
  void Fail(const Status& why) { serving::RespondError(*request_, why); }

  void AfterConversion(Result<ObjectConverter::Objects> made) {
    if (!made) return Fail(made.error());
    for (size_t i = 0; i < made->size(); ++i) {
      all_bytes_ += (*made)[i].size();
      Result<store::EntryRef> entry = ConvertedEntry(storage_, *entries_[i], std::move((*made)[i]));
      if (!entry) return Fail(entry.error());
      has_changed_ = has_changed_ || entry->get() != entries_[i].get();
      converted_.push_back(std::move(*entry));
    }
    entries_.clear();
    bytes_ = 0;
    if (all_bytes_ > limits::kMaxConvertedListBytes) {
      return Fail(Status(StatusReason::kRequestEntityTooLarge,
                         "the list is too long to be converted as a whole: ask for it in pages"));
    }
    // A client that has gone wants nothing converted any more.
    if (request_->responder.gone()) {
      return Fail(Status(StatusReason::kTimeout, "the client has gone"));
    }
    if (at_->done()) return Finish();
    Later();
  }

  void Finish() {
    if (!has_changed_) return done_(std::move(reply_));
    store::OrderedIndex index;
    index.Load(std::move(converted_));
    done_(store::ListReply(index.Snapshot(), reply_.revision(), shown_, reply_.page()));
  }

  const std::shared_ptr<serving::ApiRequest> request_;
  ResourceStorage& storage_;
  const object::MessageDesc& version_;
  store::ListReply reply_;
  std::move_only_function<void(store::ListReply)> done_;
  std::shared_ptr<const store::Selection> shown_;
  std::optional<store::ListCursor> at_;
  ObjectConverter::Objects objects_;  // of the next call, and their entries
  std::vector<store::EntryRef> entries_;
  size_t bytes_ = 0;
  std::vector<store::EntryRef> converted_;
  size_t all_bytes_ = 0;
  bool has_changed_ = false;  // some are shown as something else than what is at rest
};

}  // namespace

ObjectConverter::Post PostTo(std::shared_ptr<serving::ApiRequest> request) {
  return [request = std::move(request)](std::move_only_function<void()> task) {
    request->responder.Post(std::move(task));
  };
}

std::shared_ptr<RememberedConversions> ConversionsFor(serving::ApiRequest& request,
                                                      const Endpoint& endpoint) {
  ObjectConverter* const converter = endpoint.converter();
  if (converter == nullptr) return nullptr;
  return std::make_shared<RememberedConversions>(*converter,
                                                 [&request](std::move_only_function<void()> task) {
                                                   request.responder.Post(std::move(task));
                                                 });
}

std::optional<store::SelectionRequest> TakeConvertedFields(const Endpoint& endpoint,
                                                           store::SelectionRequest& selection) {
  if (endpoint.converter() == nullptr || std::ranges::all_of(selection.fields.terms(), IsOfKey)) {
    return std::nullopt;
  }
  store::SelectionRequest out;
  out.name_space = selection.name_space;
  out.name = selection.name;
  out.fields = std::exchange(selection.fields, object::FieldSelector::Everything());
  return out;
}

Result<std::shared_ptr<const store::Selection>> BindSelection(ResourceStorage& storage,
                                                              store::SelectionRequest request) {
  store::EntryShape shape;
  shape.namespaced = storage.namespaced();
  shape.find_field = [&storage](std::string_view label) {
    return storage.facts().FindField(label);
  };
  SKIFF_ASSIGN_OR_RETURN(store::Selection bound,
                         store::Selection::Bind(std::move(request), shape, storage.symbols()));
  return std::make_shared<const store::Selection>(std::move(bound));
}

Result<store::EntryRef> ConvertedEntry(ResourceStorage& storage, const store::CacheEntry& entry,
                                       SharedBytes converted) {
  if (converted.SharesWith(entry.value())) return store::EntryRef(&entry);
  store::ObjectFacts facts;
  SKIFF_RETURN_IF_ERROR(storage.facts().Read(converted.view(), facts));
  return store::CacheEntry::Make(entry.key(), entry.revision(), converted,
                                 object::LabelSet(storage.symbols(), facts.labels), facts.fields,
                                 entry.form());
}

void ConvertOne(std::shared_ptr<serving::ApiRequest> request, const Endpoint& endpoint,
                SharedBytes stored, ObjectConverter::Memory memory,
                std::move_only_function<void(SharedBytes)> done) {
  ObjectConverter::Post post = PostTo(request);
  endpoint.converter()->Convert(
      {std::move(stored)}, *endpoint.resource->kind, memory, std::move(post),
      [request = std::move(request),
       done = std::move(done)](Result<ObjectConverter::Objects> made) mutable {
        if (!made) return serving::RespondError(*request, made.error());
        done(std::move(made->front()));
      });
}

void ConvertList(std::shared_ptr<serving::ApiRequest> request, const Endpoint& endpoint,
                 store::ListReply reply, std::optional<store::SelectionRequest> fields,
                 std::move_only_function<void(store::ListReply)> done) {
  serving::ApiRequest& ref = *request;
  const auto conversion = std::make_shared<ListConversion>(std::move(request), endpoint,
                                                           std::move(reply), std::move(done));
  if (const Result<void> started = conversion->Start(std::move(fields)); !started) {
    serving::RespondError(ref, started.error());
  }
}

}  // namespace skiff::apiserver
