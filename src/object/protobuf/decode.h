// Protobuf messages, as Kubernetes writes them, into documents.
//
// Input is read with the tolerance of Kubernetes' own reader: fields in any order, packed or
// plain lists, a message given in pieces that merge, the last of several scalars or of equal map
// keys, unknown fields skipped. Beyond that, what could not be given back as JSON is refused:
// strings that are not UTF-8 and raw values that are not JSON. Errors name the field.
//
// Nothing of the input is referred to by the document.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/status.h"
#include "object/field_issue.h"
#include "object/value.h"

namespace skiff::object {

struct ProtobufDecodeOptions {
  size_t max_bytes = limits::kMaxDocumentBytes;
  // Where fields that the descriptor does not know are reported, as `spec.#99`; null: nowhere. At
  // most limits::kMaxFieldIssues are listed.
  std::vector<FieldIssue>* issues = nullptr;
  // What the object's kind and apiVersion become: they are not in the message. Left out when
  // empty.
  std::string_view kind = {};
  std::string_view api_version = {};
  // The sets of managedFields, half of many an object, are JSON: somebody checked them before they
  // were stored.
  bool trusts_field_sets = false;
};

// `message` is without the envelope; see envelope.h.
Result<Document> DecodeProtobuf(std::string_view message, const MessageDesc* type,
                                const ProtobufDecodeOptions& options = {});

}  // namespace skiff::object
