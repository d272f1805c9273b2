// Tables: objects as rows of cells, which is what `kubectl get` asks for and prints.
//
//   {"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},
//    "columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"…",
//                          "priority":0},…],
//    "rows":[{"cells":["web-0","1/1",…],"object":{"kind":"PartialObjectMetadata",…}},…]}
//
// TableColumns is what a resource's tables have in common: its columns, compiled. Made once per
// resource and shared by all threads. TableWriter writes the tables of one request: a list, row by
// row; a single object; or the events of a watch, each a table of its own, of which only the first
// has column definitions. Tables have no protobuf form: who asks for one gets 406.
//
// Cells are computed on the columns' kind, whichever version a client asks for. Only the fields
// that they name are decoded, so a row costs little more than its metadata. Bytes that were stored
// in a version of another layout, by an older server, are converted first.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/tables/cell_path.h"
#include "apiserver/tables/cell_program.h"
#include "apiserver/tables/field_filter.h"
#include "apiserver/tables/object_bytes.h"
#include "base/buffer.h"
#include "base/status.h"
#include "object/resource.h"
#include "object/scalar/time.h"
#include "object/value.h"

namespace skiff::apiserver {

class TableColumns {
 public:
  // For the objects of a resource. Kinds without columns show Name and Created At.
  static Result<std::shared_ptr<const TableColumns>> Make(const object::ResourceDesc& resource);
  // For what a subresource answers with, such as a Scale. `columns` may be null.
  static Result<std::shared_ptr<const TableColumns>> Make(const object::ColumnsDesc* columns);
  // Columns that somebody else computes, from the bytes at rest: cells as a JSON array.
  using WriteCells =
      std::function<Result<void>(std::string_view stored, object::Timestamp now, ByteBuffer& out)>;
  static std::shared_ptr<const TableColumns> MakeOwn(std::string definitions_json,
                                                     WriteCells write);

  // The cells of one object as the members of a row: "cells":[…], and "conditions":[…] if it has
  // any. `scratch` is emptied and used.
  Result<void> AppendCells(std::string_view stored, object::Timestamp now, ByteBuffer& scratch,
                           ByteBuffer& out) const;
  // The same for an object that is decoded already, of the columns' kind.
  void AppendCells(const object::Value& object, Arena& arena, object::Timestamp now,
                   ByteBuffer& out) const;

  // The column definitions as JSON.
  std::string_view definitions_json() const { return definitions_json_; }
  // Whether a table without rows has null for them, as Kubernetes has it for the default columns.
  bool null_when_empty() const { return default_columns_; }
  // What cells are computed on. For the default columns it is PartialObjectMetadata.
  const object::MessageDesc* kind() const { return kind_; }

 private:
  explicit TableColumns(const object::MessageDesc* kind) : kind_(kind), filter_(kind) {}

  Result<void> AddCell(std::string_view notation);
  Result<object::Document> Decode(std::string_view stored, ByteBuffer& scratch) const;
  bool CanRead(std::string_view api_version) const;
  void AppendConditions(const object::Value& object, ByteBuffer& out) const;

  const object::MessageDesc* kind_;
  bool default_columns_ = false;
  std::vector<std::string_view> readable_;  // versions of the same layout
  FieldFilter filter_;
  std::vector<CellProgram> cells_;
  std::vector<CellPath> phase_;  // of pods: where it stands; else nothing
  std::string definitions_json_;
  WriteCells write_own_;  // instead of cells_
};

enum class IncludeObject : uint8_t { kNone, kMetadata, kObject };

// One thread at a time.
class TableWriter {
 public:
  struct Options {
    MetaVersion version = MetaVersion::kV1;
    IncludeObject include = IncludeObject::kMetadata;
    ObjectWriter write_object = AppendStoredObject;  // for IncludeObject::kObject
  };

  TableWriter(std::shared_ptr<const TableColumns> columns, Options options)
      : columns_(std::move(columns)), options_(std::move(options)) {}

  // A list: Begin, rows, End. `out` may be emptied between calls. `now` is what ages count to.
  void Begin(const ListMetadata& metadata, ByteBuffer& out);
  // On an error, what was appended is taken back.
  Result<void> Row(const ObjectBytes& object, object::Timestamp now, ByteBuffer& out);
  void End(ByteBuffer& out);

  // A table of one row, whose resourceVersion is the object's: a get, or an event.
  Result<void> One(const ObjectBytes& object, object::Timestamp now, ByteBuffer& out);
  // The table of a bookmark: its row is that of an object with nothing in it. The one that ends the
  // initial events has metadata in any case, for that is where it is marked.
  Result<void> Bookmark(const object::MessageDesc& kind, store::Revision revision,
                        bool initial_events_end, object::Timestamp now, ByteBuffer& out);

 private:
  Result<void> AppendRow(const ObjectBytes& object, IncludeObject include, object::Timestamp now,
                         ByteBuffer& out);
  Result<void> AppendTable(const ObjectBytes& object, IncludeObject include, object::Timestamp now,
                           ByteBuffer& out);

  std::shared_ptr<const TableColumns> columns_;
  const Options options_;
  bool defined_ = false;  // the columns have been sent
  bool empty_ = true;     // the table at hand has no rows yet
  ByteBuffer scratch_;
};

}  // namespace skiff::apiserver
