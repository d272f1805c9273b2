// For tests of whoever answers requests: a client that keeps the answer.
//
//   auto client = std::make_shared<RecordedResponse>();
//   handler.Handle(request, Responder(client));
//   EXPECT_EQ(client->answer->code, 200);
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "net/http.h"

namespace skiff::net {

class RecordedResponse final : public Responder::Sink {
 public:
  void Respond(HttpResponse response) override { answer = std::move(response); }
  bool gone() const override { return false; }
  void Post(std::move_only_function<void()> task) override { task(); }

  std::optional<HttpResponse> answer;
};

}  // namespace skiff::net
