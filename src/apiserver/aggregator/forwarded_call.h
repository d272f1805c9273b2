// One request that is passed on to an extension API server, with its body and the answer.
//
// The client's connection and the one to the server live on different loops. Bodies go from one to
// the other in pipes (byte_pipe.h) of which only so much is kept: a server that does not read holds
// back the client, a client that does not read holds back the server, and what is said is passed on
// as it comes. When one side goes, the other is let go too: a client whose answer is not complete
// sees that it was broken off.
//
// An answer that comes while the request's body is still coming waits for the rest of that, unless
// the server will read no more of it. An answer whose length is known and small is passed on when
// it is there.
//
// Made on the loop of the client's connection; from Begin() on it lives on that of the caller.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/aggregator/backend_caller.h"
#include "apiserver/aggregator/byte_pipe.h"
#include "apiserver/webhook/webhook_caller.h"
#include "net/client/client_request.h"
#include "serving/request/api_request.h"

namespace skiff::apiserver {

// A text as Go's http.Error() writes it.
void RespondPlainError(serving::ApiRequest& request, int code, std::string_view text);

struct ForwardedRequest {
  serving::ApiRequestPtr request;
  RemoteBackendPtr backend;
  CalledAddress at;
  std::string host;        // the same as text, as the server is asked for
  net::ClientRequest out;  // what is sent, without a body that is still to come
  bool reject_redirects = true;
};

class ForwardedCall final : public net::ResponseHandler,
                            public std::enable_shared_from_this<ForwardedCall> {
 public:
  // `done` is called once, at the end, on the caller's loop.
  ForwardedCall(BackendCaller& caller, ForwardedRequest what);
  ForwardedCall(const ForwardedCall&) = delete;
  ForwardedCall& operator=(const ForwardedCall&) = delete;

  // Before Begin(): lets the client send the body, if that has not come yet.
  void TakeBody();
  // For who cannot begin it: 503.
  void Refuse(std::string_view why);

  void Begin(std::function<void()> done);
  // Ends it if the client has gone before there was an answer.
  void LookForClient();
  // Ends it, because this server does.
  void Break();
  bool awaits_answer() const { return request_ != nullptr; }
  // Whether it has no bound in time.
  bool is_long() const { return is_long_; }

 private:
  void OnHead(int code, const net::HttpHeaders& headers) override;
  void OnBody(std::string_view bytes) override;
  void OnBodyTaken() override;
  void OnEnd(Result<void> outcome) override;

  void OnUpgradeHead(int code, const net::HttpHeaders& headers);
  // More of the request's body.
  void Feed();
  void OnUploadEnd();
  // The client has taken some of the answer, or has gone.
  void LetGoOn();
  // The answer begins.
  void Answer();
  void AnswerWhole();
  void Fail(int code, std::string_view text);
  // The client will take nothing any more.
  void GiveUp();
  void Finish();
  // What calls it on the caller's loop, if it is still there.
  std::function<void()> Later(void (ForwardedCall::*what)());

  BackendCaller& caller_;
  serving::ApiRequestPtr request_;  // null once there is an answer
  const RemoteBackendPtr backend_;
  const CalledAddress at_;
  const std::string host_;
  net::ClientRequest out_;
  const bool reject_redirects_;
  const bool is_document_;  // of OpenAPI
  const bool asks_upgrade_;
  const bool is_long_;
  const Duration deadline_;
  std::function<void()> done_;

  std::shared_ptr<BytePipe> up_;    // null: the request's body is known, or there is none
  std::shared_ptr<BytePipe> down_;  // null: no answer yet
  BackendCaller::CallId id_ = 0;    // zero: nothing comes any more
  bool hungry_ = false;             // the server has taken what there was
  bool uploading_ = false;          // the request's body has not ended
  bool is_upgraded_ = false;
  bool is_whole_ = false;
  bool held_ = false;
  int code_ = 0;  // zero: no answer yet
  net::HttpHeaders headers_;
  std::string whole_;
};

}  // namespace skiff::apiserver
