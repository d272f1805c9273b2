// Field management of requests: who writes, and by what right.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/convert/object_converter.h"
#include "apiserver/managed_fields/field_manager.h"
#include "apiserver/rest/endpoint.h"
#include "base/status.h"
#include "object/value.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

// The writer that a request is, of objects in the endpoint's version. Owns the name.
class RequestWriter {
 public:
  // `conversions`: where versions are converted by somebody else.
  RequestWriter(const serving::ApiRequest& request, const Endpoint& endpoint,
                RememberedConversions* conversions = nullptr);
  const FieldWriter& get() const { return writer_; }
  // Of another kind, which only stands for the object.
  FieldWriter For(std::string_view api_version) const;

 private:
  std::string name_;
  FieldWriter writer_;
};

// Sets the managedFields of an object that the request writes in place of `live`. If that needs
// conversions that are wanted and not known yet, it has to be done again, of the same object.
void TrackWrite(const serving::ApiRequest& request, const Endpoint& endpoint,
                const object::Document& live, object::Document& object,
                RememberedConversions* conversions = nullptr);

// The same of a status that the server itself writes beside a request, in the stored version.
void TrackOwnStatus(const ResourceStorage& storage, const object::Document& live,
                    object::Document& object, object::Timestamp now);

// The same of an object that the server itself changes or makes beside a request.
void TrackOwnUpdate(const ResourceStorage& storage, const object::Document& live,
                    object::Document& object, object::Timestamp now);
void TrackOwnCreation(const ResourceStorage& storage, object::Document& object,
                      object::Timestamp now);

}  // namespace skiff::apiserver
