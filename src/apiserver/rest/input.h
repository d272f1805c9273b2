// Objects on their way in: the body of a request as a document of the kind that the URL wants.
#pragma once

#include <string_view>
#include <vector>

#include "apiserver/request/api_request.h"
#include "base/status.h"
#include "object/descriptor.h"
#include "object/field_issue.h"
#include "object/value.h"

namespace skiff {

// What happens to fields that the schema does not know, and to duplicates: ?fieldValidation=.
enum class FieldValidation : uint8_t { kIgnore, kWarn, kStrict };
// kInvalid for an unknown mode.
Result<FieldValidation> FieldValidationOf(const ApiRequest& request);

// Passes issues on: as warnings of the request, or as the error.
Result<void> Report(ApiRequest& request, FieldValidation mode, std::string_view what,
                    const std::vector<FieldIssue>& issues);

// The media type of the body, without parameters; JSON if the client does not say.
enum class BodyMedia : uint8_t { kJson, kYaml, kProtobuf };
Result<BodyMedia> BodyMediaOf(const ApiRequest& request);

struct ExpectedKind {
  const MessageDesc* type;
  std::string_view api_version;
  std::string_view kind;
};

// The body, as bytes or handed over as an object, as a document of this kind, with its kind,
// apiVersion and defaults set. The body may leave kind and apiVersion out; others than expected are
// kBadRequest. kUnsupportedMediaType for a body of no known format.
Result<Document> ReadBody(ApiRequest& request, const ExpectedKind& expected);

// What every object that was read from a client gets: defaults, and one name for what has two.
Result<void> Settle(Document& object);

// Checks kind and apiVersion of a text without decoding the rest.
Result<void> CheckKind(std::string_view api_version, std::string_view kind,
                       const ExpectedKind& expected);

}  // namespace skiff
