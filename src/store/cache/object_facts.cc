#include "store/cache/object_facts.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/utf8.h"
#include "object/json/cursor.h"
#include "object/json/text.h"
#include "object/protobuf/envelope.h"
#include "object/protobuf/wire.h"

namespace skiff::store {
namespace {

const std::vector<FactStep>& LabelSteps() {
  static const std::vector<FactStep> steps = {{"metadata"}, {"labels"}};
  return steps;
}

std::unexpected<Status> BadObject(std::string_view why) {
  return Fail(StatusReason::kInternalError, "stored object: " + std::string(why));
}
std::unexpected<Status> BadTable(const object::ResourceHub& hub, std::string_view why) {
  return Fail(StatusReason::kInternalError,
              "field selectors of " + std::string(hub.resource->name) + ": " + std::string(why));
}

bool IsMetadataInKey(std::string_view label) {
  return label == "metadata.name" || label == "metadata.namespace";
}

template <typename Number>
std::string_view DecimalText(Arena& arena, Number number) {
  char text[24];
  const auto written = std::to_chars(text, text + sizeof(text), number);
  return arena.Copy({text, static_cast<size_t>(written.ptr - text)});
}

// IsValidUtf8 is made for long texts; these are short, and nearly always ASCII.
bool IsText(std::string_view text) {
  unsigned char bits = 0;
  uint64_t wide_bits = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (; end - at >= 8; at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    wide_bits |= word;
  }
  for (; at != end; ++at) bits |= static_cast<unsigned char>(*at);
  return ((wide_bits & 0x8080808080808080u) == 0 && bits < 0x80) || IsValidUtf8(text);
}

// The last of equal keys stays.
void KeepLastOfEqualKeys(std::vector<object::LabelSet::Label>& labels) {
  constexpr size_t kFew = 16;
  const auto key = &object::LabelSet::Label::key;
  if (labels.size() <= kFew) {
    for (size_t i = 0; i < labels.size(); ++i) {
      for (size_t j = i + 1; j < labels.size();) {
        if (labels[j].key == labels[i].key) {
          labels[i] = labels[j];
          labels.erase(labels.begin() + static_cast<ptrdiff_t>(j));
        } else {
          ++j;
        }
      }
    }
    return;
  }
  std::ranges::reverse(labels);
  std::ranges::stable_sort(labels, {}, key);
  const auto rest = std::ranges::unique(labels, {}, key);
  labels.erase(rest.begin(), rest.end());
}

}  // namespace

// --- protobuf

// The messages on the way to what is wanted, each with its wanted fields by number.
struct FactsReader::ProtobufPlan {
  enum class Kind : uint8_t { kMessage, kLabels, kText, kNumber };
  struct Step {
    uint32_t key;  // number and wire type
    int32_t item;  // of a list; -1: no list
    Kind kind;
    object::FieldType type;  // of kNumber
    uint8_t target;          // the node of kMessage, the slot of kText and kNumber
    uint8_t counter;         // counts the items of a list
  };
  struct Node {
    std::string path;  // "spec", for messages of errors
    const object::MessageDesc* message;
    std::vector<uint8_t> step_of_number;  // plus one; 0: not wanted, as are numbers beyond
    std::vector<Step> steps;
  };
  static constexpr size_t kMaxNodes = UINT8_MAX;

  const object::MessageDesc* message;
  std::vector<Node> nodes;  // the object first
  size_t counters = 0;

  explicit ProtobufPlan(const object::MessageDesc* object) : message(object) {
    nodes.push_back({.path = "", .message = object, .step_of_number = {}, .steps = {}});
  }
  // False when the message has no such field, or none of a kind that selectors can name.
  bool Add(const std::vector<FactStep>& path, uint8_t slot, bool labels);

 private:
  // The step for a field, made if need be; null when it is wanted in another way already.
  Step* FindOrAddStep(size_t node, const Step& wanted);
  // Moves from the node to the one of the message below the field.
  bool Descend(size_t& node, uint32_t key, const FactStep& step, const object::MessageDesc* below);
};

FactsReader::ProtobufPlan::Step* FactsReader::ProtobufPlan::FindOrAddStep(size_t node,
                                                                          const Step& wanted) {
  Node& at = nodes[node];
  const size_t number = object::WireFieldNumber(wanted.key);
  if (at.step_of_number.size() <= number) at.step_of_number.resize(number + 1);
  uint8_t& index = at.step_of_number[number];
  if (index == 0) {
    if (counters == std::tuple_size_v<Slots>) return nullptr;
    at.steps.push_back(wanted);
    index = static_cast<uint8_t>(at.steps.size());
    if (wanted.item >= 0) at.steps.back().counter = static_cast<uint8_t>(counters++);
    return &at.steps.back();
  }
  Step& step = at.steps[index - size_t{1}];
  return step.kind == wanted.kind && step.item == wanted.item ? &step : nullptr;
}

bool FactsReader::ProtobufPlan::Descend(size_t& node, uint32_t key, const FactStep& name,
                                        const object::MessageDesc* below) {
  if (nodes.size() == kMaxNodes || object::WireTypeOf(key) != object::WireType::kBytes)
    return false;
  Step* const step = FindOrAddStep(node, {.key = key,
                                          .item = name.item,
                                          .kind = Kind::kMessage,
                                          .type = object::FieldType::kMessage,
                                          .target = 0,
                                          .counter = 0});
  if (step == nullptr) return false;
  if (step->target == 0) {
    step->target = static_cast<uint8_t>(nodes.size());
    const std::string& path = nodes[node].path;
    nodes.push_back({.path = path.empty() ? name.name : path + "." + name.name,
                     .message = below,
                     .step_of_number = {},
                     .steps = {}});
    node = nodes.size() - 1;
  } else {
    node = step->target;
  }
  return true;
}

bool FactsReader::ProtobufPlan::Add(const std::vector<FactStep>& path, uint8_t slot, bool labels) {
  size_t node = 0;
  for (size_t i = 0; i < path.size(); ++i) {
    const bool last = i + 1 == path.size();
    uint16_t index = nodes[node].message->FindField(path[i].name);
    if (index == object::MessageDesc::kNoField) return false;
    // The fields of inlined messages lie one message deeper.
    const object::ProtoFieldDesc* proto = nullptr;
    for (const object::MessageDesc* inlined = nodes[node].message; inlined != nullptr;) {
      const auto found = std::ranges::find_if(inlined->proto_fields, [&](const auto& field) {
        const size_t width = field.inlined == nullptr ? 1 : field.inlined->fields.size();
        return index >= field.first_field && index < field.first_field + width;
      });
      if (found == inlined->proto_fields.end()) return false;
      proto = &*found;
      inlined = proto->inlined;
      if (inlined == nullptr) break;
      index = static_cast<uint16_t>(index - proto->first_field);
      if (!Descend(node, proto->key, {path[i].name}, inlined)) return false;
    }
    const object::FieldDesc& field = nodes[node].message->fields[index];
    const bool list = path[i].item >= 0;
    const auto cardinality = list             ? object::Cardinality::kList
                             : labels && last ? object::Cardinality::kMap
                                              : object::Cardinality::kSingle;
    if (field.cardinality != cardinality) return false;
    if (!last) {
      if (field.type != object::FieldType::kMessage) return false;
      if (!Descend(node, proto->key, path[i], field.message)) return false;
      continue;
    }
    const bool text = field.type == object::FieldType::kString;
    const bool number =
        field.type >= object::FieldType::kBool && field.type <= object::FieldType::kUint64;
    if (!text && (!number || list || labels)) return false;
    const Kind kind = labels ? Kind::kLabels : text ? Kind::kText : Kind::kNumber;
    const Step* const step = FindOrAddStep(node, {.key = proto->key,
                                                  .item = path[i].item,
                                                  .kind = kind,
                                                  .type = field.type,
                                                  .target = slot,
                                                  .counter = 0});
    return step != nullptr && step->target == slot;
  }
  return false;
}

class FactsReader::ProtobufWalk {
 public:
  ProtobufWalk(const ProtobufPlan& plan, Slots& slots, ObjectFacts& out)
      : plan_(plan), slots_(slots), out_(out) {
    std::fill_n(seen_.begin(), plan.counters, 0);
  }

  Result<void> Run(std::string_view message) {
    if (const object::WireError error = Walk(plan_.nodes[0], object::WireReader(message));
        error != object::WireError::kNone) {
      const std::string where = failed_ == nullptr || failed_->path.empty()
                                    ? std::string(plan_.message->name)
                                    : failed_->path;
      return BadObject(where + ": " + std::string(object::WireErrorText(error)));
    }
    if (!utf8_) return BadObject("a label or a field is not UTF-8");
    return {};
  }

 private:
  using Kind = ProtobufPlan::Kind;

  object::WireError Walk(const ProtobufPlan::Node& node, object::WireReader in) {
    const object::WireError error = WalkFields(node, in);
    if (error != object::WireError::kNone && failed_ == nullptr) failed_ = &node;
    return error;
  }

  object::WireError WalkFields(const ProtobufPlan::Node& node, object::WireReader in) {
    while (!in.done()) {
      uint32_t key = 0;
      if (const object::WireError error = in.ReadKey(&key); error != object::WireError::kNone)
        return error;
      const uint32_t number = object::WireFieldNumber(key);
      const uint8_t index = number < node.step_of_number.size() ? node.step_of_number[number] : 0;
      object::WireError error = object::WireError::kNone;
      if (index == 0) {
        error = in.Skip(key);
      } else if (const ProtobufPlan::Step& step = node.steps[index - size_t{1}]; key != step.key) {
        error = object::WireError::kBadWireType;
      } else if (step.kind == Kind::kNumber) {
        uint64_t value = 0;
        error = in.ReadVarint(&value);
        slots_[step.target] = NumberText(step.type, value);
      } else {
        std::string_view bytes;
        error = in.ReadBytes(&bytes);
        if (error == object::WireError::kNone) error = Take(step, bytes);
      }
      if (error != object::WireError::kNone) [[unlikely]]
        return error;
    }
    return object::WireError::kNone;
  }

  object::WireError Take(const ProtobufPlan::Step& step, std::string_view bytes) {
    if (step.item >= 0 && seen_[step.counter]++ != step.item) return object::WireError::kNone;
    switch (step.kind) {
      case Kind::kMessage:
        return Walk(plan_.nodes[step.target], object::WireReader(bytes));
      case Kind::kLabels:
        return TakeLabel(bytes);
      default:
        utf8_ = utf8_ && IsText(bytes);
        slots_[step.target] = bytes;
        return object::WireError::kNone;
    }
  }

  // One entry of the map: a message of key and value.
  object::WireError TakeLabel(std::string_view entry) {
    object::LabelSet::Label label;
    for (object::WireReader in(entry); !in.done();) {
      uint32_t key = 0;
      object::WireError error = in.ReadKey(&key);
      if (error != object::WireError::kNone) return error;
      const uint32_t number = object::WireFieldNumber(key);
      if (number > 2) {
        error = in.Skip(key);
      } else if (object::WireTypeOf(key) != object::WireType::kBytes) {
        error = object::WireError::kBadWireType;
      } else {
        error = in.ReadBytes(number == 1 ? &label.key : &label.value);
      }
      if (error != object::WireError::kNone) return error;
    }
    utf8_ = utf8_ && IsText(label.key) && IsText(label.value);
    out_.labels.push_back(label);
    return object::WireError::kNone;
  }

  std::string_view NumberText(object::FieldType type, uint64_t value) {
    switch (type) {
      case object::FieldType::kBool:
        return value != 0 ? "true" : "false";
      case object::FieldType::kInt32:
        return DecimalText(out_.copies, static_cast<int32_t>(value));
      case object::FieldType::kUint32:
        return DecimalText(out_.copies, static_cast<uint32_t>(value));
      case object::FieldType::kUint64:
        return DecimalText(out_.copies, value);
      default:
        return DecimalText(out_.copies, static_cast<int64_t>(value));
    }
  }

  const ProtobufPlan& plan_;
  Slots& slots_;
  ObjectFacts& out_;
  std::array<int32_t, std::tuple_size_v<Slots>> seen_;  // items of each list
  const ProtobufPlan::Node* failed_ = nullptr;          // the innermost
  bool utf8_ = true;
};

// --- JSON

struct FactsReader::JsonNode {
  enum class Kind : uint8_t { kObject, kLabels, kText };

  std::string name;
  int32_t item = -1;
  Kind kind = Kind::kObject;
  uint8_t slot = 0;                // of kText
  std::vector<JsonNode> children;  // of kObject

  // False when the value is wanted in another way already.
  bool Add(std::span<const FactStep> path, Kind last_kind, uint8_t last_slot) {
    const bool last = path.size() == 1;
    auto child = std::ranges::find(children, path[0].name, &JsonNode::name);
    if (child == children.end()) {
      children.push_back({.name = path[0].name,
                          .item = path[0].item,
                          .kind = last ? last_kind : Kind::kObject,
                          .slot = last ? last_slot : uint8_t{0},
                          .children = {}});
      child = children.end() - 1;
    }
    if (child->item != path[0].item) return false;
    if (last) return child->kind == last_kind && child->slot == last_slot;
    return child->kind == Kind::kObject && child->Add(path.subspan(1), last_kind, last_slot);
  }
};

class FactsReader::JsonWalk {
 public:
  JsonWalk(std::string_view text, const std::vector<FactPath>& paths, Slots& slots,
           ObjectFacts& out)
      : in_(text), paths_(paths), slots_(slots), out_(out) {}

  Result<void> Run(const JsonNode& root) {
    if (in_.Peek() != object::JsonKind::kObject) {
      return BadObject("it begins neither like protobuf nor like a JSON object");
    }
    if (!TakeObject(root, 1)) return Failed();
    in_.SkipSpace();
    if (!in_.AtEnd()) {
      in_.Fail("something follows the object");
      return Failed();
    }
    return {};
  }

 private:
  std::unexpected<Status> Failed() const {
    return BadObject(std::string("JSON, at byte ") + std::to_string(in_.error().offset) + ": " +
                     in_.error().message);
  }

  // member(name) reads the value.
  template <typename Member>
  bool EachMember(Member member) {
    if (!in_.Expect('{', "expected an object")) return false;
    if (in_.Take('}')) return true;
    do {
      std::string_view name;
      if (!in_.ReadString(out_.copies, &name) || !in_.Expect(':', object::kExpectedColon))
        return false;
      if (!member(name)) return false;
    } while (in_.Take(','));
    return in_.Expect('}', object::kExpectedObjectEnd);
  }

  bool TakeObject(const JsonNode& node, int depth) {
    return EachMember([&](std::string_view name) {
      const auto wanted = std::ranges::find(node.children, name, &JsonNode::name);
      if (wanted == node.children.end()) return in_.SkipValue(depth);
      return wanted->item < 0 ? Take(*wanted, depth) : TakeItem(*wanted, depth);
    });
  }

  bool TakeItem(const JsonNode& node, int depth) {
    if (in_.Peek() != object::JsonKind::kArray) return in_.SkipValue(depth);
    in_.Take('[');
    if (in_.Take(']')) return true;
    int32_t item = 0;
    do {
      if (item++ == node.item ? !Take(node, depth + 1) : !in_.SkipValue(depth + 1)) return false;
    } while (in_.Take(','));
    return in_.Expect(']', object::kExpectedArrayEnd);
  }

  bool Take(const JsonNode& node, int depth) {
    if (node.kind == JsonNode::Kind::kText) return TakeText(node.slot, depth);
    if (in_.Peek() != object::JsonKind::kObject) return in_.SkipValue(depth);
    if (node.kind == JsonNode::Kind::kObject) return TakeObject(node, depth + 1);
    return EachMember([&](std::string_view key) {
      if (in_.Peek() != object::JsonKind::kString) return in_.SkipValue(depth + 1);
      object::LabelSet::Label label{.key = key, .value = {}};
      if (!in_.ReadString(out_.copies, &label.value)) return false;
      out_.labels.push_back(label);
      return true;
    });
  }

  bool TakeText(uint8_t slot, int depth) {
    bool truth = false;
    switch (in_.Peek()) {
      case object::JsonKind::kString:
        return in_.ReadString(out_.copies, &slots_[slot]);
      case object::JsonKind::kNumber:
        return in_.ReadNumber(&slots_[slot]);
      case object::JsonKind::kBool:
        if (!in_.ReadBool(&truth)) return false;
        slots_[slot] = truth ? "true" : "false";
        return true;
      default:
        slots_[slot] = paths_[slot].absent;
        return in_.SkipValue(depth);
    }
  }

  object::JsonCursor in_;
  const std::vector<FactPath>& paths_;
  Slots& slots_;
  ObjectFacts& out_;
};

// --- the reader

size_t FactsReader::SlotOf(FactPath path) {
  const auto found = std::ranges::find(paths_, path);
  if (found != paths_.end()) return static_cast<size_t>(found - paths_.begin());
  paths_.push_back(std::move(path));
  return paths_.size() - 1;
}

Result<void> FactsReader::AddField(const object::ResourceHub& hub,
                                   const object::SelectableField& field) {
  const std::string own_path = "." + ResolveFieldAlias(hub, field.label);
  SKIFF_ASSIGN_OR_RETURN(std::vector<FactPath> paths,
                         ParseFactCell(field.cell.empty() ? own_path : field.cell));
  std::vector<uint8_t> slots;
  for (FactPath& path : paths) slots.push_back(static_cast<uint8_t>(SlotOf(std::move(path))));
  if (fields_.size() == limits::kMaxCachedFields || paths_.size() > std::tuple_size_v<Slots>) {
    return BadTable(hub, "there are too many of them");
  }
  fields_.push_back({std::string(field.label), field.trigger, field.indexed});
  slots_of_field_.push_back(std::move(slots));
  return {};
}

Result<void> FactsReader::AddPlans(const object::StorageDesc& storage) {
  JsonNode json;
  json.Add(LabelSteps(), JsonNode::Kind::kLabels, 0);
  for (size_t slot = 0; slot < paths_.size(); ++slot) {
    const std::vector<FactStep>& steps = paths_[slot].steps;
    if (steps.empty()) continue;
    if (!json.Add(steps, JsonNode::Kind::kText, static_cast<uint8_t>(slot))) {
      return BadTable(*hub_, paths_[slot].ToString() + " stands in two forms");
    }
  }
  json_ = std::make_shared<const JsonNode>(std::move(json));

  const object::MessageDesc* const stored = storage.stored;
  if (stored == nullptr || !stored->in_protobuf) return {};
  std::vector<const object::MessageDesc*> versions = {stored};
  for (const object::KindDesc& kind : object::AllKinds()) {
    if (kind.message != stored && kind.message->in_protobuf && kind.message->name == stored->name &&
        kind.message->group_version->group == stored->group_version->group) {
      versions.push_back(kind.message);
    }
  }
  for (const object::MessageDesc* version : versions) {
    auto plan = std::make_shared<ProtobufPlan>(version);
    plan->Add(LabelSteps(), 0, /*labels=*/true);
    for (size_t slot = 0; slot < paths_.size(); ++slot) {
      if (paths_[slot].steps.empty()) continue;
      if (!plan->Add(paths_[slot].steps, static_cast<uint8_t>(slot), /*labels=*/false) &&
          version == stored) {
        return BadTable(*hub_, "no such field: " + paths_[slot].ToString());
      }
    }
    plans_.push_back(std::move(plan));
  }
  return {};
}

Result<FactsReader> FactsReader::Make(const object::ResourceHub& hub) {
  if (hub.storage == nullptr) return BadTable(hub, "the resource is not stored");
  FactsReader reader;
  reader.hub_ = &hub;
  for (const object::SelectableField& field : hub.selectable) {
    if (IsMetadataInKey(field.label)) continue;
    SKIFF_RETURN_IF_ERROR(reader.AddField(hub, field));
  }
  SKIFF_RETURN_IF_ERROR(reader.AddPlans(*hub.storage));
  return reader;
}

std::optional<size_t> FactsReader::FindField(std::string_view label) const {
  auto found = std::ranges::find(fields_, label, &Field::label);
  if (found == fields_.end()) {
    found = std::ranges::find(fields_, ResolveFieldAlias(*hub_, label), &Field::label);
  }
  if (found == fields_.end()) return std::nullopt;
  return static_cast<size_t>(found - fields_.begin());
}

const FactsReader::ProtobufPlan* FactsReader::FindPlan(std::string_view api_version,
                                                       std::string_view kind) const {
  for (const auto& plan : plans_) {
    if (plan->message->name == kind && plan->message->group_version->api_version == api_version) {
      return plan.get();
    }
  }
  return nullptr;
}

Result<void> FactsReader::ReadProtobuf(std::string_view bytes, Slots& slots,
                                       ObjectFacts& out) const {
  SKIFF_ASSIGN_OR_RETURN(const object::ProtobufEnvelope envelope,
                         object::OpenProtobufEnvelope(bytes));
  const ProtobufPlan* const plan = FindPlan(envelope.api_version, envelope.kind);
  if (plan == nullptr) {
    return BadObject("\"" + std::string(envelope.kind) + "\" of version \"" +
                     std::string(envelope.api_version) + "\" is no kind of " +
                     std::string(hub_->resource->name));
  }
  if (!envelope.content_encoding.empty()) {
    return BadObject("the content encoding is not supported");
  }
  if (envelope.raw.data() == nullptr) return BadObject("the envelope holds none");
  return ProtobufWalk(*plan, slots, out).Run(envelope.raw);
}

Result<void> FactsReader::ReadJson(std::string_view bytes, Slots& slots, ObjectFacts& out) const {
  return JsonWalk(bytes, paths_, slots, out).Run(*json_);
}

Result<void> FactsReader::Read(std::string_view storage_bytes, ObjectFacts& out) const {
  out.labels.clear();
  out.fields.clear();
  if (out.copies.BytesReserved() != 0) out.copies = Arena();
  Slots slots;
  for (size_t i = 0; i < paths_.size(); ++i) slots[i] = paths_[i].absent;
  if (object::HasProtobufPrefix(storage_bytes)) {
    SKIFF_RETURN_IF_ERROR(ReadProtobuf(storage_bytes, slots, out));
  } else {
    SKIFF_RETURN_IF_ERROR(ReadJson(storage_bytes, slots, out));
  }
  KeepLastOfEqualKeys(out.labels);
  for (const std::vector<uint8_t>& choices : slots_of_field_) {
    std::string_view text;
    for (const uint8_t slot : choices) {
      text = slots[slot];
      if (!text.empty()) break;
    }
    out.fields.push_back(text);
  }
  return {};
}

}  // namespace skiff::store
