// The calling side against the serving side, and against servers that do not keep the rules.
#include "grpc/client.h"

#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "grpc/router.h"
#include "grpc/unary.h"
#include "net/testing_tls.h"

namespace skiff::grpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

SharedBytes Framed(std::string_view message) {
  return SharedBytes::Make(kGrpcPrefixBytes + message.size(), [&](char* out) {
    WriteGrpcPrefix(out, message.size());
    message.copy(out + kGrpcPrefixBytes, message.size());
  });
}

// What a call told.
class Told final : public GrpcCallHandler {
 public:
  void OnMessage(std::string_view message) override {
    std::lock_guard lock(mutex_);
    messages_.emplace_back(message);
    changed_.notify_all();
  }
  void OnEnd(const GrpcStatus& status) override {
    std::lock_guard lock(mutex_);
    EXPECT_FALSE(status_) << "a call ends once";
    status_ = status;
    changed_.notify_all();
  }

  // The status, as "code message".
  std::string End() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, seconds(net::kPatienceSeconds),
                           [&] { return status_.has_value(); }))
      return "no end";
    return std::string(GrpcCodeName(status_->code)) +
           (status_->message.empty() ? "" : " " + status_->message);
  }
  std::vector<std::string> Messages(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, seconds(net::kPatienceSeconds),
                      [&] { return messages_.size() >= count || status_.has_value(); });
    return messages_;
  }
  bool has_ended() {
    std::lock_guard lock(mutex_);
    return status_.has_value();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> messages_;
  std::optional<GrpcStatus> status_;
};

// Sends back what comes, and ends when its client does; "fail" ends it otherwise.
class Echo final : public GrpcStreamHandler {
 public:
  Echo(std::shared_ptr<GrpcOutput> output, net::Latch& gone)
      : output_(std::move(output)), gone_(gone) {}
  ~Echo() override { gone_.Open(); }
  void OnMessage(std::string_view message) override {
    if (message == "fail") return output_->Finish({GrpcCode::kAborted, "as you wish: 100%\n"});
    output_->Send(Framed(message));
  }
  void OnInputEnd() override { output_->Finish({}); }

 private:
  const std::shared_ptr<GrpcOutput> output_;
  net::Latch& gone_;
};

class GrpcClientTest : public testing::Test {
 protected:
  GrpcClientTest() {
    router_.AddBytes("/test.Test/Repeat", [](std::string_view message, GrpcResponder responder) {
      std::move(responder).SendFrame(Framed(std::string(message) + std::string(message)));
    });
    router_.AddBytes("/test.Test/Refuse", [](std::string_view, GrpcResponder responder) {
      std::move(responder).SendStatus({GrpcCode::kNotFound, "there is none: \xc3\xa4"});
    });
    router_.AddBytes("/test.Test/Wait", [this](std::string_view, GrpcResponder responder) {
      std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(responder));
      asked_.Open();
    });
    router_.AddStream("/test.Test/Echo", [this](std::shared_ptr<GrpcOutput> output) {
      return std::make_unique<Echo>(std::move(output), gone_);
    });
    client_ = *GrpcClient::Start(clock_, "test-grpc");
  }
  ~GrpcClientTest() override {
    client_->Stop();
    server_.reset();
  }

  void Serve(std::string address = "127.0.0.1:0", std::optional<net::TlsOptions> tls = std::nullopt,
             net::HttpLimits limits = {}) {
    net::HttpServerOptions options;
    options.addresses = {std::move(address)};
    options.handler = &router_;
    options.clock = &clock_;
    options.loops = 1;
    options.tls = std::move(tls);
    limits.max_body_bytes = 64 * 1024 * 1024;
    options.limits = limits;
    auto server = net::HttpServer::Start(std::move(options));
    ASSERT_TRUE(server) << server.error().message();
    server_ = std::move(*server);
  }
  std::string url() { return "http://" + server_->addresses()[0]; }
  std::shared_ptr<GrpcChannel> Connect(const std::string& url) {
    GrpcChannelOptions options;
    options.endpoint = net::ParseEndpoint(url).value();
    return client_->MakeChannel(std::move(options));
  }
  std::shared_ptr<Told> Call(GrpcChannel& channel, const std::string& method,
                             std::string_view message, Duration timeout = Clock::kForever) {
    auto told = std::make_shared<Told>();
    channel.Start({.path = "/test.Test/" + method, .timeout = timeout}, Framed(message), true,
                  told);
    return told;
  }
  void Become(const std::function<bool()>& condition) {
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    for (int i = 0; i < net::kPatienceSeconds * 1000 && !condition(); ++i)
      never.wait_for(lock, milliseconds(1));
    EXPECT_TRUE(condition());
  }

  SystemClock clock_;
  MetricsRegistry metrics_;
  net::FunctionHandler other_{[](net::HttpRequest, net::Responder responder) {
    std::move(responder).Respond(net::PlainTextResponse(404, "nothing here"));
  }};
  GrpcRouter router_{&other_, metrics_, clock_, 64 * 1024 * 1024};
  std::mutex mutex_;
  std::vector<GrpcResponder> waiting_;
  net::Latch asked_;
  net::Latch gone_;
  std::unique_ptr<net::HttpServer> server_;
  std::unique_ptr<GrpcClient> client_;
};

TEST_F(GrpcClientTest, AnAnswerIsOneMessageAndAStatus) {
  Serve();
  const auto channel = Connect(url());
  EXPECT_FALSE(channel->is_ready()) << "nobody has called";
  const auto told = Call(*channel, "Repeat", "abc", seconds(30));
  EXPECT_EQ(told->End(), "OK");
  EXPECT_EQ(told->Messages(1), std::vector<std::string>{"abcabc"});
  EXPECT_TRUE(channel->is_ready());
}

TEST_F(GrpcClientTest, StatusAndTextComeAsTheyWereMeant) {
  Serve();
  const auto channel = Connect(url());
  EXPECT_EQ(Call(*channel, "Refuse", "")->End(), "NotFound there is none: \xc3\xa4");
  EXPECT_EQ(Call(*channel, "Missing", "")->End().substr(0, 13), "Unimplemented");
}

TEST_F(GrpcClientTest, SocketsInTheFileSystemAreServersToo) {
  const net::TestFolder folder;
  const std::string path = folder.Path("grpc.sock");
  Serve("unix:" + path);
  GrpcChannelOptions options;
  options.endpoint = net::UnixEndpoint(path);
  const auto channel = client_->MakeChannel(std::move(options));
  EXPECT_EQ(Call(*channel, "Repeat", "abc")->Messages(1), std::vector<std::string>{"abcabc"});
  GrpcChannelOptions nobody;
  nobody.endpoint = net::UnixEndpoint(folder.Path("none.sock"));
  EXPECT_EQ(Call(*client_->MakeChannel(std::move(nobody)), "Repeat", "")->End(),
            "Unavailable unix:" + folder.Path("none.sock") + ": No such file or directory");
}

TEST_F(GrpcClientTest, CertificatesAreShownAndChecked) {
  const net::TestFolder folder;
  const net::TestCertificate ca{{.common_name = "ca", .is_ca = true}};
  const net::TestCertificate own{{.common_name = "server", .names = "IP:127.0.0.1"}, &ca};
  net::TlsOptions tls;
  tls.certificate.certificate_file = folder.Write("tls.crt", own.CertificatePem());
  tls.certificate.key_file = folder.Write("tls.key", own.KeyPem());
  Serve("127.0.0.1:0", tls);
  for (const bool is_trusted : {true, false}) {
    GrpcChannelOptions options;
    options.endpoint = net::ParseEndpoint("https://" + server_->addresses()[0]).value();
    net::ClientTlsOptions client_tls;
    client_tls.ca_pem = is_trusted ? ca.CertificatePem() : own.CertificatePem();
    options.tls = net::ClientTls::Make(client_tls).value();
    const std::string end = Call(*client_->MakeChannel(std::move(options)), "Repeat", "abc")->End();
    EXPECT_EQ(end.substr(0, is_trusted ? 2 : 11), is_trusted ? "OK" : "Unavailable") << end;
  }
}

TEST_F(GrpcClientTest, BothSidesOfAStreamSpeakWhenTheyLike) {
  Serve();
  const auto channel = Connect(url());
  const auto told = std::make_shared<Told>();
  const auto call = channel->Start({.path = "/test.Test/Echo"}, Framed("one"), false, told);
  ASSERT_EQ(told->Messages(1), std::vector<std::string>{"one"});
  call->Send(Framed("two"));
  call->Send(Framed(""));
  ASSERT_EQ(told->Messages(3), (std::vector<std::string>{"one", "two", ""}));
  Become([&] { return call->unsent() == 0; });
  EXPECT_FALSE(told->has_ended());
  call->EndInput();
  EXPECT_EQ(told->End(), "OK");
  call->Send(Framed("late"));
  call->Cancel();
}

TEST_F(GrpcClientTest, AServerMayEndAStreamBeforeItsClient) {
  Serve();
  const auto channel = Connect(url());
  const auto told = std::make_shared<Told>();
  const auto call = channel->Start({.path = "/test.Test/Echo"}, Framed("fail"), false, told);
  EXPECT_EQ(told->End(), "Aborted as you wish: 100%\n");
}

TEST_F(GrpcClientTest, LargeMessagesPassInBothDirections) {
  Serve();
  const auto channel = Connect(url());
  const std::string large(20'000'000, 'x');
  const auto told = Call(*channel, "Repeat", large);
  EXPECT_EQ(told->End(), "OK");
  ASSERT_EQ(told->Messages(1).size(), 1U);
  EXPECT_EQ(told->Messages(1)[0].size(), 2 * large.size());
}

TEST_F(GrpcClientTest, AMessageBeyondTheBoundEndsItsCallAlone) {
  Serve();
  GrpcChannelOptions options;
  options.endpoint = net::ParseEndpoint(url()).value();
  options.max_message_bytes = 10;
  const auto channel = client_->MakeChannel(std::move(options));
  EXPECT_EQ(Call(*channel, "Repeat", "abcdef")->End().substr(0, 17), "ResourceExhausted");
  EXPECT_EQ(Call(*channel, "Repeat", "abc")->End(), "OK");
}

TEST_F(GrpcClientTest, ACallThatIsNotAnsweredInTimeEnds) {
  Serve();
  const auto channel = Connect(url());
  EXPECT_EQ(Call(*channel, "Wait", "", milliseconds(50))->End(),
            "DeadlineExceeded context deadline exceeded");
  EXPECT_EQ(Call(*channel, "Repeat", "abc")->End(), "OK") << "the connection is as good as before";
}

TEST_F(GrpcClientTest, CancellingEndsACallOnBothSides) {
  Serve();
  const auto channel = Connect(url());
  const auto told = std::make_shared<Told>();
  const auto call = channel->Start({.path = "/test.Test/Echo"}, Framed("one"), false, told);
  ASSERT_EQ(told->Messages(1).size(), 1U);
  call->Cancel();
  EXPECT_EQ(told->End(), "Canceled the call was cancelled");
  EXPECT_TRUE(gone_.Wait()) << "the server hears of it";
}

TEST_F(GrpcClientTest, MoreCallsThanTheServerTakesAtOnceWaitForTheirTurn) {
  net::HttpLimits limits;
  limits.max_streams = 3;
  Serve("127.0.0.1:0", std::nullopt, limits);
  const auto channel = Connect(url());
  // The server tells with its first answer how many it takes.
  ASSERT_EQ(Call(*channel, "Repeat", "")->End(), "OK");
  std::vector<std::shared_ptr<Told>> all;
  for (int i = 0; i < 300; ++i) all.push_back(Call(*channel, "Repeat", std::to_string(i)));
  for (const auto& told : all) EXPECT_EQ(told->End(), "OK");
}

TEST_F(GrpcClientTest, NobodyThereIsToldWithTheAddress) {
  const net::HeldPort nobody;
  const auto channel = Connect("http://" + nobody.address());
  const std::string fault = "Unavailable http://" + nobody.address() + ": ";
  EXPECT_EQ(Call(*channel, "Repeat", "")->End(), fault + "Connection refused");
  EXPECT_EQ(Call(*channel, "Repeat", "")->End(), fault + "the connection was closed")
      << "a channel is not mended";
}

TEST_F(GrpcClientTest, ALostConnectionEndsItsCalls) {
  Serve();
  const auto channel = Connect(url());
  const auto told = Call(*channel, "Wait", "");
  ASSERT_TRUE(asked_.Wait());
  server_->Stop();
  EXPECT_EQ(told->End().substr(0, 11), "Unavailable");
  EXPECT_FALSE(channel->is_ready());
  std::lock_guard lock(mutex_);
  waiting_.clear();
}

TEST_F(GrpcClientTest, AServerThatSaysGoodbyeStillAnswersWhatItHas) {
  Serve();
  const auto channel = Connect(url());
  const auto told = Call(*channel, "Wait", "");
  ASSERT_TRUE(asked_.Wait());
  Thread drain("drain", [&] { server_->Drain(seconds(30)); });
  Become([&] { return !channel->is_ready(); });
  {
    std::lock_guard lock(mutex_);
    std::move(waiting_.front()).SendFrame(Framed("late"));
    waiting_.clear();
  }
  EXPECT_EQ(told->End(), "OK");
  EXPECT_EQ(Call(*channel, "Repeat", "")->End().substr(0, 11), "Unavailable");
  drain.Join();
}

TEST_F(GrpcClientTest, ASilentServerIsGivenUp) {
  // Accepts, as the kernel does for who listens, and says nothing.
  const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(listening, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listening, 4), 0);
  ASSERT_EQ(getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size), 0);
  GrpcChannelOptions options;
  const std::string url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  options.endpoint = net::ParseEndpoint(url).value();
  options.times.ping_after = milliseconds(20);
  options.times.ping_timeout = milliseconds(20);
  const auto channel = client_->MakeChannel(std::move(options));
  EXPECT_EQ(Call(*channel, "Repeat", "")->End(),
            "Unavailable " + url + ": the server has fallen silent");
  close(listening);
}

TEST_F(GrpcClientTest, AServerOfSomethingElseIsRecognized) {
  const net::FunctionHandler::Function plain = [](net::HttpRequest request,
                                                  net::Responder responder) {
    std::move(responder).Respond(
        net::PlainTextResponse(request.path.ends_with("Repeat") ? 503 : 200, "hello"));
  };
  net::TestServer server(plain);
  const auto channel = Connect("http://" + server.address());
  EXPECT_EQ(Call(*channel, "Repeat", "")->End(),
            "Unavailable the server does not speak gRPC: it answered HTTP 503");
  EXPECT_EQ(Call(*channel, "Other", "")->End(),
            "Unknown the server does not speak gRPC: its answer is of another type");
}

TEST_F(GrpcClientTest, ChannelsThatAreLetGoOfFinishTheirCalls) {
  Serve();
  auto channel = Connect(url());
  const auto told = Call(*channel, "Wait", "");
  ASSERT_TRUE(asked_.Wait());
  channel.reset();
  {
    std::lock_guard lock(mutex_);
    std::move(waiting_.front()).SendFrame(Framed("late"));
    waiting_.clear();
  }
  EXPECT_EQ(told->End(), "OK");
  Become([&] { return server_->figures().connections == 0; });
}

TEST_F(GrpcClientTest, StoppingTheClientEndsAllCalls) {
  Serve();
  const auto channel = Connect(url());
  const auto told = Call(*channel, "Wait", "");
  ASSERT_TRUE(asked_.Wait());
  client_->Stop();
  EXPECT_EQ(told->End(), "Unavailable the client was closed");
  std::lock_guard lock(mutex_);
  waiting_.clear();
}

// As protobuf's classes, as far as calls use them.
struct Word {
  std::string text;
  bool ParseFromArray(const void* data, int size) {
    text.assign(static_cast<const char*>(data), static_cast<size_t>(size));
    return text != "unreadable";
  }
};

TEST_F(GrpcClientTest, OneAnswerIsNeitherNoneNorTwoNorUnreadable) {
  const auto ask = [](const std::vector<std::string>& messages, const GrpcStatus& status) {
    std::string told;
    GrpcUnaryHandler<Word> handler([&](GrpcResult<Word> result) {
      told = result ? result->text : std::string(GrpcCodeName(result.error().code));
    });
    for (const std::string& message : messages) handler.OnMessage(message);
    handler.OnEnd(status);
    return told;
  };
  EXPECT_EQ(ask({"word"}, {}), "word");
  EXPECT_EQ(ask({}, {}), "Internal");
  EXPECT_EQ(ask({"a", "b"}, {}), "Internal");
  EXPECT_EQ(ask({"unreadable"}, {}), "Internal");
  EXPECT_EQ(ask({"word"}, {GrpcCode::kAborted, ""}), "Aborted");
}

}  // namespace
}  // namespace skiff::grpc
