// What tables and partial metadata are made from: an object as it is at rest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/status.h"
#include "object/descriptor.h"
#include "object/protobuf/shared_fields.h"
#include "store/store.h"

namespace skiff::apiserver {

// Storage bytes, protobuf in its envelope or JSON, and the revision that becomes the object's
// resourceVersion. With revision 0 the object keeps the one in the bytes, which mostly is none.
struct ObjectBytes {
  std::string_view stored;
  store::Revision revision = {};
  object::Pieces pieces = {};  // that were cut out of the bytes
};

// Appends a whole object as JSON, in the version that a client asked for.
using ObjectWriter = std::function<Result<void>(const ObjectBytes& object, ByteBuffer& out)>;
// An ObjectWriter for the version in which objects are stored.
Result<void> AppendStoredObject(const ObjectBytes& object, ByteBuffer& out);

// The version of meta.k8s.io in which a client wants tables and metadata. They are the same but for
// their apiVersion, and the tags of PartialObjectMetadataList.
enum class MetaVersion : uint8_t { kV1, kV1beta1 };
std::string_view MetaApiVersion(MetaVersion version);

// The metadata of a list.
struct ListMetadata {
  store::Revision revision = {};  // 0: none
  std::string_view continue_token = {};
  std::optional<int64_t> remaining_item_count = {};
};
// Appends it as JSON: {"resourceVersion":"7","continue":"…"}.
void AppendListMetadata(const ListMetadata& metadata, ByteBuffer& out);

// The storage bytes of the object that a bookmark carries: of the kind and with nothing in it, but
// for the annotation that marks the end of the initial events.
std::string BookmarkBytes(const object::MessageDesc& kind, bool initial_events_end);

// A revision as text, in the object itself.
class RevisionText {
 public:
  explicit RevisionText(store::Revision revision);
  std::string_view view() const { return {digits_, size_}; }

 private:
  char digits_[20];
  size_t size_;
};

}  // namespace skiff::apiserver
