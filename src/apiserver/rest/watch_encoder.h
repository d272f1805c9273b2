// Events as one watch sends them.
#pragma once

#include <memory>

#include "apiserver/rest/endpoint.h"
#include "base/buffer.h"
#include "base/status.h"
#include "serving/request/output.h"
#include "store/cache/watcher.h"

namespace skiff::apiserver {

class WatchEncoder {
 public:
  virtual ~WatchEncoder() = default;
  virtual Result<void> Append(const store::WatchItem& item, ByteBuffer& out) = 0;
  virtual Result<void> AppendError(const Status& why, ByteBuffer& out) = 0;
};

Result<std::unique_ptr<WatchEncoder>> MakeWatchEncoder(const serving::ApiRequest& request,
                                                       const Endpoint& endpoint,
                                                       const serving::OutputFormat& format);

}  // namespace skiff::apiserver
