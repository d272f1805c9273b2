#include "apiserver/api_service_proxy.h"

#include <string>

#include "apiserver/registry/cache_reads.h"
#include "apiserver/rest/object_output.h"
#include "serving/request/respond.h"
#include "views/apiregistration.k8s.io/v1.h"

namespace skiff::apiserver {

bool ProxyToApiService(serving::ApiRequest& request, ResourceStorage* services) {
  const serving::RequestInfo& info = request.info;
  if (info.group.empty() || info.version.empty()) return false;
  const store::EntryRef entry = FindInCache(services, "", info.version + "." + info.group);
  if (!entry) return false;
  const Result<object::Document> object = DecodeStored(entry->value().view(), {});
  if (!object) return false;
  if (!views::apiregistration_k8s_io_v1::APIService(*object).spec().has_service()) return false;
  serving::RespondText(request, 503, "service unavailable\n");
  return true;
}

}  // namespace skiff::apiserver
