// Objects reduced to their metadata: PartialObjectMetadata and lists of it, as JSON and protobuf.
//
//   {"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{…}}
//   k8s\0 {typeMeta, raw {1 metadata}}
//
// Metadata is the first field of every object's bytes, so it is cut out of them and written without
// a look at the rest. In a list the items of JSON name their kind, those of protobuf cannot.
#pragma once

#include <cstdint>

#include "apiserver/tables/object_bytes.h"
#include "base/buffer.h"
#include "base/status.h"

namespace skiff::apiserver {

enum class MetadataEncoding : uint8_t { kJson, kProtobuf };

// `scratch` is emptied and used; it saves the allocation of one per object.
Result<void> AppendPartialMetadataJson(const ObjectBytes& object, MetaVersion version,
                                       ByteBuffer& scratch, ByteBuffer& out);

// One object, in protobuf with its envelope. On an error, what was appended is taken back.
Result<void> AppendPartialMetadata(const ObjectBytes& object, MetadataEncoding encoding,
                                   MetaVersion version, ByteBuffer& out);

// Writes one list: Begin, then items, then End. It can be sent while it is written: `out` may be
// emptied between calls. In protobuf lengths come first: there every item is measured before Begin.
class PartialMetadataListWriter {
 public:
  PartialMetadataListWriter(MetadataEncoding encoding, MetaVersion version)
      : encoding_(encoding), version_(version) {}

  bool measures() const { return encoding_ == MetadataEncoding::kProtobuf; }
  Result<void> Measure(const ObjectBytes& object);
  void Begin(const ListMetadata& metadata, ByteBuffer& out);
  // On an error, what was appended is taken back.
  Result<void> Item(const ObjectBytes& object, ByteBuffer& out);
  void End(ByteBuffer& out);

 private:
  void BeginProtobuf(const ListMetadata& metadata, ByteBuffer& out);
  uint32_t ItemsKey() const;

  const MetadataEncoding encoding_;
  const MetaVersion version_;
  bool empty_ = true;
  size_t items_bytes_ = 0;      // protobuf: of the items' fields
  ByteBuffer metadata_behind_;  // protobuf: what follows the items in v1beta1
  ByteBuffer scratch_;
};

}  // namespace skiff::apiserver
