#include "apiserver/api_service_proxy.h"

#include <string>

#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/object_output.h"
#include "serving/request/respond.h"
#include "views/apiregistration.k8s.io/v1.h"

namespace skiff {

bool ProxyToApiService(ApiRequest& request, ResourceStorage* services) {
  const RequestInfo& info = request.info;
  if (info.group.empty() || info.version.empty()) return false;
  const EntryRef entry = FindInCache(services, "", info.version + "." + info.group);
  if (!entry) return false;
  const Result<Document> object = DecodeStored(entry->value().view(), {});
  if (!object) return false;
  if (!views::apiregistration_k8s_io_v1::APIService(*object).spec().has_service()) return false;
  RespondText(request, 503, "service unavailable\n");
  return true;
}

}  // namespace skiff
