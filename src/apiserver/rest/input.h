// Objects on their way in: the body of a request as a document of the kind that the URL wants.
#pragma once

#include <string_view>
#include <vector>

#include "apiserver/rest/write_options.h"
#include "base/status.h"
#include "object/descriptor.h"
#include "object/field_issue.h"
#include "object/value.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

class DefaultPlans;

// Before what is wrong with the JSON of a body.
inline constexpr const char* kNoTypeMeta = "couldn't get version/kind; json parse error: ";
// What is wrong with it, and where, unless it is that the text ends too early.
std::string JsonFault(const Status& status);

// Passes issues on: as warnings of the request, or as the error.
Result<void> Report(serving::ApiRequest& request, FieldValidation mode, std::string_view what,
                    const std::vector<object::FieldIssue>& issues);

// The media type of the body, without parameters; JSON if the client does not say.
enum class BodyMedia : uint8_t { kJson, kYaml, kProtobuf };
Result<BodyMedia> BodyMediaOf(const serving::ApiRequest& request);

struct ExpectedKind {
  const object::MessageDesc* type;
  std::string_view api_version;
  std::string_view kind;
};

// The body, as bytes or handed over as an object, as a document of this kind, with its kind,
// apiVersion and defaults set. The body may leave kind and apiVersion out; others than expected are
// kBadRequest. kUnsupportedMediaType for a body of no known format.
Result<object::Document> ReadBody(serving::ApiRequest& request, const ExpectedKind& expected,
                                  const DefaultPlans& defaults);

// Why an object of another kind cannot become one of the expected kind; empty if it is of that
// kind, in whatever version.
std::string ForeignKind(std::string_view api_version, std::string_view kind,
                        const ExpectedKind& expected);

// Checks kind and apiVersion of a text without decoding the rest.
Result<void> CheckKind(std::string_view api_version, std::string_view kind,
                       const ExpectedKind& expected);

}  // namespace skiff::apiserver
