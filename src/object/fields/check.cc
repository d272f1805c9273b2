#include "object/fields/check.h"

#include <vector>

#include "base/strings.h"
#include "object/fields/list_items.h"
#include "object/json/encode.h"

namespace skiff {
namespace {

// A value as Go prints it: plainly, or in the syntax of the language.
void AppendGo(const Value& value, bool syntax, std::string& out) {
  switch (value.tag()) {
    case Tag::kNull:
      out += syntax ? "interface {}(nil)" : "<nil>";
      return;
    case Tag::kString:
      out += syntax ? Quoted(value.AsText()) : std::string(value.AsText());
      return;
    case Tag::kList: {
      out += syntax ? "[]interface {}{" : "[";
      bool first = true;
      for (const Value& item : value.items()) {
        if (!first) out += syntax ? ", " : " ";
        first = false;
        AppendGo(item, syntax, out);
      }
      out += syntax ? "}" : "]";
      return;
    }
    case Tag::kMap: {
      out += syntax ? "map[string]interface {}{" : "map[";
      bool first = true;
      for (const MapEntry& entry : value.entries()) {
        if (!first) out += syntax ? ", " : " ";
        first = false;
        out += syntax ? Quoted(entry.key) : std::string(entry.key);
        out += ':';
        AppendGo(entry.value, syntax, out);
      }
      out += syntax ? "}" : "]";
      return;
    }
    default:
      out += EncodeJson(value);
  }
}

std::string Plain(const Value& value) {
  std::string out = "&{";
  AppendGo(value, false, out);
  return out + "}";
}

std::string_view GoTypeOf(const Value& value) {
  switch (value.tag()) {
    case Tag::kString:
      return "string";
    case Tag::kBool:
      return "bool";
    case Tag::kList:
      return "[]interface {}";
    case Tag::kMap:
      return "map[string]interface {}";
    default:
      return "int64";
  }
}

class Checker {
 public:
  explicit Checker(Arena& arena) : arena_(arena) {}

  void Walk(const FieldShape& shape, const Value& value) {
    if (value.is_null()) return;
    switch (shape.kind()) {
      case FieldShape::Kind::kStruct:
      case FieldShape::Kind::kMap:
        if (!value.is_map()) return Fault("expected map, got " + Plain(value));
        return WalkMap(shape, value);
      case FieldShape::Kind::kList:
        if (!value.is_list()) return Fault("expected list, got " + Plain(value));
        return WalkList(shape, value);
      case FieldShape::Kind::kScalar:
        if (!shape.opaque()) CheckScalar(shape.scalar_type(), value);
        return;
      case FieldShape::Kind::kDeduced:
      case FieldShape::Kind::kUnknown:
        return;
    }
  }

  std::string Take() const {
    if (faults_.empty()) return {};
    if (faults_.size() == 1) return faults_[0];
    std::string out = "errors:";
    for (const std::string& fault : faults_) out += "\n  " + fault;
    return out;
  }

 private:
  void Fault(const std::string& message) {
    faults_.push_back(path_.empty() ? message : path_ + ": " + message);
  }

  void Descend(const PathElement& element, const FieldShape& shape, const Value& value) {
    const size_t size = path_.size();
    element.AppendTo(path_);
    Walk(shape, value);
    path_.resize(size);
  }

  void WalkMap(const FieldShape& shape, const Value& value) {
    for (const MapEntry& entry : value.entries()) {
      const PathElement element = PathElement::Field(entry.key);
      if (shape.kind() == FieldShape::Kind::kMap) {
        Descend(element, shape.Element(), entry.value);
      } else if (const FieldDesc* field = shape.FindField(entry.key); field != nullptr) {
        Descend(element, FieldShape::OfField(*field), entry.value);
      } else {
        const size_t size = path_.size();
        element.AppendTo(path_);
        Fault("field not declared in schema");
        path_.resize(size);
        return;
      }
    }
  }

  void WalkList(const FieldShape& list, const Value& value) {
    const FieldShape item = list.Element();
    std::vector<PathElement> elements;
    elements.reserve(value.size());
    for (size_t i = 0; i < value.size(); ++i) {
      PathElement element = PathElement::Index(static_cast<int64_t>(i));
      std::string why;
      if (!list.atomic() && !ItemElement(arena_, list, value.items()[i], i, &element, &why)) {
        return Fault("element " + std::to_string(i) + ": " + why);
      }
      elements.push_back(element);
    }
    if (!list.atomic()) CheckDuplicates(elements);
    for (size_t i = 0; i < value.size(); ++i) Descend(elements[i], item, value.items()[i]);
  }

  void CheckDuplicates(const std::vector<PathElement>& elements) {
    const ItemIndex index(elements);
    for (size_t i = 0; i < elements.size(); ++i) {
      if (index.Find(elements[i]) == i) continue;
      std::string name;
      elements[i].AppendTo(name);
      Fault("duplicate entries for key " + name);
    }
  }

  void CheckScalar(FieldType type, const Value& value) {
    const bool number = value.tag() == Tag::kInt || value.tag() == Tag::kUint ||
                        value.tag() == Tag::kDouble;
    switch (type) {
      case FieldType::kString:
      case FieldType::kBytes:
      case FieldType::kStringList: {
        if (value.is_string()) return;
        std::string got = "&value.valueUnstructured{Value:";
        AppendGo(value, true, got);
        return Fault("expected string, got " + got + "}");
      }
      case FieldType::kBool:
        if (value.tag() != Tag::kBool) Fault("expected boolean, got " + Plain(value));
        return;
      case FieldType::kInt32:
      case FieldType::kInt64:
      case FieldType::kUint32:
      case FieldType::kUint64:
      case FieldType::kDouble:
        if (!number) {
          Fault("expected numeric (int or float), got " + std::string(GoTypeOf(value)));
        }
        return;
      default:
        if (!number && !value.is_string() && value.tag() != Tag::kBool) {
          Fault("expected any scalar, got " + Plain(value));
        }
    }
  }

  Arena& arena_;
  std::string path_;
  std::vector<std::string> faults_;
};

}  // namespace

std::string ConfigurationFaults(Arena& arena, const FieldShape& shape, const Value& config) {
  Checker checker(arena);
  checker.Walk(shape, config);
  return checker.Take();
}

}  // namespace skiff
