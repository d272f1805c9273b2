#include "apiserver/rest/object_change.h"

#include <optional>
#include <string>
#include <utility>

#include "apiserver/convert/normalize.h"
#include "apiserver/rest/errors.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/rest/object_output.h"
#include "base/limits.h"
#include "object/json/decode.h"
#include "object/open_kind.h"
#include "object/protobuf/stored_identity.h"

namespace skiff::apiserver {
namespace {

// A write whose object says another namespace or name than its key does.
struct Misplaced {
  std::string key;
  std::string object;  // what it says, or why that cannot be told
};

// The first such write. Of the objects that go with the changed one only the end of the key is
// known, and what allocators keep has no name.
std::optional<Misplaced> FindMisplaced(const store::Transaction& transaction,
                                       const ResourceStorage& storage) {
  for (size_t i = 0; i < transaction.writes.size(); ++i) {
    const store::Write& write = transaction.writes[i];
    if (write.kind != store::Write::Kind::kPut) continue;
    const Result<object::StoredIdentity> identity = object::ReadStoredIdentity(write.value.view());
    if (!identity) return Misplaced{write.key, identity.error().message()};
    if (identity->kind == "RangeAllocation" && identity->name.empty()) continue;
    const std::string end = identity->KeyEnd();
    const bool fits = i == 0 ? write.key == storage.prefix() + end : write.key.ends_with("/" + end);
    if (identity->name.empty() || !fits) return Misplaced{write.key, end};
  }
  return std::nullopt;
}

// A change whose outcome the store does not know is for a client one that got no answer in time: it
// must look before it tries again.
Status ForClient(Status status) {
  if (status.reason() != StatusReason::kServerTimeout) return status;
  return Status(StatusReason::kTimeout, status.message());
}

// Whatever became of the lease, nothing was done to the object.
Status WithoutLease(Status status) {
  if (status.reason() != StatusReason::kServerTimeout) return status;
  return Status(StatusReason::kServiceUnavailable, status.message());
}

// One change under way. Keeps itself alive through the callbacks that it waits for.
class ChangeRun : public std::enable_shared_from_this<ChangeRun> {
 public:
  ChangeRun(ObjectChange change, store::StoreCallback<Changed> done)
      : under_way_(change.storage->environment().changes.lock()),
        change_(std::move(change)),
        done_(std::move(done)) {}
  ~ChangeRun() { LeaveTurn(); }

  void Start() {
    if (change_.assume_absent) return Try();
    Read();
  }

 private:
  void Read() {
    change_.storage->cache().Get({change_.name_space, change_.name, {}},
                                 [self = shared_from_this()](Result<store::CacheGetReply> reply) {
                                   if (!reply) return self->AfterFailedRead(reply.error());
                                   self->current_.reset();
                                   if (reply->entry) self->TakeEntry(*reply->entry);
                                   self->Try();
                                 });
  }

  void AfterFailedRead(const Status& why) {
    if (!change_.removes_unreadable || why.reason() != StatusReason::kInternalError) {
      return Done(std::unexpected(why));
    }
    current_ = CurrentObject{};
    current_->unreadable = why;
    Try();
  }

  void TakeEntry(const store::CacheEntry& entry) {
    current_ = CurrentObject{entry.value(), entry.revision(),
                             entry.form() == store::StoredForm::kCompleted};
    current_->stored_type = TypeAtRest(current_->bytes);
    const Result<void> readable = change_.storage->CheckReadable(entry);
    if (!readable) current_->unreadable = readable.error();
  }

  void TakeStored(const store::KeyValue& stored) {
    const ResourceStorage& storage = *change_.storage;
    const Result<SharedBytes> read = storage.objects().Read(stored.value);
    current_ = CurrentObject{read.value_or(SharedBytes()), stored.mod_revision,
                             read && !read->SharesWith(stored.value)};
    current_->stored_type = TypeAtRest(current_->bytes);
    if (!read) {
      const std::string_view key = std::string_view(stored.key).substr(storage.prefix().size());
      current_->unreadable = storage.Unreadable(key, stored.mod_revision, read.error().ToString());
    }
  }

  // Where somebody converts, objects may be at rest in any version of their kind.
  const object::MessageDesc* TypeAtRest(const SharedBytes& bytes) const {
    const object::MessageDesc* const stored = change_.storage->desc().stored;
    if (change_.storage->converter() == nullptr) return stored;
    const Result<object::TypeMeta> meta = object::PeekTypeMeta(bytes.view());
    const object::MessageDesc* const type =
        meta ? stored->open->InVersion(meta->api_version) : nullptr;
    return type != nullptr ? type : stored;
  }

  // Null: all that is here is in the stored version.
  ObjectConverter* converter() const {
    return change_.version != nullptr ? change_.storage->converter() : nullptr;
  }

  // One object, and goes on with it where decisions do; the change ends if that cannot be.
  void Convert(const SharedBytes& object, const object::MessageDesc& to,
               ObjectConverter::Memory memory,
               std::move_only_function<void(SharedBytes made)> go_on) {
    converter()->Convert({object}, to, memory, change_.post,
                         [self = shared_from_this(),
                          go_on = std::move(go_on)](Result<ObjectConverter::Objects> made) mutable {
                           if (!made) return self->Done(std::unexpected(std::move(made.error())));
                           go_on(std::move(made->front()));
                         });
  }

  // Whether this was the last try; then the change has ended.
  bool GivesUp() {
    if (tries_++ != limits::kMaxWriteTries) return false;
    Done(std::unexpected(ObjectChanged(*change_.storage->hub().resource, change_.name)));
    return true;
  }

  void Try() {
    if (GivesUp()) return;
    if (converter() == nullptr || !current_ || current_->unreadable || change_.only_creates) {
      return Decide();
    }
    at_rest_ = current_->bytes;
    Convert(at_rest_, *change_.version, ObjectConverter::Memory::kAnswers,
            [self = shared_from_this()](SharedBytes made) {
              self->current_->bytes = std::move(made);
              self->current_->stored_type = self->change_.version;
              self->Decide();
            });
  }

  void Decide() {
    MaybeTask<Result<Change>> decision = change_.decide(current_ ? &*current_ : nullptr);
    if (decision.ready()) return AfterDecision(std::move(decision).TakeValue());
    Detach<Result<Change>>(
        std::move(decision).TakeTask(),
        [self = shared_from_this()](Result<Change> made) { self->AfterDecision(std::move(made)); });
  }

  void AfterDecision(Result<Change> decided) {
    if (!decided) return Done(std::unexpected(std::move(decided.error())));
    if (decided->kind == Change::Kind::kNothing) return Finish(false, false);
    // Kubernetes defaults what it reads from storage; here it is stored that way. What preparing
    // the object cleared or added, a status or a job's labels, has defaults again.
    Result<void> normalized =
        DefaultAndNormalize(change_.storage->environment().defaults, decided->object);
    if (!normalized && decided->kind == Change::Kind::kWrite) {
      return Done(std::unexpected(std::move(normalized.error())));
    }
    // Of a removal this is what the client and nobody else sees: the object as it was last.
    written_ = decided->object.type() == nullptr
                   ? SharedBytes()
                   : change_.storage->objects().Encode(decided->object);
    answer_ = written_;
    if (converter() != nullptr && decided->kind == Change::Kind::kWrite) {
      return ConvertWritten(std::move(*decided));
    }
    AfterEncoding(std::move(*decided), current_ ? current_->bytes : SharedBytes());
  }

  // `before`: the object as it is at rest.
  bool ChangesNothing(const Change& decided, const SharedBytes& before) const {
    // What lacks something in the store is written even if nothing else changes.
    return decided.kind == Change::Kind::kWrite && current_ && !current_->completed &&
           written_ == before && decided.also.writes.empty() &&
           decided.charges.transaction.writes.empty();
  }

  void AfterEncoding(Change decided, const SharedBytes& before) {
    if (ChangesNothing(decided, before)) return Finish(false, false);
    if (change_.dry_run) return FinishDryRun(decided.kind);
    Commit(std::move(decided));
  }

  // From the version of the change to the stored one.
  void ConvertWritten(Change decided) {
    const object::MessageDesc& stored = *change_.storage->desc().stored;
    Convert(written_, stored, ObjectConverter::Memory::kIsNotAsked,
            [self = shared_from_this(), decided = std::move(decided)](SharedBytes made) mutable {
              if (made.SharesWith(self->written_)) {
                return self->AfterEncoding(std::move(decided), self->at_rest_);
              }
              const Result<SharedBytes> written = self->EncodeConverted(made);
              if (!written) return self->Done(std::unexpected(written.error()));
              self->ConvertAnswer(std::move(decided), *written);
            });
  }

  Result<SharedBytes> EncodeConverted(const SharedBytes& made) const {
    const object::MessageDesc* const stored = change_.storage->desc().stored;
    SKIFF_ASSIGN_OR_RETURN(object::Document object, DecodeStored(made.view(), {}, stored));
    SKIFF_RETURN_IF_ERROR(DefaultAndNormalize(change_.storage->environment().defaults, object));
    return change_.storage->objects().Encode(object);
  }

  // The answer shows what has been stored, and so what conversion made of it. It is made before
  // that is stored: who is told of a fault knows that nothing has been written.
  void ConvertAnswer(Change decided, const SharedBytes& written) {
    written_ = written;
    if (ChangesNothing(decided, at_rest_)) return Finish(false, false);
    Convert(written_, *change_.version, ObjectConverter::Memory::kIsNotAsked,
            [self = shared_from_this(), decided = std::move(decided)](SharedBytes made) mutable {
              self->answer_ = std::move(made);
              self->AfterEncoding(std::move(decided), self->at_rest_);
            });
  }

  void Commit(Change decided) {
    const bool removes = decided.kind == Change::Kind::kRemove;
    const std::chrono::seconds ttl = change_.storage->ttl();
    if (ttl.count() == 0 || removes) return CommitWith(std::move(decided), {});
    change_.storage->environment().leases.LeaseFor(
        ttl, [self = shared_from_this(),
              decided = std::move(decided)](Result<store::LeaseId> lease) mutable {
          if (!lease) return self->Done(std::unexpected(WithoutLease(std::move(lease.error()))));
          self->CommitWith(std::move(decided), *lease);
        });
  }

  void CommitWith(Change decided, store::LeaseId lease) {
    const bool removes = decided.kind == Change::Kind::kRemove;
    std::string key = change_.storage->Key(change_.name_space, change_.name);
    const store::Revision expected = current_ ? current_->revision : store::Revision{};
    store::Transaction transaction = std::move(decided.also);
    charges_ = std::move(decided.charges);
    others_ = transaction.conditions;
    first_charge_ = others_.size();
    // What the store cannot read it cannot compare either.
    if (!current_ || expected != store::Revision{}) {
      transaction.conditions.insert(transaction.conditions.begin(), {key, expected});
    }
    transaction.writes.insert(
        transaction.writes.begin(),
        store::Write{removes ? store::Write::Kind::kDelete : store::Write::Kind::kPut,
                     std::move(key), removes ? SharedBytes() : written_, lease});
    if (charges_.charge_anew) uncharged_ = transaction;
    CommitCharged(std::move(transaction), removes);
  }

  void CommitCharged(store::Transaction transaction, bool removes) {
    const store::Transaction& charges = charges_.transaction;
    others_.resize(first_charge_);
    others_.insert(others_.end(), charges.conditions.begin(), charges.conditions.end());
    transaction.conditions.insert(transaction.conditions.end(), charges.conditions.begin(),
                                  charges.conditions.end());
    transaction.writes.insert(transaction.writes.end(), charges.writes.begin(),
                              charges.writes.end());
    if (const auto misplaced = FindMisplaced(transaction, *change_.storage); misplaced) {
      return DoneMisplaced(*misplaced);
    }
    change_.storage->store().Commit(
        std::move(transaction),
        [self = shared_from_this(), removes](Result<store::CommitReply> reply) mutable {
          auto go_on = [self, removes, reply = std::move(reply)]() mutable {
            self->AfterCommit(std::move(reply), removes);
          };
          if (self->change_.post) {
            self->change_.post(std::move(go_on));
          } else {
            go_on();
          }
        });
  }

  // A fault of ours, and one that would go unnoticed: such an object is listed, but every other
  // request for it ends in a 404.
  void DoneMisplaced(const Misplaced& misplaced) {
    if (Log* log = change_.storage->environment().log; log != nullptr) {
      log->Error("an object was not stored, since it has another name than its key",
                 {{"key", misplaced.key}, {"object", misplaced.object}});
    }
    Done(Fail(StatusReason::kInternalError,
              "the key " + misplaced.key + " cannot hold the object " + misplaced.object));
  }

  void AfterCommit(Result<store::CommitReply> reply, bool removes) {
    if (!reply) return Done(std::unexpected(ForClient(std::move(reply.error()))));
    if (reply->succeeded) {
      committed_ = reply->revision;
      return Finish(!removes && !current_, removes);
    }
    const std::optional<store::KeyValue>& found = reply->current.at(0);
    const size_t lost = FindLost(*reply);
    const bool stands = charges_.charge_anew && lost >= first_charge_ &&
                        RevisionOf(found) == (current_ ? current_->revision : store::Revision{});
    if (!stands) {
      current_.reset();
      if (found) TakeStored(*found);
    }
    const auto go_on = [self = shared_from_this(), stands, removes] {
      return stands ? self->ChargeAnew(removes) : self->Try();
    };
    if (lost == others_.size() || !locked_key_.empty()) return go_on();
    locked_key_ = others_[lost].key;
    key_locks().Lock(locked_key_, [self = shared_from_this(), go_on](bool locked) {
      self->has_lock_ = locked;
      const auto after = [self, go_on, locked] { return locked ? go_on() : self->DoneStopping(); };
      if (!self->change_.post) return after();
      self->change_.post(after);
    });
  }

  void DoneStopping() {
    Done(Fail(StatusReason::kServiceUnavailable, "the server is shutting down"));
  }

  // The decision stands, and costs by now something else.
  void ChargeAnew(bool removes) {
    if (GivesUp()) return;
    Result<store::Transaction> charged = ChargesByNow();
    if (!charged) return Done(std::unexpected(std::move(charged.error())));
    charges_.transaction = std::move(*charged);
    CommitCharged(uncharged_, removes);
  }

  Result<store::Transaction> ChargesByNow() {
    const object::MessageDesc* const type =
        converter() != nullptr ? change_.version : change_.storage->desc().stored;
    SKIFF_ASSIGN_OR_RETURN(const object::Document object,
                           DecodeStored(answer_.view(), store::Revision{}, type));
    if (!current_) return charges_.charge_anew(object, nullptr);
    SKIFF_ASSIGN_OR_RETURN(const object::Document old, current_->Decode());
    return charges_.charge_anew(object, &old);
  }

  static store::Revision RevisionOf(const std::optional<store::KeyValue>& found) {
    return found ? found->mod_revision : store::Revision{};
  }

  // The first of the others_ that somebody else has changed; their number if nobody has.
  size_t FindLost(const store::CommitReply& reply) const {
    size_t i = 0;
    while (i < others_.size() && RevisionOf(reply.current.at(i + 1)) == others_[i].expected) ++i;
    return i;
  }

  KeyLocks& key_locks() { return *change_.storage->environment().key_locks; }
  void LeaveTurn() {
    if (std::exchange(has_lock_, false)) key_locks().Unlock(locked_key_);
  }
  void Done(Result<Changed> result) {
    LeaveTurn();
    done_(std::move(result));
  }

  void Finish(bool created, bool removed) {
    Changed out;
    out.created = created;
    out.removed = removed;
    if (committed_ != store::Revision{}) {
      out.bytes = answer_;
      out.revision = committed_;
    } else if (current_) {
      out.bytes = current_->bytes;
      out.revision = current_->revision;
    }
    Done(std::move(out));
  }

  void FinishDryRun(Change::Kind kind) {
    Changed out;
    out.created = !current_;
    out.removed = kind == Change::Kind::kRemove;
    out.bytes = answer_;
    if (current_) out.revision = current_->revision;
    Done(std::move(out));
  }

  const std::shared_ptr<const void> under_way_;  // let go of last
  ObjectChange change_;
  store::StoreCallback<Changed> done_;
  std::optional<CurrentObject> current_;
  SharedBytes at_rest_;  // the current object, where it is shown in another version
  SharedBytes written_;
  SharedBytes answer_;  // that in the version of the change
  store::Revision committed_;
  int tries_ = 0;
  std::vector<store::Condition> others_;  // of the last try, besides the object's own
  WriteCharges charges_;                  // of it
  size_t first_charge_ = 0;               // of these among the others
  store::Transaction uncharged_;          // without them, if they can be made anew
  std::string locked_key_;                // the key that this run has locked or waits for
  bool has_lock_ = false;
};

}  // namespace

Result<object::Document> CurrentObject::Decode() const {
  if (unreadable) return std::unexpected(*unreadable);
  return DecodeStored(bytes.view(), revision, stored_type);
}

void ChangeObject(ObjectChange change, store::StoreCallback<Changed> done) {
  std::make_shared<ChangeRun>(std::move(change), std::move(done))->Start();
}

}  // namespace skiff::apiserver
