// What an object is, and what is wrong with it: its header (apiVersion and kind) and, for a List,
// whose items the decoders keep as they are, the items against their own kinds.
#pragma once

#include <string_view>

#include "base/status.h"
#include "cli/common/diagnostics.h"
#include "object/descriptor.h"
#include "object/json/decode.h"

namespace skiff::cli {

// The modes of Kubernetes' field validation, for fields that the schema does not know, duplicate
// fields, and kinds that cannot exist.
enum class Validation : uint8_t { kStrict, kWarn, kIgnore };

// Reports in the way that the mode wants.
void Report(Diagnostics& diagnostics, Validation validation, TextPosition position,
            std::string_view field, std::string_view message);
void ReportIssues(Diagnostics& diagnostics, Validation validation,
                  const std::vector<object::FieldIssue>& issues, std::string_view path_prefix = {});

struct ObjectHeader {
  object::TypeMeta meta;
  size_t api_version_offset = 0;
  size_t kind_offset = 0;
  // What a watch tells, {"type", "object"}, has neither kind nor apiVersion of its own.
  bool is_watch_event = false;
};

// The header of an object in JSON that is known to be valid; the error's position is in the terms
// of `positions`.
Result<ObjectHeader> ReadObjectHeader(std::string_view json,
                                      const object::TextPositions& positions);

// The descriptor of a built-in kind; null for what may be a custom resource. Kinds that can be
// neither, such as apps/v1 Deploymnt, are reported and null.
const object::MessageDesc* ResolveKind(const ObjectHeader& header,
                                       const object::TextPositions& positions,
                                       std::string_view path_prefix, Validation validation,
                                       Diagnostics& diagnostics);

// Whether the items of this list are kept as JSON and thus not checked by decoding the list.
bool HasRawItems(const object::MessageDesc& type);

// The message of watch events.
const object::MessageDesc& WatchEventType();
// Checks the object of a watch event, given as valid JSON, by its own kind.
void CheckWatchedObject(std::string_view event_json, const object::TextPositions& positions,
                        Validation validation, Diagnostics& diagnostics);

// Checks each item of such a list, given as valid JSON, and the items of Lists among them. Paths
// begin with `path_prefix` ("" or "items[0].").
void CheckRawItems(std::string_view list_json, const object::TextPositions& positions,
                   Validation validation, Diagnostics& diagnostics,
                   std::string_view path_prefix = {}, int depth = 0);

}  // namespace skiff::cli
