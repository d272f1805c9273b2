#include "net/http.h"

namespace skiff::net {

const std::string* HttpHeaders::Find(std::string_view name) const {
  for (const Field& field : fields_)
    if (field.name == name) return &field.value;
  return nullptr;
}

std::string_view HttpHeaders::Get(std::string_view name) const {
  const std::string* value = Find(name);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

void HttpHeaders::Erase(std::string_view name) {
  std::erase_if(fields_, [&](const Field& field) { return field.name == name; });
}

void HttpHeaders::Take(HttpHeaders&& other) {
  // An answer gets a few more after these.
  constexpr size_t kMore = 4;
  fields_.reserve(fields_.size() + other.fields_.size() + kMore);
  for (Field& field : other.fields_) fields_.push_back(std::move(field));
  other.fields_.clear();
}

HttpResponse PlainTextResponse(int code, std::string_view text) {
  HttpResponse response;
  response.code = code;
  response.headers.Add("content-type", "text/plain; charset=utf-8");
  response.body = SharedBytes(text);
  return response;
}

Responder& Responder::operator=(Responder&& other) {
  if (this == &other) return *this;
  Responder dropped(std::move(sink_));
  sink_ = std::move(other.sink_);
  return *this;
}

Responder::~Responder() {
  if (sink_ == nullptr) return;
  sink_->Respond(PlainTextResponse(500, "Internal Server Error\n"));
}

void Responder::Respond(HttpResponse response) && {
  if (auto sink = std::move(sink_)) sink->Respond(std::move(response));
}

std::unique_ptr<RequestSink> HttpHandler::HandleStream(HttpRequest& request, Responder& responder) {
  static_cast<void>(request);
  static_cast<void>(responder);
  return nullptr;
}

void HttpHandler::HandleHead(HttpRequest request, Responder responder) {
  Handle(std::move(request), std::move(responder));
}

void HttpHandler::HandleTooLarge(HttpRequest request, Responder responder) {
  static_cast<void>(request);
  std::move(responder).Respond(PlainTextResponse(413, "Request entity too large\n"));
}

}  // namespace skiff::net
