// In which form a client wants its answer: the encoding, and whether objects are to come whole, as
// their metadata alone, or as rows of a table.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "serving/request/api_request.h"

namespace skiff::serving {

enum class MediaKind : uint8_t { kJson, kYaml, kProtobuf };
// "application/json" and its like, without parameters.
std::string_view MediaTypeName(MediaKind media);

enum class ObjectForm : uint8_t { kWhole, kMetadata, kTable };

struct OutputFormat {
  MediaKind media = MediaKind::kJson;
  ObjectForm form = ObjectForm::kWhole;
  std::string_view meta_version = "v1";  // of meta.k8s.io, for the other forms
  bool pretty = false;                   // JSON spread over lines

  // "application/json", as the answer's header has it.
  std::string_view content_type() const { return MediaTypeName(media); }
};

// What is to be encoded.
enum class ResponseKind : uint8_t {
  kObject,  // one, which may be shown in another form
  kReply,   // likewise, but there are no columns that it could be a Table of
  kList,
  kWatch,
  kStatus,  // errors and what has one form only: never fails
};

// kNotAcceptable when the client takes nothing that there is.
Result<OutputFormat> NegotiateOutput(const ApiRequest& request, ResponseKind what);

}  // namespace skiff::serving
