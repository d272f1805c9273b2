// HTTP as handlers see it, whichever version is spoken: a request that has come in whole, or its
// head if the handler asks for the body itself, and a responder to answer it with, at once or
// later, from any thread.
//
// Bodies of answers are either bytes that are at hand or a BodySource, which is asked for more
// whenever the connection can take more, so that a long answer never lies in memory as a whole and
// a slow client slows nobody but itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/shared_bytes.h"
#include "base/status.h"

namespace skiff::net {

// In the order in which they came or are to be sent. Names are in lower case.
class HttpHeaders {
 public:
  struct Field {
    std::string name;
    std::string value;
  };

  void Add(std::string name, std::string value) {
    fields_.push_back({std::move(name), std::move(value)});
  }
  // The first of that name; null when there is none.
  const std::string* Find(std::string_view name) const;
  // "" when there is none.
  std::string_view Get(std::string_view name) const;
  const std::vector<Field>& fields() const { return fields_; }
  // All of that name.
  void Erase(std::string_view name);
  // All of the other's, behind those that are here.
  void Take(HttpHeaders&& other);

 private:
  std::vector<Field> fields_;
};

// What a verified client certificate says. Shared by the requests of a connection.
struct PeerCertificate {
  std::string common_name;
  std::vector<std::string> organizations;
  std::string uid;          // of the subject, OID 1.3.6.1.4.1.57683.2; mostly empty
  std::string fingerprint;  // SHA-256 of the certificate, lower-case hexadecimal
  int64_t not_after_seconds = 0;
  // Which of TlsOptions::client_ca_files it was verified against: bit i for file i. A certificate
  // of the CA of front proxies does not make a user.
  uint32_t verified_by = 0;
};

struct HttpRequest {
  std::string method;
  std::string path;   // as sent, still escaped, without the query; begins with '/'
  std::string query;  // as sent, without the '?'
  HttpHeaders headers;
  std::string body;                             // at most the server's bound; chunks joined
  std::string remote_address;                   // "127.0.0.1:4711"
  std::shared_ptr<const PeerCertificate> peer;  // null: no certificate, or one that is not verified
  bool peer_refused = false;                    // there was a certificate, but not of our CA
  int version = 11;                             // 10, 11 or 20
};

// The body of an answer, made piece by piece. Read() and the destructor run on the loop of the
// connection. Destroyed when the answer is complete, or when the client has gone.
class BodySource {
 public:
  enum class State : uint8_t {
    kMore,     // call again when there is room; in another turn, if nothing was appended
    kWaiting,  // call again after `wake`
    kEnd,      // that was all
  };
  virtual ~BodySource() = default;

  // Called once, before the first Read(). `wake` may be called from any thread, any number of
  // times, also after the source has been destroyed: Read() would now give something.
  virtual void OnStart(std::function<void()> wake) { static_cast<void>(wake); }
  // Appends about `room` bytes to `out`, or what there is; somewhat more does no harm. What takes
  // long comes back after limits::kWorkAtOnce with less, or nothing. An error breaks the answer off
  // so that the client notices.
  virtual Result<State> Read(ByteBuffer& out, size_t room) = 0;
  // What it keeps in memory until the next call, besides what it shares with others.
  virtual size_t HeldBytes() const { return 0; }
  // When the answer is broken off, however slowly the client takes it. Asked once, after OnStart().
  virtual Duration Deadline() const { return Clock::kForever; }
  // What follows the body, asked for once after kEnd. HTTP/2 only; HTTP/1.1 leaves it out.
  virtual HttpHeaders Trailers() { return {}; }
};

struct HttpResponse {
  int code = 200;
  HttpHeaders headers;  // without those of the framing: content-length, connection, date, ...
  // One of them is empty. With a source the length is not known beforehand.
  SharedBytes body = {};
  std::unique_ptr<BodySource> source = nullptr;
  // What follows a body that is at hand. HTTP/2 only; HTTP/1.1 leaves it out.
  HttpHeaders trailers = {};
};

// The body of a request whose handler was given the head alone.
struct RequestBody {
  std::string bytes;       // chunks joined
  bool too_large = false;  // beyond the server's bound, and not read
};
using BodyCallback = std::move_only_function<void(RequestBody)>;

// Takes the body of a request as it comes in, for a handler that answers before all of it is there.
// All calls on the loop of the connection; none after OnEnd() or OnGone(). It ends without either
// when the request is answered before, which may not happen within a call.
class RequestSink {
 public:
  virtual ~RequestSink() = default;
  // Called once, before all else, by who was asked for it with Responder::PassBody(). `wake` may be
  // called from any thread, any number of times, also later than the sink lives: input is wanted
  // again.
  virtual void OnStart(std::function<void()> wake) { static_cast<void>(wake); }
  // False holds back what the client sends, but for the little that is on its way.
  virtual bool wants_input() const { return true; }
  virtual void OnBytes(std::string_view bytes) = 0;
  // That was all.
  virtual void OnEnd() = 0;
  // The stream has ended before the body did.
  virtual void OnGone() = 0;
};

// Answers one request, once. May be moved to any thread and used there. Dropped without an answer,
// the client gets a 500. When the client has gone, answering does nothing.
class Responder {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    // Any thread.
    virtual void Respond(HttpResponse response) = 0;
    // Any thread. Whether anybody still waits for the answer.
    virtual bool gone() const = 0;
    // Any thread. Runs the task soon, on the loop of the connection, even if the client has gone.
    virtual void Post(std::move_only_function<void()> task) = 0;
    // Any thread. As of Responder::ReadBody(); what has no head of its own has no body either.
    virtual void ReadBody(BodyCallback then) { then({}); }
    // The same of Responder::PassBody().
    virtual void PassBody(std::unique_ptr<RequestSink> sink) { sink->OnEnd(); }
  };

  explicit Responder(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}
  Responder(Responder&&) = default;
  Responder& operator=(Responder&& other);
  ~Responder();

  void Respond(HttpResponse response) &&;
  bool gone() const { return sink_ == nullptr || sink_->gone(); }
  // What stands behind it, for who puts another before it. The responder is used up.
  std::shared_ptr<Sink> Release() && { return std::move(sink_); }
  // For work that must not be done on the thread that asks for it, such as that of the store.
  void Post(std::move_only_function<void()> task) const { sink_->Post(std::move(task)); }
  // For who was given a head by HandleHead(): lets the client send the body. `then` is called once
  // all of it is there, on the loop of the connection and maybe at once; it is dropped when the
  // client goes before, or the request is answered.
  void ReadBody(BodyCallback then) const { sink_->ReadBody(std::move(then)); }
  // The same for a body of any length, which goes to the sink as it comes.
  void PassBody(std::unique_ptr<RequestSink> sink) const { sink_->PassBody(std::move(sink)); }

 private:
  std::shared_ptr<Sink> sink_;
};

// What the server calls for each request, on the loop of its connection: it must be quick, and
// answers later if it has to wait for something.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual void Handle(HttpRequest request, Responder responder) = 0;
  // Instead of Handle() when the body goes beyond the server's bound: the request without its body.
  // The connection (HTTP/1.1) or the stream ends with the answer. By default plain text, code 413.
  virtual void HandleTooLarge(HttpRequest request, Responder responder);
  // Whether HandleHead() is called, instead of both, for requests whose body has not come yet: so
  // that who may not ask is told so before anything is read or kept.
  virtual bool takes_heads() const { return false; }
  virtual void HandleHead(HttpRequest request, Responder responder);
  // Asked over HTTP/2 when the head of a request is there and its body is not. Either takes both
  // and returns what the body goes to, or leaves both alone and returns null: then the body is
  // collected and Handle() called.
  virtual std::unique_ptr<RequestSink> HandleStream(HttpRequest& request, Responder& responder);
};

HttpResponse PlainTextResponse(int code, std::string_view text);

}  // namespace skiff::net
