// What the cache must know of an object beside its bytes: its labels and the values of the fields
// that selectors may name.
//
// They are read from the storage bytes without building a document: protobuf is walked by field
// numbers, which are found in the descriptors once per resource, and JSON by names; everything else
// is passed over. The bytes tell by themselves which of both they are. Values are as Kubernetes
// gives them to field selectors; what an object lacks is "". metadata.name and metadata.namespace
// are not among the fields, since the key holds both.
//
// Damage is reported where the walk meets it: what it passes over is not looked into.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/limits.h"
#include "base/status.h"
#include "object/resource.h"
#include "object/selector/label_set.h"
#include "store/cache/fact_path.h"

namespace skiff::store {

// The facts of one object at a time; made once and used for many. Views are valid until the next
// object is read, and while its bytes and the reader live.
struct ObjectFacts {
  std::vector<object::LabelSet::Label> labels;  // each key once, in no order
  std::vector<std::string_view> fields;         // of FactsReader::fields(), in their order
  Arena copies;                                 // of what does not stand in the bytes as it is
};

// Reads the facts of one resource's objects. Immutable, so any thread may use it.
class FactsReader {
 public:
  struct Field {
    std::string label;  // "spec.nodeName"
    bool trigger;       // watchers are kept by this value
    bool indexed;       // lists are indexed by it
  };

  // Fails when the tables name fields that the stored kind lacks. The tables must outlive the
  // reader if they are not the built-in ones.
  static Result<FactsReader> Make(const object::ResourceHub& hub);

  std::span<const Field> fields() const { return fields_; }
  // The position of a field by its label or an alias of it; nothing when it is none of them.
  std::optional<size_t> FindField(std::string_view label) const;

  // The error is an internal one that tells what is wrong with the bytes, and where.
  Result<void> Read(std::string_view storage_bytes, ObjectFacts& out) const;

 private:
  struct ProtobufPlan;
  struct JsonNode;
  class ProtobufWalk;
  class JsonWalk;
  // The text of each path; a path's number is its slot.
  using Slots = std::array<std::string_view, 2 * limits::kMaxCachedFields>;

  FactsReader() = default;
  Result<void> AddField(const object::ResourceHub& hub, const object::SelectableField& field);
  Result<void> AddPlans(const object::StorageDesc& storage);
  size_t SlotOf(FactPath path);
  const ProtobufPlan* FindPlan(std::string_view api_version, std::string_view kind) const;
  Result<void> ReadProtobuf(std::string_view bytes, Slots& slots, ObjectFacts& out) const;
  Result<void> ReadJson(std::string_view bytes, Slots& slots, ObjectFacts& out) const;

  const object::ResourceHub* hub_ = nullptr;
  std::vector<Field> fields_;
  std::vector<FactPath> paths_;
  std::vector<std::vector<uint8_t>> slots_of_field_;
  // The stored version first, then the others of its group, in which objects may be at rest too.
  std::vector<std::shared_ptr<const ProtobufPlan>> plans_;
  std::shared_ptr<const JsonNode> json_;
};

}  // namespace skiff::store
