// One call within the process, as the server sees it: the end that every answer comes out of,
// whichever form it has, on whichever thread; all are taken to the executor of who asked.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "apiserver/in_process/executor_link.h"
#include "apiserver/in_process/local_reply.h"
#include "apiserver/rest/rest_response.h"
#include "net/http.h"
#include "serving/request/local_response.h"

namespace skiff::apiserver {

// What calls and watches have in common. Any thread.
class LocalSink : public net::Responder::Sink, public serving::LocalResponse, public RestResponse {
 public:
  explicit LocalSink(std::shared_ptr<ExecutorLink> link) : link_(std::move(link)) {}

  bool gone() const override { return link_->cut(); }
  void Post(std::move_only_function<void()> task) override { link_->PostWork(std::move(task)); }
  RestResponse& rest() override { return *this; }

  void Respond(net::HttpResponse response) override { Answer(LocalReply(std::move(response))); }
  void Refuse(const Status& why) override { Answer(LocalReply(why)); }
  void Give(int code, object::Document object) override {
    Answer(GivenObject{code, std::move(object)});
  }
  void Stored(int code, ObjectViewPtr view, const SharedBytes& bytes,
              store::Revision revision) override {
    Answer(StoredObject{code, std::move(view), bytes, revision});
  }
  void Listed(ObjectViewPtr view, store::ListReply reply) override {
    Answer(StoredList{std::move(view), std::move(reply)});
  }

 protected:
  virtual void Answer(LocalReply reply) = 0;
  ExecutorLink& link() { return *link_; }

 private:
  const std::shared_ptr<ExecutorLink> link_;
};

class LocalCall final : public LocalSink {
 public:
  // `done` runs on the executor, once, unless the transport has gone by then.
  using Done = std::move_only_function<void(LocalReply)>;
  LocalCall(std::shared_ptr<ExecutorLink> link, Done done)
      : LocalSink(std::move(link)), done_(std::move(done)) {}

  void Watching(ObjectViewPtr, std::unique_ptr<store::Watcher>) override {}
  void Wake() override {}

 private:
  // The pipeline lets one answer through.
  void Answer(LocalReply reply) override {
    link().Post(
        [done = std::move(done_), reply = std::move(reply)]() mutable { done(std::move(reply)); });
  }

  Done done_;
};

}  // namespace skiff::apiserver
