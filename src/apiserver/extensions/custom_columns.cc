#include "apiserver/extensions/custom_columns.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/extensions/json_path.h"
#include "apiserver/rest/object_meta.h"
#include "apiserver/tables/cell.h"
#include "object/json/encode.h"
#include "object/json/json_text.h"
#include "object/json/text.h"
#include "object/scalar/time.h"
#include "views/apiextensions.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace v1 = views::apiextensions_k8s_io_v1;

enum class ColumnType : uint8_t { kText, kInteger, kNumber, kBoolean, kDate, kOther };

ColumnType TypeOf(std::string_view type) {
  if (type == "string") return ColumnType::kText;
  if (type == "integer") return ColumnType::kInteger;
  if (type == "number") return ColumnType::kNumber;
  if (type == "boolean") return ColumnType::kBoolean;
  return type == "date" ? ColumnType::kDate : ColumnType::kOther;
}

struct Column {
  JsonPath path;
  ColumnType type;
};

void AppendMember(ByteBuffer& out, std::string_view key, std::string_view value) {
  out.Append(key);
  object::AppendJsonString(out, value);
}

struct Definition {
  std::string_view name;
  std::string_view type;
  std::string_view format;
  std::string_view description;
  int32_t priority;
};

void AppendDefinition(const Definition& column, ByteBuffer& out) {
  out.Append(out.empty() ? '[' : ',');
  AppendMember(out, "{\"name\":", column.name);
  AppendMember(out, ",\"type\":", column.type);
  AppendMember(out, ",\"format\":", column.format);
  AppendMember(out, ",\"description\":", column.description);
  out.Append(",\"priority\":");
  object::AppendJsonInt(out, column.priority);
  out.Append('}');
}

// As Go prints a value that is no text: objects and lists as JSON.
void AppendAsText(const object::Value& value, ByteBuffer& out) {
  switch (value.tag()) {
    case object::Tag::kString:
      return object::AppendJsonString(out, value.AsText());
    case object::Tag::kNull:
      out.Append("\"\\u003cno value\\u003e\"");
      return;
    case object::Tag::kTime:
    case object::Tag::kMicroTime: {
      ByteBuffer json;
      object::EncodeJson(value, json);
      out.Append(json.view());
      return;
    }
    default:
      return object::AppendJsonString(out, object::EncodeJson(value));
  }
}

std::optional<double> NumberOf(const object::Value& value) {
  if (value.tag() == object::Tag::kInt) return static_cast<double>(value.AsInt());
  if (value.tag() == object::Tag::kDouble) return value.AsDouble();
  return std::nullopt;
}

void AppendDate(const object::Value& value, const CellContext& context, ByteBuffer& out) {
  if (value.tag() == object::Tag::kTime) {
    return object::AppendJsonString(out, context.Age(value.AsTime()));
  }
  if (!value.is_string()) {
    out.Append("null");
    return;
  }
  const Result<object::Timestamp> time = object::ParseTime(value.AsText());
  object::AppendJsonString(out, time ? context.Age(*time) : "<invalid>");
}

void AppendCell(const Column& column, const CellContext& context, ByteBuffer& out) {
  const object::Value* const value = column.path.First(context.object);
  if (value == nullptr) {
    out.Append("null");
    return;
  }
  switch (column.type) {
    case ColumnType::kText:
      return AppendAsText(*value, out);
    case ColumnType::kInteger:
      if (value->tag() == object::Tag::kInt) {
        object::AppendJsonInt(out, value->AsInt());
      } else if (value->tag() == object::Tag::kDouble && std::abs(value->AsDouble()) < 9.2e18) {
        object::AppendJsonInt(out, static_cast<int64_t>(value->AsDouble()));
      } else {
        out.Append("null");
      }
      return;
    case ColumnType::kNumber:
      if (const std::optional<double> number = NumberOf(*value); number) {
        object::EncodeJson(object::Value::Double(*number), out);
      } else {
        out.Append("null");
      }
      return;
    case ColumnType::kBoolean:
      out.Append(value->tag() != object::Tag::kBool ? "null" : value->AsBool() ? "true" : "false");
      return;
    case ColumnType::kDate:
      return AppendDate(*value, context, out);
    case ColumnType::kOther:
      out.Append("null");
  }
}

}  // namespace

Result<std::shared_ptr<const TableColumns>> MakeCustomColumns(const CustomVersion& version,
                                                              const ObjectView& view) {
  SKIFF_ASSIGN_OR_RETURN(const object::Document object, version.definition().Read());
  auto columns = std::make_shared<std::vector<Column>>();
  ByteBuffer definitions;
  AppendDefinition({"Name", "string", "name", "The name of the object.", 0}, definitions);
  bool has_columns = false;
  for (const auto each : v1::CustomResourceDefinition(object).spec().versions()) {
    if (each.name() != version.name()) continue;
    for (const auto column : each.additional_printer_columns()) {
      has_columns = true;
      Result<JsonPath> path = JsonPath::Parse(column.json_path());
      // As in Kubernetes, what stands behind a column that cannot be computed is not shown either.
      if (!path) break;
      columns->push_back({std::move(*path), TypeOf(column.type())});
      const std::string description =
          column.description().empty()
              ? "Custom resource definition column (in JSONPath format): " +
                    std::string(column.json_path())
              : std::string(column.description());
      AppendDefinition(
          {column.name(), column.type(), column.format(), description, column.priority()},
          definitions);
    }
  }
  if (!has_columns) {
    SKIFF_ASSIGN_OR_RETURN(JsonPath created, JsonPath::Parse(".metadata.creationTimestamp"));
    columns->push_back({std::move(created), ColumnType::kDate});
    AppendDefinition({"Age", "date", "", "How long ago the object was created.", 0}, definitions);
  }
  definitions.Append(']');
  return TableColumns::MakeOwn(
      definitions.ToString(),
      [columns, &view](std::string_view stored, object::Timestamp now,
                       ByteBuffer& out) -> Result<void> {
        SKIFF_ASSIGN_OR_RETURN(object::Document shown, view.Decode(stored, {}));
        const CellContext context{.object = shown.root(), .now = now, .arena = shown.arena()};
        out.Append('[');
        object::AppendJsonString(out, MetaOf(shown).name());
        for (const Column& column : *columns) {
          out.Append(',');
          AppendCell(column, context, out);
        }
        out.Append(']');
        return {};
      });
}

}  // namespace skiff::apiserver
