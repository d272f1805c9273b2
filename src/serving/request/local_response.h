// Where the answer to a request goes that was made within the process: as it is, without becoming
// bytes and headers. Requests that came over HTTP have none.
//
// Any thread. The functions of respond.h call it once for each request; what they cannot give so,
// such as plain text, still comes through the responder.
#pragma once

#include "base/status.h"
#include "object/value.h"

namespace skiff::apiserver {
class RestResponse;
}  // namespace skiff::apiserver

namespace skiff::serving {

class LocalResponse {
 public:
  virtual ~LocalResponse() = default;
  virtual void Refuse(const Status& why) = 0;
  virtual void Give(int code, object::Document object) = 0;
  // For what resources are answered with besides (rest/rest_response.h).
  virtual apiserver::RestResponse& rest() = 0;
};

}  // namespace skiff::serving
