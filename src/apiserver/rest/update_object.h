// What updates and patches share: from the stored object and the new one to the change that is
// committed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/convert/object_converter.h"
#include "apiserver/rest/endpoint.h"
#include "apiserver/rest/object_change.h"
#include "base/maybe_task.h"
#include "base/status.h"
#include "crypto/digest.h"
#include "object/value.h"

namespace skiff::apiserver {

// Makes the new object, in the version of the request, from the current one in the same version,
// which stays as it is, or, where a PUT may create, from nothing (null).
using MakeNew = std::move_only_function<Result<object::Document>(object::Document* current)>;

// An object as clients, and so admission, see it at a subresource, where that is not as it is
// stored: the scale of a workload.
class AdmissionView {
 public:
  virtual ~AdmissionView() = default;
  virtual object::Document Show(object::Document& stored) const = 0;
  // What the stored object becomes by what was made of the one that was shown.
  virtual Result<object::Document> Take(object::Document& stored,
                                        object::Document& shown) const = 0;
};

struct Update {
  serving::ApiRequestPtr request;
  const Endpoint& endpoint;
  MakeNew make_new;
  bool dry_run = false;
  // A write that does not say which state it is based on overwrites the newest.
  bool may_be_unconditional = false;
  bool may_create = false;
  // A uid in the new object says which object is meant, rather than being a change of it.
  bool uid_is_precondition = true;
  // Server-side apply: `may_create` needs no leave of the schema, and what the configuration says
  // of an object that is not there yet does not count.
  bool applies = false;
  // By which NoopApplyCache knows the request; absent: it is no apply.
  std::optional<crypto::Sha256Digest> known_as = {};
  // `make_new` has seen to the managedFields of what it makes.
  bool tracks_fields = false;
  // Asked instead of whether this update of the object is admitted, where clients see the request
  // as something else: the creation of a binding. Asked at each try, before make_new.
  std::function<Task<Result<void>>(store::Transaction&)> admit = {};
  // Null: the object is seen as it is.
  std::shared_ptr<const AdmissionView> view = {};
  // Of a kind that somebody else converts; null: it has none, or they are yet to be made.
  std::shared_ptr<RememberedConversions> conversions = {};
  // How an object that has been written is answered; by default as it is.
  std::function<void(serving::ApiRequest&, const Changed&)> respond = {};
};

void RunUpdate(Update update);

}  // namespace skiff::apiserver
