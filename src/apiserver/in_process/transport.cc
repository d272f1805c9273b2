#include "apiserver/in_process/transport.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/in_process/call_request.h"
#include "apiserver/in_process/executor_link.h"
#include "apiserver/in_process/local_call.h"
#include "apiserver/in_process/local_reply.h"
#include "apiserver/in_process/local_watch.h"
#include "apiserver/in_process/response_body.h"
#include "apiserver/in_process/served_api.h"
#include "apiserver/in_process/shared_documents.h"
#include "base/limits.h"
#include "client/https/api_response.h"
#include "serving/auth/forbidden.h"

namespace skiff::apiserver {
namespace {

using Done = std::move_only_function<void(Result<client::ClientReply>)>;
using Discovered = std::move_only_function<void(Result<client::ServedApi>)>;

Status Closed() {
  return Status(StatusReason::kServiceUnavailable, "the way to the API server is closed");
}

Status TooMany(std::string_view what) {
  return Status(StatusReason::kTooManyRequests,
                "too many " + std::string(what) + " of this client are open");
}

// What is open, and what all calls share. Executor only. Callbacks hold it weakly and find it gone
// once the transport is.
class Calls : public std::enable_shared_from_this<Calls> {
 public:
  explicit Calls(InProcessOptions options)
      : options_(std::move(options)),
        user_(std::make_shared<const serving::UserInfo>(options_.user)),
        link_(std::make_shared<ExecutorLink>(options_.executor, options_.post)),
        documents_(std::make_shared<SharedDocuments>()) {}
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls() {
    link_->Cut();
    for (const auto& [key, weak] : watches_) {
      if (const auto watch = weak.lock()) watch->Stop();
    }
  }

  Executor& executor() { return options_.executor; }

  void Send(const client::ClientCall& call, Done done) {
    const uint64_t id = ++last_;
    calls_.emplace(id, std::move(done));
    const bool is_remote = IsRemote(*call.resource);
    const DocumentForm form = FormOf(call.metadata_only);
    auto asked = is_remote ? std::make_shared<const client::ClientCall>(call) : nullptr;
    const auto local = std::make_shared<LocalCall>(
        link_, [weak = weak_from_this(), id, form, asked](LocalReply reply) {
          const auto self = weak.lock();
          if (self != nullptr) self->Answer(id, form, asked, std::move(reply));
        });
    if (closed_) return local->Refuse(Closed());
    if (calls_.size() > limits::kMaxInProcessCalls) return local->Refuse(TooMany("calls"));
    Result<serving::ApiRequestPtr> request =
        is_remote ? RemoteRequestOf(call, local) : RequestOf(call, local);
    if (!request) return local->Refuse(request.error());
    Handle(std::move(*request), local);
  }

  std::shared_ptr<LocalWatch> Watch(const client::WatchCall& call, client::ClientWatchSink* sink) {
    auto watch = std::make_shared<LocalWatch>(link_, documents_, FormOf(call.metadata_only),
                                              *call.resource, sink);
    watches_.emplace_back(watch.get(), watch);
    const auto local = watch->MakeSink();
    if (closed_) {
      local->Refuse(Closed());
    } else if (watches_.size() > limits::kMaxInProcessWatches) {
      local->Refuse(TooMany("watches"));
    } else if (!IsRemote(*call.resource)) {
      Handle(RequestOf(call, local), local);
    } else if (Result<serving::ApiRequestPtr> request = RemoteRequestOf(call, local); request) {
      Handle(std::move(*request), local);
    } else {
      local->Refuse(request.error());
    }
    return watch;
  }
  void Forget(LocalWatch* watch) {
    std::erase_if(watches_, [watch](const auto& each) { return each.first == watch; });
  }

  void Discover(Discovered done) {
    const uint64_t id = ++last_;
    discoveries_.emplace(id, std::move(done));
    if (closed_) return AnswerDiscovery(id, std::unexpected(Closed()));
    if (discoveries_.size() > limits::kMaxInProcessCalls) {
      return AnswerDiscovery(id, std::unexpected(TooMany("calls")));
    }
    const serving::AccessAttributes attributes{.user = user_.get(),
                                               .verb = "get",
                                               .is_resource = false,
                                               .group = {},
                                               .version = {},
                                               .resource = {},
                                               .subresource = {},
                                               .name_space = {},
                                               .name = {},
                                               .path = "/apis"};
    options_.authorizer.Authorize(attributes,
                                  [weak = weak_from_this(), link = link_, user = user_, attributes,
                                   id](const serving::AuthorizationResult& answer) {
                                    std::optional<Status> refused;
                                    if (answer.decision != serving::Decision::kAllow) {
                                      refused = serving::ForbiddenStatus(attributes, answer.reason);
                                    }
                                    link->Post([weak, id, refused = std::move(refused)] {
                                      if (const auto self = weak.lock())
                                        self->AfterAuthorization(id, refused);
                                    });
                                  });
  }

  // Who is answered may ask again, and be answered likewise, later.
  void Close() {
    if (std::exchange(closed_, true)) return;
    const auto self = shared_from_this();
    bodies_.clear();
    for (auto& [id, done] : std::exchange(calls_, {})) done(std::unexpected(Closed()));
    for (auto& [id, done] : std::exchange(discoveries_, {})) done(std::unexpected(Closed()));
    for (const auto& [key, weak] : std::exchange(watches_, {})) {
      if (const auto watch = weak.lock()) watch->End(Closed());
    }
  }

 private:
  static DocumentForm FormOf(bool metadata_only) {
    return metadata_only ? DocumentForm::kMetadata : DocumentForm::kWhole;
  }

  void Handle(serving::ApiRequestPtr request, std::shared_ptr<LocalSink> local) {
    request->user = *user_;
    request->local = std::move(local);
    options_.handle(std::move(request));
  }

  using Asked = std::shared_ptr<const client::ClientCall>;
  void Answer(uint64_t id, DocumentForm form, const Asked& asked, LocalReply reply) {
    if (auto* response = std::get_if<net::HttpResponse>(&reply);
        response != nullptr && asked != nullptr) {
      return ReadAnswer(id, asked, std::move(*response));
    }
    auto open = calls_.extract(id);
    if (!open.empty()) open.mapped()(ReplyOf(std::move(reply), form, *documents_));
  }

  // What another server answers, which may come piece by piece.
  void ReadAnswer(uint64_t id, const Asked& asked, net::HttpResponse response) {
    if (!calls_.contains(id)) return;
    auto answer = std::make_shared<client::ApiResponse>();
    answer->code = response.code;
    answer->content_type = response.headers.Get("content-type");
    ResponseBody::Calls on;
    on.on_bytes = [this, id, answer](std::string_view bytes) {
      answer->body += bytes;
      if (answer->body.size() <= limits::kMaxApiResponseBytes) return;
      EndAnswer(id, Fail(StatusReason::kInternalError, "the server's answer is too long"));
    };
    on.on_end = [this, id, asked, answer](const Result<void>& outcome) {
      if (!outcome) {
        EndAnswer(id, Fail(StatusReason::kServerTimeout, "the answer was broken off"));
      } else if (answer->code >= 400) {
        EndAnswer(id, std::unexpected(client::DecodeStatus(*answer)));
      } else {
        EndAnswer(id, client::DecodeReply(*asked, *answer));
      }
    };
    const auto body = std::make_shared<ResponseBody>(link_, std::move(response), std::move(on));
    bodies_[id] = body;
    body->Start();
  }

  void EndAnswer(uint64_t id, Result<client::ClientReply> reply) {
    const auto body = bodies_.extract(id);
    auto open = calls_.extract(id);
    if (!open.empty()) open.mapped()(std::move(reply));
  }

  bool IsRemote(const client::ApiResource& resource) const {
    for (const RegisteredVersion& each : *options_.registrations.versions()) {
      if (each.is_remote && each.group == resource.group && each.version == resource.version) {
        return true;
      }
    }
    return false;
  }

  void AfterAuthorization(uint64_t id, const std::optional<Status>& refused) {
    auto open = discoveries_.extract(id);
    if (open.empty()) return;
    if (refused) return open.mapped()(std::unexpected(*refused));
    open.mapped()(DiscoverApi(*options_.served(), *options_.registrations.versions()));
  }

  void AnswerDiscovery(uint64_t id, Result<client::ServedApi> answer) {
    link_->Post([weak = weak_from_this(), id, answer = std::move(answer)]() mutable {
      const auto self = weak.lock();
      if (self == nullptr) return;
      auto open = self->discoveries_.extract(id);
      if (!open.empty()) open.mapped()(std::move(answer));
    });
  }

  const InProcessOptions options_;
  const std::shared_ptr<const serving::UserInfo> user_;
  const std::shared_ptr<ExecutorLink> link_;
  const std::shared_ptr<SharedDocuments> documents_;
  uint64_t last_ = 0;
  std::map<uint64_t, Done> calls_;
  std::map<uint64_t, std::shared_ptr<ResponseBody>> bodies_;  // answers that are still coming
  std::map<uint64_t, Discovered> discoveries_;
  // In the order in which they began, in which they end too: not in that of their addresses.
  std::vector<std::pair<LocalWatch*, std::weak_ptr<LocalWatch>>> watches_;
  bool closed_ = false;
};

class HeldWatch final : public client::ClientWatch {
 public:
  HeldWatch(std::weak_ptr<Calls> calls, std::shared_ptr<LocalWatch> watch)
      : calls_(std::move(calls)), watch_(std::move(watch)) {}
  ~HeldWatch() override {
    watch_->Stop();
    if (const auto calls = calls_.lock()) calls->Forget(watch_.get());
  }

 private:
  const std::weak_ptr<Calls> calls_;
  const std::shared_ptr<LocalWatch> watch_;
};

class InProcessTransport final : public client::ClientTransport {
 public:
  explicit InProcessTransport(InProcessOptions options)
      : calls_(std::make_shared<Calls>(std::move(options))) {}

  Executor& executor() override { return calls_->executor(); }
  void Send(client::ClientCall call, Done done) override { calls_->Send(call, std::move(done)); }
  std::unique_ptr<client::ClientWatch> Watch(client::WatchCall call,
                                             client::ClientWatchSink* sink) override {
    return std::make_unique<HeldWatch>(calls_, calls_->Watch(call, sink));
  }
  void Discover(Discovered done) override { calls_->Discover(std::move(done)); }
  void Close() override { calls_->Close(); }

 private:
  const std::shared_ptr<Calls> calls_;
};

}  // namespace

std::unique_ptr<client::ClientTransport> MakeInProcessTransport(InProcessOptions options) {
  return std::make_unique<InProcessTransport>(std::move(options));
}

}  // namespace skiff::apiserver
