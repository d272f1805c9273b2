// A watch within the process: takes events from the watcher of the cache, batch by batch, and gives
// them to the client's sink as shared documents.
//
// Back-pressure is the cache's: a watcher whose client does not keep up goes back to the ring of
// events, and ends with kExpired when that has lost its place.
//
// Owner: the ClientWatch that the client holds. Executor only.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "apiserver/in_process/executor_link.h"
#include "apiserver/in_process/local_call.h"
#include "apiserver/in_process/response_body.h"
#include "apiserver/in_process/shared_documents.h"
#include "client/client.h"
#include "client/https/watch_decoder.h"

namespace skiff::apiserver {

class LocalWatch : public std::enable_shared_from_this<LocalWatch> {
 public:
  // The sink outlives the watch, until Stop().
  LocalWatch(std::shared_ptr<ExecutorLink> link, std::shared_ptr<SharedDocuments> documents,
             DocumentForm form, const client::ApiResource& resource, client::ClientWatchSink* sink);

  // What the request for the watch is answered through.
  std::shared_ptr<LocalSink> MakeSink();

  // The last call of the sink, unless it has come already.
  void End(std::optional<Status> why);
  // No call of the sink any more.
  void Stop();
  bool ended() const { return sink_ == nullptr; }

 private:
  class Sink;

  void Begin(ObjectViewPtr view, std::unique_ptr<store::Watcher> watcher);
  // The same of another server: events come as JSON.
  void BeginRemote(net::HttpResponse response);
  void TakeRemote(std::string_view bytes);
  // Takes one batch; more in another turn of the executor.
  void Take();
  Result<client::ClientEvent> EventOf(const store::WatchItem& item);

  const std::shared_ptr<ExecutorLink> link_;
  const std::shared_ptr<SharedDocuments> documents_;
  const DocumentForm form_;
  const client::ApiResource& resource_;
  client::ClientWatchSink* sink_;  // null: ended
  ObjectViewPtr view_;
  std::unique_ptr<store::Watcher> watcher_;
  std::vector<store::WatchItem> items_;
  std::optional<client::WatchDecoder> decoder_;  // of another server
  std::shared_ptr<ResponseBody> body_;           // likewise
};

}  // namespace skiff::apiserver
