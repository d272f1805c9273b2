#include "apiserver/extensions/schema/open_shapes.h"

#include "apiserver/extensions/schema/schema_shape.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

object::FieldType ScalarOf(const SchemaNode* node) {
  if (node == nullptr) return object::FieldType::kAny;
  switch (node->type) {
    case SchemaType::kString:
      return object::FieldType::kString;
    case SchemaType::kInteger:
    case SchemaType::kNumber:
      return object::FieldType::kDouble;
    case SchemaType::kBoolean:
      return object::FieldType::kBool;
    default:
      return object::FieldType::kAny;
  }
}

// All that a spot needs is in its node and bits, so that one serves all schemas.
class SchemaShapes final : public object::OpenShapes {
 public:
  static object::FieldShape Of(const SchemaShape& shape) {
    static const SchemaShapes shapes;
    const Spot spot{shape.node(), shape.bits()};
    using Kind = object::FieldShape::Kind;
    switch (shape.kind()) {
      case SchemaShape::Kind::kUnknown:
        return {};
      case SchemaShape::Kind::kMetadata:
        return object::FieldShape::OfMessage(views::meta_v1::ObjectMeta::Type());
      case SchemaShape::Kind::kObject:
        return object::FieldShape::OfOpen(shapes, spot, Kind::kOpen, shape.atomic());
      case SchemaShape::Kind::kList:
        return object::FieldShape::OfOpen(shapes, spot, Kind::kList, shape.atomic());
      case SchemaShape::Kind::kDeduced:
        if (shape.node() == nullptr) return object::FieldShape::Deduced();
        return object::FieldShape::OfOpen(shapes, spot, Kind::kDeduced, false);
      case SchemaShape::Kind::kScalar:
        break;
    }
    return object::FieldShape::OfOpen(shapes, spot, Kind::kScalar, false, ScalarOf(shape.node()));
  }

  object::FieldShape Field(Spot spot, std::string_view name) const override {
    return Of(ShapeAt(spot).Field(name));
  }
  bool Declares(Spot spot, std::string_view name) const override {
    return ShapeAt(spot).Declares(name);
  }
  object::FieldShape Item(Spot spot) const override { return Of(ShapeAt(spot).Item()); }
  std::span<const std::string_view> Keys(Spot spot) const override { return ShapeAt(spot).keys(); }
  const object::Value* KeyDefault(Spot list, std::string_view key) const override {
    return ShapeAt(list).KeyDefault(key);
  }

 private:
  static SchemaShape ShapeAt(Spot spot) {
    return SchemaShape::OfNode(static_cast<const SchemaNode*>(spot.node), spot.bits);
  }
};

// What a resource without a schema is like.
const SchemaNode& AnyObject() {
  static const SchemaNode node = [] {
    SchemaNode any;
    any.type = SchemaType::kObject;
    any.flags = SchemaNode::kPreserve;
    return any;
  }();
  return node;
}

}  // namespace

object::FieldShape ShapeOfCustomResource(const CompiledSchema* schema) {
  if (schema != nullptr) return SchemaShapes::Of(SchemaShape::OfResource(*schema));
  return SchemaShapes::Of(SchemaShape::OfNode(&AnyObject(), /*is_resource=*/1));
}

}  // namespace skiff::apiserver
