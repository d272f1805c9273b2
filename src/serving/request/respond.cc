#include "serving/request/respond.h"

#include <utility>

#include "base/foreign_status.h"
#include "base/limits.h"
#include "base/strings.h"
#include "net/gzip.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/status.h"
#include "object/protobuf/envelope.h"
#include "object/yaml/emit.h"
#include "serving/request/warnings.h"

namespace skiff::serving {
namespace {

// Whether the client takes gzip, told as simply as clients do: by its name.
bool TakesGzip(const ApiRequest& request) {
  return request.http.headers.Get("accept-encoding").find("gzip") != std::string_view::npos;
}

void AddGzipHeaders(net::HttpHeaders& headers) {
  headers.Add("content-encoding", "gzip");
  headers.Add("vary", "Accept-Encoding");
}

// Tells of the answer that the client gets: who comes too late does not answer.
void TellAnswer(const ApiRequest& request, int code, size_t bytes) {
  if (!request.on_answer) return;
  const bool late = request.once != nullptr && request.once->answered();
  request.on_answer(request, late ? StatusReasonCode(StatusReason::kTimeout) : code, bytes);
}

net::HttpResponse Begin(ApiRequest& request, int code, std::string_view content_type,
                        net::HttpHeaders extra) {
  net::HttpResponse response;
  response.code = code;
  response.headers = std::move(extra);
  response.headers.Take(std::move(request.answer_headers));
  response.headers.Add("audit-id", request.audit_id);
  if (response.headers.Find("cache-control") == nullptr) {
    response.headers.Add("cache-control", "no-cache, private");
  }
  if (!content_type.empty()) response.headers.Add("content-type", std::string(content_type));
  for (std::string& warning : WarningHeaders(request.warnings)) {
    response.headers.Add("warning", std::move(warning));
  }
  return response;
}

}  // namespace

void RespondBytes(ApiRequest& request, int code, std::string_view content_type, SharedBytes body,
                  net::HttpHeaders extra) {
  if (body.size() >= limits::kMinGzipBytes && TakesGzip(request)) {
    AddGzipHeaders(extra);
    body = net::GzipBytes(body.view());
  }
  TellAnswer(request, code, body.size());
  net::HttpResponse response = Begin(request, code, content_type, std::move(extra));
  response.body = std::move(body);
  // Whoever answers may still hold the request for a while, such as until its batch is done; the
  // client need not wait for that before it sends the next.
  request.in_flight = InFlight();
  std::move(request.responder).Respond(std::move(response));
}

bool TakeLocalResponse(ApiRequest& request, int code) {
  TellAnswer(request, code, 0);
  request.in_flight = InFlight();
  return request.once->Take();
}

void RespondStream(ApiRequest& request, int code, std::string_view content_type, StreamSize size,
                   std::unique_ptr<net::BodySource> source) {
  net::HttpHeaders extra;
  if (size == StreamSize::kLarge && TakesGzip(request)) {
    AddGzipHeaders(extra);
    source = net::MakeGzipSource(std::move(source));
  }
  TellAnswer(request, code, 0);
  net::HttpResponse response = Begin(request, code, content_type, std::move(extra));
  response.source = std::move(source);
  std::move(request.responder).Respond(std::move(response));
}

void RespondForwarded(ApiRequest& request, net::HttpResponse response) {
  TellAnswer(request, response.code, response.body.size());
  net::HttpResponse out = Begin(request, response.code, "", std::move(response.headers));
  out.body = std::move(response.body);
  out.source = std::move(response.source);
  request.in_flight = InFlight();
  std::move(request.responder).Respond(std::move(out));
}

void RespondUpgrade(ApiRequest& request, net::HttpResponse response) {
  if (request.on_answer) request.on_answer(request, response.code, 0);
  std::move(request.responder).Respond(std::move(response));
}

Result<SharedBytes> FinishJson(ByteBuffer compact_json, const OutputFormat& format) {
  if (format.media == MediaKind::kYaml) {
    object::DecodeOptions options;
    options.max_bytes = limits::kMaxCountedBytes;
    options.borrow_text = true;
    SKIFF_ASSIGN_OR_RETURN(const object::Document tree,
                           object::DecodeJson(compact_json.view(), nullptr, options));
    ByteBuffer yaml(compact_json.size());
    object::AppendYaml(yaml, tree.root());
    return SharedBytes(yaml.view());
  }
  if (format.pretty) {
    ByteBuffer pretty(compact_json.size() * 2);
    object::AppendPrettyJson(pretty, compact_json.view(), 2);
    if (!pretty.view().ends_with('\n')) pretty.Append('\n');
    return SharedBytes(pretty.view());
  }
  compact_json.Append('\n');
  return SharedBytes(compact_json.view());
}

Result<SharedBytes> EncodeObject(const object::Value& object, const OutputFormat& format) {
  if (format.media == MediaKind::kProtobuf) {
    std::string out;
    object::EncodeStorage(object, &out);
    return SharedBytes(out);
  }
  ByteBuffer json;
  object::EncodeJson(object, json);
  return FinishJson(std::move(json), format);
}

void RespondObject(ApiRequest& request, int code, const object::Value& object) {
  if (RespondLocally(request, code, [&](LocalResponse& answer) {
        Arena arena;
        const object::Value copy = object.CopyInto(arena);
        answer.Give(code, object::Document(std::move(arena), copy));
      })) {
    return;
  }
  const OutputFormat format = *NegotiateOutput(request, ResponseKind::kStatus);
  Result<SharedBytes> body = EncodeObject(object, format);
  if (!body) return RespondError(request, body.error());
  RespondBytes(request, code, format.content_type(), std::move(*body));
}

void RespondDone(ApiRequest& request, int code) {
  const std::string json = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success",)"
                           "\"code\":" +
                           std::to_string(code) + "}";
  const Result<object::Document> status =
      object::DecodeJson(json, object::FindKind("v1", "Status"));
  if (!status) return RespondError(request, status.error());
  RespondObject(request, code, status->root());
}

void RespondError(ApiRequest& request, const Status& status) {
  if (RespondLocally(request, ShownCode(status),
                     [&](LocalResponse& answer) { answer.Refuse(status); })) {
    return;
  }
  OutputFormat format = *NegotiateOutput(request, ResponseKind::kStatus);
  const std::string json = object::StatusToJson(status);
  net::HttpHeaders extra;
  if (status.retry_after_seconds() != 0) {
    extra.Add("retry-after", std::to_string(status.retry_after_seconds()));
  }
  if (format.media == MediaKind::kProtobuf) {
    if (auto tree = object::DecodeJson(json, object::FindKind("v1", "Status")); tree) {
      std::string out;
      object::EncodeStorage(tree->root(), &out);
      return RespondBytes(request, ShownCode(status), format.content_type(), SharedBytes(out),
                          std::move(extra));
    }
    format = {};
  }
  ByteBuffer text(json.size() + 1);
  text.Append(json);
  auto body = FinishJson(std::move(text), format);
  RespondBytes(request, ShownCode(status), format.content_type(),
               body ? std::move(*body) : SharedBytes(json), std::move(extra));
}

void RespondInternalError(ApiRequest& request, std::string_view why) {
  std::string address = request.http.path;
  if (!request.http.query.empty()) address += "?" + request.http.query;
  std::string text = "Internal Server Error: " + Quoted(address) + ": ";
  text.append(why).append("\n");
  std::string safe;
  for (const char c : text) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '<') {
      safe += "&lt;";
    } else if (c == '>') {
      safe += "&gt;";
    } else {
      safe += c;
    }
  }
  net::HttpHeaders extra;
  extra.Add("x-content-type-options", "nosniff");
  RespondBytes(request, 500, "text/plain; charset=utf-8", SharedBytes(safe), std::move(extra));
}

void RespondUnknownPath(ApiRequest& request) {
  net::HttpHeaders extra;
  extra.Add("x-content-type-options", "nosniff");
  RespondBytes(request, 404, "text/plain; charset=utf-8", SharedBytes("404 page not found\n"),
               std::move(extra));
}

}  // namespace skiff::serving
