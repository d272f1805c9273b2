// Descriptor tables made at run time: for custom resources, and for tests.
//
// A DescriptorPool owns what it makes; messages keep their address and live as long as the pool.
// They have no protobuf form, since custom resources have none. Not thread-safe while messages are
// added; what is there may be read by any thread once the pool is published.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/status.h"
#include "object/descriptor.h"

namespace skiff::object {

// A field to be. Everything that it points to is copied, but for `message`.
struct FieldSpec {
  std::string_view name;
  FieldType type = FieldType::kString;
  Cardinality cardinality = Cardinality::kSingle;
  uint8_t flags = FieldDesc::kOmitEmpty;
  const MessageDesc* message = nullptr;  // of kMessage fields: of this pool, or generated
  FieldTraits traits = {};
};

class DescriptorPool {
 public:
  // Names that a key's fixed form cannot hold: longer ones, and those that JSON would escape.
  // A schema that has them must stay a map.
  static constexpr size_t kMaxNameBytes = 255;
  static bool IsFieldName(std::string_view name);

  const GroupVersionDesc* AddGroupVersion(std::string_view group, std::string_view version);
  // A message without fields, to be defined later: how messages refer to each other and to
  // themselves.
  MessageDesc* Declare(std::string_view name, const GroupVersionDesc* group_version = nullptr);
  // Fails on names that are not field names or come twice, on too many fields, and on a message
  // that would contain itself without a pointer, list or map between.
  Result<void> Define(MessageDesc* message, std::span<const FieldSpec> fields);
  Result<const MessageDesc*> Add(std::string_view name, std::span<const FieldSpec> fields);

 private:
  const FieldTraits* CopyTraits(const FieldTraits& traits);
  std::span<const std::string_view> CopyList(std::span<const std::string_view> list);

  Arena arena_;
};

// A perfect hash of field names for MessageDesc::FindField. No slots are found for names that
// HashFieldName cannot tell apart or when there are very many; FindField then searches.
struct NameSlots {
  std::vector<uint16_t> slots;
  uint64_t seed = 0;
};
NameSlots BuildNameSlots(std::span<const FieldDesc> fields);

}  // namespace skiff::object
