#include <gtest/gtest.h>

#include "net/client/client_protocol.h"

namespace skiff::net {
namespace {

// One connection without a socket: what is sent is kept, what is received is given.
class Http1ClientProtocolTest : public testing::Test,
                                public ClientProtocol::Owner,
                                public ResponseHandler {
 protected:
  void Ask(std::string method = "GET", std::string body = "") {
    told_.clear();
    stream_ = ClientStream();
    stream_.handler = this;
    stream_.request.method = std::move(method);
    stream_.request.path = "/a?b=c";
    stream_.request.headers.Add("accept", "x");
    stream_.request.body = SharedBytes(body);
    protocol_->Submit(stream_);
    sent_.Clear();
    EXPECT_TRUE(protocol_->Fill(sent_));
  }
  // In pieces of that size. Empty: all was well.
  std::string Receive(std::string_view bytes, size_t piece) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
      const Result<void> read = protocol_->Receive(bytes.substr(0, piece));
      if (!read) return read.error().message();
    }
    return "";
  }
  void Renew() { protocol_ = MakeHttp1ClientProtocol({endpoint_, headers_}, *this); }

  void OnStreamEnd(ClientStream& stream, Result<void> outcome) override {
    EXPECT_EQ(&stream, &stream_);
    told_ += outcome ? "." : "!";
  }
  void OnMoreRoom() override {}
  void OnHead(int code, const HttpHeaders&) override { told_ += std::to_string(code) + " "; }
  void OnBody(std::string_view bytes) override { told_ += bytes; }
  void OnBodyTaken() override { ++taken_; }
  void OnEnd(Result<void>) override {}

  int taken_ = 0;
  ClientEndpoint endpoint_ = *ParseEndpoint("http://127.0.0.1:80/base");
  HttpHeaders headers_;
  ClientStream stream_;
  ByteBuffer sent_;
  std::string told_;
  std::unique_ptr<ClientProtocol> protocol_ = MakeHttp1ClientProtocol({endpoint_, headers_}, *this);
};

TEST_F(Http1ClientProtocolTest, RequestsAreWrittenWithTheirLength) {
  Ask();
  EXPECT_EQ(sent_.view(), "GET /base/a?b=c HTTP/1.1\r\nhost: 127.0.0.1:80\r\naccept: x\r\n\r\n");
  Renew();
  Ask("POST", "{}");
  EXPECT_EQ(sent_.view(),
            "POST /base/a?b=c HTTP/1.1\r\nhost: 127.0.0.1:80\r\naccept: x\r\n"
            "content-length: 2\r\n\r\n{}");
}

TEST_F(Http1ClientProtocolTest, AnswersAreReadHoweverTheyAreCut) {
  struct Case {
    std::string_view bytes;
    std::string_view told;
    size_t room;  // afterwards
  };
  for (const Case& each : {
           Case{"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", "200 hello.", 1},
           Case{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made\r\ncontent-length: 0\r\n\r\n",
                "201 .", 1},
           Case{"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n"
                "0\r\ntrailer: t\r\n\r\n",
                "200 abcde.", 1},
           Case{"HTTP/1.1 204 None\r\n\r\n", "204 .", 1},
           Case{"HTTP/1.1 200 OK\r\ncontent-length: 1\r\nconnection: close\r\n\r\nx", "200 x.", 0},
           Case{"HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx", "200 x.", 0},
       }) {
    for (const size_t piece : {size_t{1}, size_t{2}, size_t{7}, each.bytes.size()}) {
      Renew();
      Ask();
      EXPECT_EQ(Receive(each.bytes, piece), "") << each.bytes << piece;
      EXPECT_EQ(told_, each.told) << each.bytes << piece;
      EXPECT_EQ(protocol_->room(), each.room) << each.bytes;
    }
  }
}

TEST_F(Http1ClientProtocolTest, WhatHasNoLengthEndsWithTheConnection) {
  Ask();
  EXPECT_EQ(Receive("HTTP/1.1 200 OK\r\n\r\nas long as", 3), "");
  EXPECT_EQ(told_, "200 as long as");
  protocol_->OnInputEnd();
  EXPECT_EQ(told_, "200 as long as.");
  EXPECT_EQ(protocol_->room(), 0U);
  // What has one, and was cut off, has not ended.
  Renew();
  Ask();
  EXPECT_EQ(Receive("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel", 100), "");
  protocol_->OnInputEnd();
  EXPECT_EQ(told_, "200 hel");
}

TEST_F(Http1ClientProtocolTest, NothingOfOneAnswerIsTakenForTheNext) {
  Ask();
  EXPECT_NE(Receive("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n", 100), "");
  EXPECT_EQ(told_, "200 x.");
  EXPECT_EQ(protocol_->room(), 0U);
  Renew();
  EXPECT_NE(Receive("HTTP/1.1 408 Late\r\n\r\n", 100), "") << "nobody asked";
}

TEST_F(Http1ClientProtocolTest, WhatIsNoAnswerBreaksTheConnection) {
  for (const char* bytes :
       {"\r\n\r\n", "HTTP/3 200 OK\r\n\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n"}) {
    Renew();
    Ask();
    EXPECT_NE(Receive(bytes, 100), "") << bytes;
  }
}

TEST_F(Http1ClientProtocolTest, AGivenUpRequestEndsTheConnection) {
  Ask();
  protocol_->Reset(stream_);
  EXPECT_EQ(told_, "");
  sent_.Clear();
  EXPECT_TRUE(protocol_->Fill(sent_));
  EXPECT_EQ(told_, "!");
  EXPECT_EQ(protocol_->room(), 0U);
}

TEST_F(Http1ClientProtocolTest, NoHeaderCanBeginAnother) {
  stream_.handler = this;
  stream_.request.path = "/";
  stream_.request.headers.Add("x", "a\r\nauthorization: Bearer b");
  protocol_->Submit(stream_);
  EXPECT_TRUE(protocol_->Fill(sent_));
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(told_, "!");
}

TEST_F(Http1ClientProtocolTest, ABodyThatIsStreamedGoesInChunksOrWithItsLength) {
  stream_.request.streams_body = true;
  stream_.body_ended = false;
  stream_.handler = this;
  stream_.request.method = "POST";
  stream_.request.path = "/";
  protocol_->Submit(stream_);
  EXPECT_TRUE(protocol_->Fill(sent_));
  EXPECT_TRUE(sent_.view().ends_with("transfer-encoding: chunked\r\n\r\n")) << sent_.view();
  sent_.Clear();
  EXPECT_TRUE(protocol_->Fill(sent_));
  EXPECT_EQ(taken_, 1) << "the next piece is wanted";
  stream_.more.emplace_back(SharedBytes(std::string(20, 'x')));
  protocol_->OnMoreBody(stream_);
  EXPECT_TRUE(protocol_->Fill(sent_));
  EXPECT_EQ(sent_.view(), "14\r\n" + std::string(20, 'x') + "\r\n");
  sent_.Clear();
  stream_.body_ended = true;
  protocol_->OnMoreBody(stream_);
  EXPECT_TRUE(protocol_->Fill(sent_));
  EXPECT_EQ(sent_.view(), "0\r\n\r\n");
  EXPECT_EQ(Receive("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", 100), "");
  EXPECT_EQ(protocol_->room(), 1U);

  Renew();
  sent_.Clear();
  stream_.request.body_length = 5;
  stream_.body_ended = false;
  stream_.request.body = SharedBytes("hel");
  stream_.body_sent = 0;
  protocol_->Submit(stream_);
  EXPECT_TRUE(protocol_->Fill(sent_));
  EXPECT_TRUE(sent_.view().ends_with("content-length: 5\r\n\r\nhel")) << sent_.view();
}

TEST_F(Http1ClientProtocolTest, AConnectionThatIsHandedOverCarriesPlainBytes) {
  stream_.handler = this;
  stream_.request.path = "/";
  stream_.request.streams_body = stream_.request.asks_upgrade = true;
  stream_.body_ended = false;
  stream_.request.body = SharedBytes("too early");
  protocol_->Submit(stream_);
  EXPECT_TRUE(protocol_->Fill(sent_));
  EXPECT_TRUE(sent_.view().ends_with("\r\n\r\n")) << "nothing is said before the server agrees";
  sent_.Clear();
  EXPECT_EQ(Receive("HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\nHTTP/1.1 no", 7), "");
  EXPECT_EQ(told_, "101 HTTP/1.1 no");
  EXPECT_TRUE(protocol_->Fill(sent_));
  EXPECT_EQ(sent_.view(), "too early");
  protocol_->OnInputEnd();
  EXPECT_EQ(told_, "101 HTTP/1.1 no.");
  EXPECT_EQ(protocol_->room(), 0U);
}

TEST_F(Http1ClientProtocolTest, ARefusedUpgradeIsAnAnswerLikeOthersAndTheLast) {
  stream_.handler = this;
  stream_.request.path = "/";
  stream_.request.streams_body = stream_.request.asks_upgrade = true;
  stream_.body_ended = false;
  stream_.request.body = SharedBytes("GET /smuggled HTTP/1.1\r\n\r\n");
  protocol_->Submit(stream_);
  EXPECT_TRUE(protocol_->Fill(sent_));
  sent_.Clear();
  EXPECT_EQ(Receive("HTTP/1.1 403 No\r\ncontent-length: 2\r\n\r\nno", 100), "");
  EXPECT_EQ(told_, "403 no.");
  EXPECT_TRUE(protocol_->Fill(sent_));
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(protocol_->room(), 0U) << "what was to be said in the other protocol is still there";
}

TEST_F(Http1ClientProtocolTest, AHandlerThatHoldsBackLeavesTheRestInTheSocket) {
  Ask();
  EXPECT_TRUE(protocol_->wants_input());
  stream_.held = true;
  EXPECT_FALSE(protocol_->wants_input());
}

}  // namespace
}  // namespace skiff::net
