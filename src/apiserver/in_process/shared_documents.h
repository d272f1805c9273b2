// Stored objects as documents, each decoded once for as long as anybody holds it: the answer to a
// write and the event that tells of it are the same document.
//
// Owner: a transport, on its executor.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>

#include "apiserver/rest/object_output.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "client/object.h"
#include "store/cache/cached_event.h"
#include "store/store.h"

namespace skiff::apiserver {

enum class DocumentForm : uint8_t { kWhole, kMetadata };

class SharedDocuments {
 public:
  // In the version of the view, or as a PartialObjectMetadata, for which nothing but the metadata
  // is decoded. Without a view: as it is stored.
  Result<client::ObjectPtr> Get(const ObjectView* view, DocumentForm form, const SharedBytes& bytes,
                                store::Revision revision);
  // The same of what the cache holds.
  Result<client::ObjectPtr> Get(const ObjectView* view, DocumentForm form,
                                const store::CacheEntry& entry, store::Revision revision);
  // The object of a bookmark.
  static Result<client::ObjectPtr> Bookmark(const ObjectView& view, DocumentForm form,
                                            store::Revision revision, bool initial_end);

 private:
  // Bytes live as long as the document that was made of them, so that their address says which.
  struct Key {
    const char* bytes;
    store::Revision revision;
    uint64_t view;  // its id; zero: none
    DocumentForm form;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Decoded {
    SharedBytes bytes;
    object::Document object;
  };
  // `kept` says which object it is. Its bytes are those of `value()`.
  template <typename Value>
  Result<client::ObjectPtr> Get(const ObjectView* view, DocumentForm form, const SharedBytes& kept,
                                store::Revision revision, Value value);
  void ForgetUnheld();

  std::map<Key, std::weak_ptr<const Decoded>> documents_;
  size_t forget_at_ = 64;  // documents; doubles with what is held
};

}  // namespace skiff::apiserver
