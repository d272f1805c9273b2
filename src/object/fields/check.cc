#include "object/fields/check.h"

#include <vector>

#include "base/limits.h"
#include "base/strings.h"
#include "object/fields/list_items.h"
#include "object/json/encode.h"

namespace skiff::object {
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

// Walks a configuration once, to check it and to collect its fields. Paths are spelled out only for
// faults.
class Checker {
 public:
  explicit Checker(Arena& arena) : arena_(arena), builder_(arena) {}

  // Adds what is below the value to the level under way, unless it lies `within` something that is
  // owned as one; true if the value is a member itself.
  bool Walk(const FieldShape& shape, const Value& value, bool within) {
    if (shape.atomic()) within = true;
    switch (shape.kind()) {
      case FieldShape::Kind::kStruct:
      case FieldShape::Kind::kMap:
      case FieldShape::Kind::kOpen:
        if (value.is_null()) return shape.atomic();
        if (!value.is_map()) return Fault("expected map, got " + Plain(value));
        WalkMap(shape, value, within);
        return shape.atomic();
      case FieldShape::Kind::kList:
        if (value.is_null()) return shape.atomic();
        if (!value.is_list()) return Fault("expected list, got " + Plain(value));
        WalkList(shape, value, within);
        return shape.atomic();
      case FieldShape::Kind::kDeduced:
        if (!value.is_map()) return true;
        WalkMap(shape, value, within);
        return false;
      case FieldShape::Kind::kScalar:
        if (!value.is_null() && !shape.opaque()) CheckScalar(shape.scalar_type(), value);
        return true;
      case FieldShape::Kind::kUnknown:
        break;
    }
    return true;
  }

  ConfigurationFields Take() { return {builder_.Close(0), FaultsText()}; }

 private:
  bool Fault(const std::string& message) {
    if (faults_.size() == limits::kMaxStatusCauses) {
      ++left_out_;
      return false;
    }
    faults_.push_back(path_.empty() ? message : PathText(path_) + ": " + message);
    CutText(faults_.back(), limits::kMaxCauseMessageBytes);
    return false;
  }
  std::string FaultsText() const {
    if (faults_.empty()) return {};
    if (faults_.size() == 1) return faults_[0];
    std::string out = "errors:";
    for (const std::string& fault : faults_) out += "\n  " + fault;
    if (left_out_ != 0) out += "\n  ... and " + std::to_string(left_out_) + " more";
    return out;
  }

  void Descend(const PathElement& element, const FieldShape& shape, const Value& value, bool within,
               bool member) {
    path_.push_back(element);
    const size_t mark = builder_.Mark();
    member = Walk(shape, value, within) || member;
    path_.pop_back();
    if (within) return;
    const FieldSet children = builder_.Close(mark);
    builder_.Add(element, member, children);
  }

  void WalkMap(const FieldShape& shape, const Value& value, bool within) {
    for (const MapEntry& entry : value.entries()) {
      const Value& member = entry.value;
      const FieldShape below = shape.Entry(entry.key);
      if (below.kind() == FieldShape::Kind::kUnknown) {
        path_.push_back(PathElement::Field(entry.key));
        Fault("field not declared in schema");
        path_.pop_back();
        return;
      }
      const bool empty = member.is_null() || (member.is_map() && member.size() == 0);
      Descend(PathElement::Field(entry.key), below, member, within,
              empty || !shape.Declares(entry.key));
    }
  }

  void WalkList(const FieldShape& list, const Value& value, bool within) {
    const FieldShape item = list.Element();
    const std::span<const Value> items = value.items();
    if (items.empty()) return;
    PathElement* elements = arena_.AllocateArray<PathElement>(items.size());
    for (size_t i = 0; i < items.size(); ++i) {
      elements[i] = PathElement::Index(static_cast<int64_t>(i));
      std::string why;
      if (!list.atomic() && !ItemElement(arena_, list, items[i], i, &elements[i], &why)) {
        Fault("element " + std::to_string(i) + ": " + why);
        return;
      }
    }
    if (!list.atomic()) CheckDuplicates({elements, items.size()});
    for (size_t i = 0; i < items.size(); ++i) Descend(elements[i], item, items[i], within, true);
  }

  void CheckDuplicates(std::span<const PathElement> elements) {
    const ItemIndex index(arena_, elements);
    if (!index.has_duplicates()) return;
    for (size_t i = 0; i < elements.size(); ++i) {
      if (index.Find(elements[i]) == i) continue;
      std::string name;
      elements[i].AppendTo(name);
      Fault("duplicate entries for key " + name);
    }
  }

  void CheckScalar(FieldType type, const Value& value) {
    const bool number =
        value.tag() == Tag::kInt || value.tag() == Tag::kUint || value.tag() == Tag::kDouble;
    switch (type) {
      case FieldType::kString:
      case FieldType::kBytes:
      case FieldType::kStringList: {
        if (value.is_string()) return;
        std::string got = "&value.valueUnstructured{Value:";
        AppendGo(value, true, got);
        Fault("expected string, got " + got + "}");
        return;
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
  FieldSetBuilder builder_;
  std::vector<PathElement> path_;
  std::vector<std::string> faults_;
  size_t left_out_ = 0;
};

}  // namespace

ConfigurationFields ReadConfigurationFields(Arena& arena, const FieldShape& shape,
                                            const Value& config) {
  Checker checker(arena);
  checker.Walk(shape, config, false);
  return checker.Take();
}

}  // namespace skiff::object
