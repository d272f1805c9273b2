#include <algorithm>
#include <string>
#include <utility>

#include "apiserver/convert/convert.h"
#include "apiserver/convert/layout.h"
#include "apiserver/tables/column_descriptions.h"
#include "apiserver/tables/table_writer.h"
#include "base/limits.h"
#include "object/json/decode.h"
#include "object/json/text.h"
#include "object/protobuf/decode.h"
#include "object/protobuf/envelope.h"
#include "views/core/v1.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

constexpr object::ColumnDesc kDefaultColumns[] = {
    {.name = "Name", .type = "string", .format = "name", .cell = ".metadata.name", .priority = 0},
    {.name = "Created At", .type = "date", .format = "", .cell = "code(created-at)", .priority = 0},
};

// The versions of a kind whose bytes are as its own.
std::vector<std::string_view> VersionsLike(const object::MessageDesc* kind) {
  std::vector<std::string_view> versions;
  for (const object::KindDesc& other : object::AllKinds()) {
    if (CanConvert(other.message, kind) && SameLayout(other.message, kind)) {
      versions.push_back(other.api_version);
    }
  }
  return versions;
}

Result<object::Document> DecodeAndConvert(std::string_view stored,
                                          const object::MessageDesc* kind) {
  object::ProtobufDecodeOptions options;
  options.max_bytes = limits::kMaxCountedBytes;
  options.trusts_field_sets = true;  // which no column shows, and some may have been cut out
  SKIFF_ASSIGN_OR_RETURN(const object::Document document, object::DecodeStorage(stored, options));
  return Convert(document, kind);
}

void AppendMember(ByteBuffer& out, std::string_view key, std::string_view value) {
  out.Append(key);
  object::AppendJsonString(out, value);
}

void AppendDefinition(const object::MessageDesc& kind, const object::ColumnDesc& column,
                      ByteBuffer& out) {
  AppendMember(out, "{\"name\":", column.name);
  AppendMember(out, ",\"type\":", column.type);
  AppendMember(out, ",\"format\":", column.format);
  AppendMember(out, ",\"description\":", ColumnDescription(kind.name, column.name));
  out.Append(",\"priority\":");
  object::AppendJsonInt(out, column.priority);
  out.Append('}');
}

void AppendCell(const Cell& cell, ByteBuffer& out) {
  switch (cell.kind) {
    case Cell::Kind::kInt:
      object::AppendJsonInt(out, cell.number);
      break;
    case Cell::Kind::kBool:
      out.Append(cell.number != 0 ? "true" : "false");
      break;
    default:
      object::AppendJsonString(out, cell.text);
  }
}

}  // namespace

Result<std::shared_ptr<const TableColumns>> TableColumns::Make(
    const object::ResourceDesc& resource) {
  return Make(resource.hub->columns);
}

Result<std::shared_ptr<const TableColumns>> TableColumns::Make(const object::ColumnsDesc* columns) {
  const object::MessageDesc* const kind =
      columns != nullptr ? columns->kind : views::meta_v1::PartialObjectMetadata::Type();
  std::shared_ptr<TableColumns> table(new TableColumns(kind));
  table->default_columns_ = columns == nullptr;
  table->readable_ = VersionsLike(kind);
  std::span<const object::ColumnDesc> list = kDefaultColumns;
  if (columns != nullptr) list = columns->columns;
  ByteBuffer definitions;
  for (const object::ColumnDesc& column : list) {
    SKIFF_RETURN_IF_ERROR(table->AddCell(column.cell));
    definitions.Append(definitions.empty() ? '[' : ',');
    AppendDefinition(*kind, column, definitions);
  }
  definitions.Append(']');
  table->definitions_json_ = definitions.ToString();
  if (columns != nullptr && !columns->extra_cell.empty()) {
    SKIFF_RETURN_IF_ERROR(table->AddCell(columns->extra_cell));
  }
  if (kind == views::core_v1::Pod::Type()) {
    SKIFF_ASSIGN_OR_RETURN(CellPath phase, CellPath::Resolve(".status.phase", kind));
    table->phase_.push_back(std::move(phase));
    SKIFF_RETURN_IF_ERROR(table->filter_.Keep(".status.phase"));
  }
  return table;
}

std::shared_ptr<const TableColumns> TableColumns::MakeOwn(std::string definitions_json,
                                                          WriteCells write) {
  std::shared_ptr<TableColumns> table(
      new TableColumns(views::meta_v1::PartialObjectMetadata::Type()));
  table->definitions_json_ = std::move(definitions_json);
  table->write_own_ = std::move(write);
  return table;
}

Result<void> TableColumns::AddCell(std::string_view notation) {
  SKIFF_ASSIGN_OR_RETURN(CellProgram program, CellProgram::Compile(notation, kind_));
  SKIFF_RETURN_IF_ERROR(program.KeepFields(filter_));
  cells_.push_back(std::move(program));
  return {};
}

Result<object::Document> TableColumns::Decode(std::string_view stored, ByteBuffer& scratch) const {
  if (!object::HasProtobufPrefix(stored)) {
    object::DecodeOptions options;
    options.max_bytes = limits::kMaxCountedBytes;
    options.borrow_text = true;
    return object::DecodeJson(stored, kind_, options);
  }
  SKIFF_ASSIGN_OR_RETURN(const object::ProtobufEnvelope envelope,
                         object::OpenProtobufEnvelope(stored));
  if (!CanRead(envelope.api_version)) return DecodeAndConvert(stored, kind_);
  scratch.Clear();
  if (!filter_.Apply(envelope.raw, scratch)) {
    return Fail(StatusReason::kInternalError, "the bytes of a stored object are broken");
  }
  object::ProtobufDecodeOptions options;
  options.max_bytes = limits::kMaxCountedBytes;
  return object::DecodeProtobuf(scratch.view(), kind_, options);
}

// Metadata, which is all that the default columns show, is the same in all kinds.
bool TableColumns::CanRead(std::string_view api_version) const {
  return default_columns_ || std::ranges::find(readable_, api_version) != readable_.end();
}

Result<void> TableColumns::AppendCells(std::string_view stored, object::Timestamp now,
                                       ByteBuffer& scratch, ByteBuffer& out) const {
  if (write_own_) {
    out.Append("\"cells\":");
    return write_own_(stored, now, out);
  }
  SKIFF_ASSIGN_OR_RETURN(object::Document document, Decode(stored, scratch));
  AppendCells(document.root(), document.arena(), now, out);
  return {};
}

void TableColumns::AppendCells(const object::Value& object, Arena& arena, object::Timestamp now,
                               ByteBuffer& out) const {
  const CellContext context{.object = object, .now = now, .arena = arena};
  out.Append("\"cells\":");
  char before = '[';
  for (const CellProgram& cell : cells_) {
    out.Append(std::exchange(before, ','));
    AppendCell(cell.Run(context), out);
  }
  out.Append(']');
  if (!phase_.empty()) AppendConditions(object, out);
}

// A finished pod says so beside its cells, for clients that hide what is finished.
void TableColumns::AppendConditions(const object::Value& pod, ByteBuffer& out) const {
  const object::Value* const phase = phase_.front().Follow(pod).value;
  if (phase == nullptr) return;
  const bool succeeded = phase->AsText() == "Succeeded";
  if (!succeeded && phase->AsText() != "Failed") return;
  out.Append(R"(,"conditions":[{"type":"Completed","status":"True","reason":)");
  out.Append(succeeded ? R"("Succeeded","message":"All containers of the pod have succeeded."}])"
                       : R"("Failed","message":"A container of the pod has failed."}])");
}

}  // namespace skiff::apiserver
