#include "object/fields/shape.h"

#include "object/json/decode.h"
#include "object/open_kind.h"
#include "object/published.h"

namespace skiff::object {
namespace {

bool IsOpaque(FieldType type) {
  return type == FieldType::kRawJson || type == FieldType::kFieldsV1 || type == FieldType::kUnknown;
}

// The type that lies in the innermost container of a field.
FieldShape::Kind InnermostKind(const FieldDesc& field) {
  if (field.type == FieldType::kAny) return FieldShape::Kind::kDeduced;
  if (field.type != FieldType::kMessage) return FieldShape::Kind::kScalar;
  return field.message->form == MessageForm::kPlain ? FieldShape::Kind::kStruct
                                                    : FieldShape::Kind::kScalar;
}

std::string_view PublishedDefaultOf(const MessageDesc& owner, const FieldDesc& field) {
  if (const PublishedVersion* version = FindPublished(owner.group_version)) {
    for (const PublishedDefault& shown : version->defaults) {
      if (shown.message == owner.name && shown.field == field.name()) return shown.json;
    }
    return {};
  }
  // A custom resource's schema publishes all the defaults that it has.
  return field.traits->default_json;
}

}  // namespace

FieldShape FieldShape::OfMessage(const MessageDesc* message) {
  FieldShape out;
  if (message == nullptr) {
    out.kind_ = Kind::kDeduced;
    return out;
  }
  if (message->open != nullptr) return message->open->Shape();
  out.kind_ = Kind::kStruct;
  out.message_ = message;
  out.atomic_ = message->map_type == MapType::kAtomic;
  return out;
}

FieldShape FieldShape::OfOpen(const OpenShapes& shapes, OpenShapes::Spot spot, Kind kind,
                              bool atomic, FieldType scalar) {
  FieldShape out;
  out.kind_ = kind;
  out.atomic_ = atomic;
  out.open_ = &shapes;
  out.spot_ = spot;
  out.scalar_ = scalar;
  return out;
}

FieldShape FieldShape::Deduced() { return OfMessage(nullptr); }

FieldShape FieldShape::At(const FieldDesc& field, uint8_t depth) {
  FieldShape out;
  out.field_ = &field;
  out.depth_ = depth;
  const bool contained = field.cardinality != Cardinality::kSingle;
  if (depth == 0 && contained) {
    const FieldTraits& traits = *field.traits;
    out.kind_ = field.cardinality == Cardinality::kMap ? Kind::kMap : Kind::kList;
    if (out.kind_ == Kind::kMap) {
      out.atomic_ = traits.map_type == MapType::kAtomic;
    } else if (traits.list_type == ListType::kUnset) {
      out.atomic_ = !traits.patch_merge;
    } else {
      out.atomic_ = traits.list_type == ListType::kAtomic;
    }
    return out;
  }
  if (field.type == FieldType::kStringList && depth == uint8_t{contained}) {
    out.kind_ = Kind::kList;
    out.atomic_ = true;
    return out;
  }
  out.kind_ = InnermostKind(field);
  if (out.kind_ == Kind::kStruct) {
    out.message_ = field.message;
    // A field may have it otherwise than its type.
    const MapType own = contained ? MapType::kUnset : field.traits->map_type;
    out.atomic_ = (own != MapType::kUnset ? own : field.message->map_type) == MapType::kAtomic;
  }
  return out;
}

FieldShape FieldShape::OfField(const FieldDesc& field) { return At(field, 0); }

FieldShape FieldShape::Entry(std::string_view name) const {
  switch (kind_) {
    case Kind::kStruct: {
      const FieldDesc* field = FindField(name);
      return field != nullptr ? OfField(*field) : FieldShape();
    }
    case Kind::kMap:
      return Element();
    case Kind::kOpen:
      return open_->Field(spot_, name);
    case Kind::kDeduced:
      return open_ != nullptr ? open_->Field(spot_, name) : Deduced();
    default:
      return {};
  }
}

bool FieldShape::Declares(std::string_view name) const {
  if (kind_ == Kind::kStruct) return FindField(name) != nullptr;
  return open_ != nullptr && open_->Declares(spot_, name);
}

const Value* FieldShape::OpenKeyDefault(std::string_view key) const {
  return open_ != nullptr ? open_->KeyDefault(spot_, key) : nullptr;
}

FieldShape FieldShape::Element() const {
  if (open_ != nullptr && kind_ == Kind::kList) return open_->Item(spot_);
  if (kind_ == Kind::kDeduced) return Deduced();
  if (kind_ != Kind::kMap && kind_ != Kind::kList) return {};
  if (field_ == nullptr) return Deduced();
  return At(*field_, static_cast<uint8_t>(depth_ + 1));
}

const FieldDesc* FieldShape::FindField(std::string_view name) const {
  if (kind_ != Kind::kStruct) return nullptr;
  const uint16_t index = message_->FindField(name);
  return index == MessageDesc::kNoField ? nullptr : &message_->fields[index];
}

std::span<const std::string_view> FieldShape::keys() const {
  if (kind_ == Kind::kList && open_ != nullptr) return open_->Keys(spot_);
  if (kind_ != Kind::kList || field_ == nullptr) return {};
  const FieldTraits& traits = *field_->traits;
  if (traits.list_type == ListType::kMap) return traits.list_map_keys;
  if (traits.list_type == ListType::kUnset && !traits.merge_key.empty()) {
    return {&traits.merge_key, 1};
  }
  return {};
}

bool FieldShape::opaque() const {
  if (kind_ != Kind::kScalar || field_ == nullptr) return false;
  return IsOpaque(field_->type) || field_->type == FieldType::kMessage;
}

Value KeyDefault(Arena& arena, const MessageDesc& item, const FieldDesc& key) {
  const std::string_view published = PublishedDefaultOf(item, key);
  if (!published.empty()) {
    const Result<Document> value = DecodeJson(published, nullptr);
    return value ? value->root().CopyInto(arena) : Value();
  }
  if (key.pointer() || key.omit_empty() || key.cardinality != Cardinality::kSingle) return {};
  switch (key.type) {
    case FieldType::kString:
      return Value::String("");
    case FieldType::kBool:
      return Value::Bool(false);
    case FieldType::kInt32:
    case FieldType::kInt64:
    case FieldType::kUint32:
    case FieldType::kUint64:
    case FieldType::kDouble:
      return Value::Int(0);
    default:
      return {};
  }
}

}  // namespace skiff::object
