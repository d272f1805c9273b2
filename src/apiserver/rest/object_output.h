// Stored objects on their way out: with their resourceVersion, in the version that was asked for.
//
// The bytes at rest become JSON or protobuf without a tree between, as long as the version asked
// for has the layout of the stored one; otherwise the object is decoded and converted.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/buffer.h"
#include "base/shared_bytes.h"
#include "base/status.h"
#include "object/protobuf/shared_fields.h"
#include "object/resource.h"
#include "object/value.h"
#include "serving/request/output.h"
#include "store/store.h"

namespace skiff::apiserver {

// An object as a protobuf message without its envelope, of which the size is known before its bytes
// are written. It looks at the stored bytes that it was made of.
class ObjectMessage {
 public:
  // Stored bytes that get the revision as resourceVersion on their way out; of zero, none.
  ObjectMessage(std::string_view stored, store::Revision revision, object::Pieces pieces = {})
      : stored_(stored), revision_(revision), pieces_(pieces) {}
  explicit ObjectMessage(std::string encoded) : encoded_(std::move(encoded)) {}

  size_t size() const;
  void AppendTo(ByteBuffer& out) const;
  // With its key and length before it.
  void AppendAsField(uint32_t key, ByteBuffer& out) const;

 private:
  std::string_view stored_;
  store::Revision revision_{};
  object::Pieces pieces_;
  std::string encoded_;  // instead of the stored bytes
};

// How objects of one resource are shown in one version. Immutable; any thread may use it.
class ObjectView {
 public:
  // What it is given to show: objects as they are stored, or such as somebody else has made into
  // this version of their open kind before (rest/converted_reads.h).
  enum class Given : uint8_t { kStored, kConverted };
  explicit ObjectView(const object::ResourceDesc& resource, Given given = Given::kStored);

  const object::ResourceDesc& resource() const { return *resource_; }
  // No other view has, or had, the same: caches must not take one for another that lay in its
  // place.
  uint64_t id() const { return id_; }

  // An object with its kind and apiVersion, or as an item of a list, without. With revision zero it
  // has no resourceVersion, as what was never stored has none.
  enum class As : uint8_t { kObject, kItem };
  // Pieces are those that were cut out of the stored bytes.
  Result<void> AppendJson(std::string_view stored, store::Revision revision, As as, ByteBuffer& out,
                          object::Pieces pieces = {}) const;
  Result<ObjectMessage> AsProtobuf(std::string_view stored, store::Revision revision,
                                   object::Pieces pieces = {}) const;

  // Whole, in the version of this view, with its resourceVersion.
  Result<object::Document> Decode(std::string_view stored, store::Revision revision) const;
  // An answer's body.
  Result<SharedBytes> Encode(std::string_view stored, store::Revision revision,
                             const serving::OutputFormat& format, object::Pieces pieces = {}) const;

 private:
  // The message inside of stored protobuf whose layout is that of this view; nothing otherwise.
  std::optional<std::string_view> Message(std::string_view stored) const;

  const uint64_t id_;
  const object::ResourceDesc* resource_;
  const object::MessageDesc* stored_;
  bool same_layout_;
};

// A view with what it belongs to, for those who may outlive the request.
using ObjectViewPtr = std::shared_ptr<const ObjectView>;

// The object as it is stored, with its resourceVersion; in the stored version. `stored_type` is
// what the resource stores, and need not be given for built-in kinds.
Result<object::Document> DecodeStored(std::string_view stored, store::Revision revision,
                                      const object::MessageDesc* stored_type = nullptr);

}  // namespace skiff::apiserver
