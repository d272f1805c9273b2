#include "net/http1_parser.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace skiff::net {
namespace {

struct Parsed {
  int code = 0;  // of the fault; 0 for none, -1 for an incomplete head
  HttpRequest request;
  Http1Framing framing;
};

Parsed Parse(std::string_view text) {
  Parsed parsed;
  HeadScanner scanner;
  switch (scanner.Scan(text, limits::kMaxHttpHeaderBytes)) {
    case HeadScanner::State::kIncomplete:
      parsed.code = -1;
      return parsed;
    case HeadScanner::State::kFault:
      parsed.code = scanner.fault().code;
      return parsed;
    case HeadScanner::State::kComplete:
      break;
  }
  parsed.code =
      ParseHttp1Head(text.substr(0, scanner.head_bytes()), parsed.request, parsed.framing).code;
  return parsed;
}

// A request with these further fields.
int CodeWith(std::string_view fields) {
  return Parse("POST / HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n").code;
}

TEST(Http1ParserTest, ReadsARequest) {
  Parsed parsed = Parse(
      "GET /api/v1/pods?limit=5&x=%zz HTTP/1.1\r\nHost: localhost:6443\r\n"
      "User-Agent:kubectl\t\r\nX-Empty:\r\nAccept:  a, b  \r\n\r\nrest");
  ASSERT_EQ(parsed.code, 0);
  EXPECT_EQ(parsed.request.method, "GET");
  EXPECT_EQ(parsed.request.path, "/api/v1/pods");
  EXPECT_EQ(parsed.request.query, "limit=5&x=%zz");
  EXPECT_EQ(parsed.request.version, 11);
  EXPECT_EQ(parsed.request.headers.Get("user-agent"), "kubectl");
  EXPECT_EQ(parsed.request.headers.Get("accept"), "a, b");
  ASSERT_NE(parsed.request.headers.Find("x-empty"), nullptr);
  EXPECT_FALSE(parsed.framing.has_body());
  EXPECT_TRUE(parsed.framing.keep_alive);
}

TEST(Http1ParserTest, FindsTheEndHoweverTheBytesCome) {
  const std::string text = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  HeadScanner scanner;
  for (size_t i = 1; i < text.size(); ++i)
    ASSERT_EQ(scanner.Scan(std::string_view(text).substr(0, i), 1000),
              HeadScanner::State::kIncomplete);
  EXPECT_EQ(scanner.Scan(text, 1000), HeadScanner::State::kComplete);
  EXPECT_EQ(scanner.head_bytes(), text.size());
}

TEST(Http1ParserTest, RefusesMalformedRequestLines) {
  for (const char* line : {"GET /",
                           "GET  / HTTP/1.1",
                           "GET / HTTP/1.1 ",
                           " GET / HTTP/1.1",
                           "G(T / HTTP/1.1",
                           "GET / http/1.1",
                           "GET / HTTP/1",
                           "GET / HTTP/11",
                           "GET x HTTP/1.1",
                           "GET * HTTP/1.1",
                           "GET /a b HTTP/1.1",
                           "GET /\x01 HTTP/1.1",
                           "GET /\x7f HTTP/1.1",
                           "GET /%zz HTTP/1.1",
                           "GET /%4 HTTP/1.1",
                           "GET\t/\tHTTP/1.1",
                           "CONNECT a:443 HTTP/1.1",
                           "GET http:// HTTP/1.1",
                           "GET ftp://a/ HTTP/1.1",
                           "GET http://a@b/ HTTP/1.1",
                           ""})
    EXPECT_EQ(Parse(std::string(line) + "\r\nHost: a\r\n\r\n").code, 400) << line;
  EXPECT_EQ(Parse(std::string("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 29)).code, 400);
  EXPECT_EQ(Parse("GET / HTTP/2.0\r\nHost: a\r\n\r\n").code, 505);
  EXPECT_EQ(Parse("GET / HTTP/1.2\r\nHost: a\r\n\r\n").code, 505);
}

TEST(Http1ParserTest, TakesAbsoluteTargetsAndTheServerItself) {
  Parsed parsed = Parse("GET http://a.example:80/x%20y?q HTTP/1.1\r\nHost: b\r\n\r\n");
  EXPECT_EQ(parsed.code, 0);
  EXPECT_EQ(parsed.request.path, "/x%20y");
  EXPECT_EQ(parsed.request.query, "q");
  parsed = Parse("GET HTTPS://a?q HTTP/1.1\r\nHost: b\r\n\r\n");
  EXPECT_EQ(parsed.request.path, "/");
  EXPECT_EQ(parsed.request.query, "q");
  EXPECT_TRUE(Parse("OPTIONS * HTTP/1.1\r\nHost: b\r\n\r\n").framing.is_server_options);
}

TEST(Http1ParserTest, RefusesWhatReadersMightReadDifferently) {
  EXPECT_EQ(CodeWith("Content-Length: 5\r\n"), 0);
  EXPECT_EQ(CodeWith("Transfer-Encoding: Chunked\r\n"), 0);
  EXPECT_EQ(CodeWith("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(CodeWith("Content-Length: 5\r\nContent-Length: 5\r\n"), 400);
  EXPECT_EQ(CodeWith("Content-Length: 5, 5\r\n"), 400);
  EXPECT_EQ(CodeWith("Content-Length: +5\r\n"), 400);
  EXPECT_EQ(CodeWith("Content-Length: -5\r\n"), 400);
  EXPECT_EQ(CodeWith("Content-Length: 0x5\r\n"), 400);
  EXPECT_EQ(CodeWith("Content-Length:\r\n"), 400);
  EXPECT_EQ(CodeWith("Content-Length: 99999999999999999999\r\n"), 400);
  EXPECT_EQ(CodeWith("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(CodeWith("Transfer-Encoding: gzip, chunked\r\n"), 501);
  EXPECT_EQ(CodeWith("Transfer-Encoding: identity\r\n"), 501);
  EXPECT_EQ(CodeWith("Transfer-Encoding: chunked, identity\r\n"), 501);
  EXPECT_EQ(CodeWith("Transfer-Encoding:\x0b chunked\r\n"), 400);
  EXPECT_EQ(CodeWith("Content-Length : 5\r\n"), 400);
  EXPECT_EQ(CodeWith("Content-Length\t: 5\r\n"), 400);
  EXPECT_EQ(CodeWith("X: a\r\n b\r\n"), 400);
  EXPECT_EQ(CodeWith("X: a\r\n\tb\r\n"), 400);
  EXPECT_EQ(CodeWith("X: a\nY: b\r\n"), 400);
  EXPECT_EQ(CodeWith("X: a\rY: b\r\n"), 400);
  EXPECT_EQ(CodeWith(std::string_view("X: a\0b\r\n", 8)), 400);
  EXPECT_EQ(CodeWith("X: a\x7f\r\n"), 400);
  EXPECT_EQ(CodeWith(": a\r\n"), 400);
  EXPECT_EQ(CodeWith("X\r\n"), 400);
  EXPECT_EQ(CodeWith("Host: b\r\n"), 400);
  EXPECT_EQ(CodeWith("Expect: 200-ok\r\n"), 417);
  EXPECT_EQ(Parse("GET / HTTP/1.1\r\n\r\n").code, 400);
  EXPECT_EQ(Parse("GET / HTTP/1.1\r\nHost: a b\r\n\r\n").code, 400);
  EXPECT_EQ(Parse("GET / HTTP/1.1\nHost: a\n\n").code, 400);
  EXPECT_EQ(Parse("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").code, 400);
}

TEST(Http1ParserTest, BoundsTheHead) {
  HeadScanner scanner;
  EXPECT_EQ(scanner.Scan("GET / HTTP/1.1\r\nX: " + std::string(2000, 'x'), 1000),
            HeadScanner::State::kFault);
  EXPECT_EQ(scanner.fault().code, 431);
  EXPECT_EQ(Parse("GET /" + std::string(limits::kMaxHttpRequestLineBytes, 'x')).code, 431);
  std::string many;
  for (size_t i = 0; i <= limits::kMaxHttpHeaderFields; ++i) many += "X: y\r\n";
  EXPECT_EQ(CodeWith(many), 431);
}

TEST(Http1ParserTest, ConnectionsStayOpenAsTheVersionAndTheClientSay) {
  const auto keeps = [](std::string_view version, std::string_view field) {
    return Parse("GET / HTTP/" + std::string(version) + "\r\nHost: a\r\n" + std::string(field) +
                 "\r\n")
        .framing.keep_alive;
  };
  EXPECT_TRUE(keeps("1.1", ""));
  EXPECT_FALSE(keeps("1.1", "Connection: x, Close\r\n"));
  EXPECT_FALSE(keeps("1.0", ""));
  EXPECT_TRUE(keeps("1.0", "Connection: Keep-Alive\r\n"));
}

struct Chunks {
  ChunkedReader::State state;
  std::string body;
  std::string_view rest;
};

Chunks ReadChunks(std::string_view text, size_t max_body = 1000) {
  Chunks out;
  ChunkedReader reader;
  out.rest = text;
  out.state = reader.Read(out.rest, out.body, max_body);
  return out;
}

TEST(ChunkedReaderTest, JoinsChunksAndLeavesWhatFollows) {
  Chunks read = ReadChunks("5\r\nhello\r\n00a;name=\"v\"\r\n, world 12\r\n0\r\nT: x\r\n\r\nGET");
  EXPECT_EQ(read.state, ChunkedReader::State::kEnd);
  EXPECT_EQ(read.body, "hello, world 12");
  EXPECT_EQ(read.rest, "GET");
}

TEST(ChunkedReaderTest, TakesBytesOneByOne) {
  ChunkedReader reader;
  std::string body;
  const std::string text = "3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n";
  for (size_t i = 0; i < text.size(); ++i) {
    std::string_view piece = std::string_view(text).substr(i, 1);
    EXPECT_EQ(reader.Read(piece, body, 1000),
              i + 1 == text.size() ? ChunkedReader::State::kEnd : ChunkedReader::State::kMore);
  }
  EXPECT_EQ(body, "abc0123456789abcdef");
}

TEST(ChunkedReaderTest, RefusesMalformedChunks) {
  for (const char* text :
       {"\r\n", "g\r\n", "5\nhello", "-1\r\n", "0x5\r\nhello\r\n", " 5\r\nhello\r\n",
        "5 \r\nhello\r\n", "5\r\nhelloX\r\n", "5\r\nhello\n0\r\n", "5\r\nhello!!0\r\n",
        "fffffffffffffffff\r\n", "1x\r\na", "1;\x01\r\na", "0\r\n folded\r\n\r\n",
        "0\r\nbad name: x\r\n\r\n"})
    EXPECT_EQ(ReadChunks(text).state, ChunkedReader::State::kFault) << text;
  EXPECT_EQ(ReadChunks("1;" + std::string(limits::kMaxHttpChunkLineBytes, 'x')).state,
            ChunkedReader::State::kFault);
  EXPECT_EQ(ReadChunks("0\r\nX: " + std::string(limits::kMaxHttpTrailerBytes, 'x')).state,
            ChunkedReader::State::kFault);
}

TEST(ChunkedReaderTest, BoundsTheBodyBeforeItComes) {
  EXPECT_EQ(ReadChunks("3e8\r\n").state, ChunkedReader::State::kMore);
  EXPECT_EQ(ReadChunks("3e9\r\n").state, ChunkedReader::State::kTooLarge);
  EXPECT_EQ(ReadChunks("5\r\nhello\r\n3e4\r\n").state, ChunkedReader::State::kTooLarge);
}

TEST(ChunkedReaderTest, RefusesChunksThatAreMostlyOverhead) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "1\r\nx\r\n";
  EXPECT_EQ(ReadChunks(text, 1'000'000).state, ChunkedReader::State::kFault);
}

TEST(Http1AnswerTest, TheHeadSaysHowTheBodyEnds) {
  Http1ResponseHead counted;
  EXPECT_EQ(
      ParseHttp1ResponseHead("HTTP/1.1 200 OK\r\nContent-Length: 7\r\nA: b\r\n\r\n", counted).code,
      0);
  EXPECT_EQ(counted.code, 200);
  EXPECT_EQ(counted.framing.content_length, 7u);
  EXPECT_TRUE(counted.framing.keep_alive);
  EXPECT_EQ(counted.headers.Get("a"), "b");
  Http1ResponseHead chunked;
  EXPECT_EQ(ParseHttp1ResponseHead(
                "HTTP/1.1 404\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n", chunked)
                .code,
            0);
  EXPECT_EQ(chunked.code, 404);
  EXPECT_TRUE(chunked.framing.chunked);
  EXPECT_FALSE(chunked.framing.keep_alive);
  Http1ResponseHead old;
  EXPECT_EQ(ParseHttp1ResponseHead("HTTP/1.0 200 OK\r\n\r\n", old).code, 0);
  EXPECT_FALSE(old.framing.keep_alive);
}

TEST(Http1AnswerTest, WhatIsNoAnswerIsRefused) {
  for (const char* head :
       {"", "\r\n", "HTTP/1.1\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1 2000\r\n\r\n", "HTTP/1.1 099 x\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    Http1ResponseHead answer;
    EXPECT_NE(ParseHttp1ResponseHead(head, answer).code, 0) << head;
  }
}

}  // namespace
}  // namespace skiff::net
