// Field management of requests: who writes, by what right, and server-side apply as a PATCH.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/managed_fields/field_manager.h"
#include "apiserver/rest/endpoint.h"
#include "base/status.h"
#include "object/value.h"
#include "serving/request/api_request.h"

namespace skiff {

// The writer that a request is, of objects in the endpoint's version. Owns the name.
class RequestWriter {
 public:
  RequestWriter(const ApiRequest& request, const Endpoint& endpoint);
  const FieldWriter& get() const { return writer_; }
  // Of another kind, which only stands for the object.
  FieldWriter For(std::string_view api_version) const;

 private:
  std::string name_;
  FieldWriter writer_;
};

// Sets the managedFields of an object that the request writes in place of `live`.
void TrackWrite(const ApiRequest& request, const Endpoint& endpoint, const Document& live,
                Document& object);

// The same of a status that the server itself writes beside a request, in the stored version.
void TrackOwnStatus(const ResourceStorage& storage, const Document& live, Document& object,
                    Timestamp now);

// The same of an object that the server itself makes beside a request.
void TrackOwnCreation(const ResourceStorage& storage, Document& object, Timestamp now);

// --- apply

bool IsApply(const ApiRequest& request);
bool IsForced(const ApiRequest& request);
// The configuration that is applied, an untyped tree. Duplicate keys are reported by the request's
// mode, once the configuration has been applied: see ReportDuplicates().
struct AppliedConfiguration {
  Document config;
  std::vector<std::string> duplicates;
};
Result<AppliedConfiguration> ReadConfiguration(const ApiRequest& request);
Result<void> ReportDuplicates(ApiRequest& request, const AppliedConfiguration& applied);

void HandleApply(ApiRequestPtr request, const Endpoint& endpoint, bool dry_run);

}  // namespace skiff
