#include "apiserver/extensions/schema/schema_shape.h"

namespace skiff::apiserver {
namespace {

SchemaShape::Kind KindOf(SchemaType type) {
  switch (type) {
    case SchemaType::kAny:
      return SchemaShape::Kind::kDeduced;
    case SchemaType::kObject:
      return SchemaShape::Kind::kObject;
    case SchemaType::kArray:
      return SchemaShape::Kind::kList;
    default:
      return SchemaShape::Kind::kScalar;
  }
}

bool IsAtomicList(const SchemaNode& node) {
  return node.list_type == object::ListType::kUnset || node.list_type == object::ListType::kAtomic;
}

}  // namespace

SchemaShape::SchemaShape(const SchemaNode* node, bool is_resource, bool preserves)
    : node_(node), kind_(KindOf(node->type)), is_resource_(is_resource), preserves_(preserves) {
  preserves_ |= node->is(SchemaNode::kPreserve);
  is_resource_ |= node->is(SchemaNode::kEmbedded);
  if (kind_ == Kind::kObject) atomic_ = node->map_type == object::MapType::kAtomic;
  if (kind_ == Kind::kList) atomic_ = IsAtomicList(*node);
}

SchemaShape SchemaShape::Deduced() {
  SchemaShape out;
  out.kind_ = Kind::kDeduced;
  return out;
}

SchemaShape SchemaShape::Metadata() {
  SchemaShape out;
  out.kind_ = Kind::kMetadata;
  return out;
}

SchemaShape SchemaShape::OfNode(const SchemaNode* node, uint8_t bits) {
  return node == nullptr ? Deduced() : SchemaShape(node, (bits & 1) != 0, (bits & 2) != 0);
}

bool SchemaShape::Declares(std::string_view name) const {
  if (is_resource_ && (name == "metadata" || name == "apiVersion" || name == "kind")) return true;
  return node_ != nullptr && node_->FindProperty(name) != nullptr;
}

SchemaShape SchemaShape::OfResource(const CompiledSchema& schema) {
  return SchemaShape(&schema.root(), true, false);
}

SchemaShape SchemaShape::At(const CompiledSchema& schema, const object::FieldPath& path) {
  SchemaShape shape = OfResource(schema);
  for (const object::FieldPathStep& step : path.steps()) {
    shape = step.kind == object::FieldPathStep::kMember ? shape.Field(step.name) : shape.Item();
  }
  return shape;
}

SchemaShape SchemaShape::Field(std::string_view name) const {
  if (kind_ == Kind::kMetadata) return *this;
  if (kind_ == Kind::kDeduced && node_ == nullptr) return Deduced();
  if (kind_ != Kind::kObject && kind_ != Kind::kDeduced) return {};
  if (is_resource_ && name == "metadata") return Metadata();
  if (const SchemaNode* field = node_->FindField(name)) {
    return SchemaShape(field, false, preserves_);
  }
  if (is_resource_ && (name == "apiVersion" || name == "kind")) {
    SchemaShape out;
    out.kind_ = Kind::kScalar;
    return out;
  }
  if (node_->is(SchemaNode::kClosed)) return {};
  // An object of which nothing is said is free.
  const bool is_free = node_->properties.empty() && !is_resource_;
  return preserves_ || is_free || node_->is(SchemaNode::kOpen) ? Deduced() : SchemaShape();
}

SchemaShape SchemaShape::Item() const {
  if (kind_ == Kind::kMetadata) return *this;
  if (kind_ != Kind::kList && kind_ != Kind::kDeduced) return {};
  if (node_ == nullptr) return Deduced();
  return node_->items != nullptr ? SchemaShape(node_->items, false, preserves_) : Deduced();
}

SchemaShape SchemaShape::For(const object::Value& value) const {
  if (kind_ != Kind::kDeduced) return *this;
  SchemaShape out = *this;
  if (value.is_map()) {
    if (node_ == nullptr) return *this;
    out.kind_ = Kind::kObject;
    out.atomic_ = node_->map_type == object::MapType::kAtomic;
  } else if (value.is_list()) {
    out.kind_ = Kind::kList;
    out.atomic_ = node_ == nullptr || IsAtomicList(*node_);
  } else {
    out.kind_ = Kind::kScalar;
  }
  return out;
}

std::span<const std::string_view> SchemaShape::keys() const {
  if (node_ == nullptr || node_->list_type != object::ListType::kMap) return {};
  return node_->list_map_keys();
}

const object::Value* SchemaShape::KeyDefault(std::string_view key) const {
  if (node_ == nullptr || node_->items == nullptr) return nullptr;
  const SchemaNode* field = node_->items->FindProperty(key);
  return field != nullptr ? field->default_value : nullptr;
}

}  // namespace skiff::apiserver
