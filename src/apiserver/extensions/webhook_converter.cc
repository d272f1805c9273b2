#include "apiserver/extensions/webhook_converter.h"

#include <span>
#include <utility>

#include "base/limits.h"
#include "base/webhook_limits.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/open_kind.h"
#include "views/apiextensions.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

Result<object::Document> Decode(std::string_view json, const object::MessageDesc* type) {
  object::DecodeOptions options;
  options.max_bytes = limits::kMaxCountedBytes;
  return object::DecodeJson(json, type, options);
}

std::string_view VersionIn(std::string_view api_version) {
  return api_version.substr(api_version.find('/') + 1);
}

void RunWhere(const ObjectConverter::Post& post, std::move_only_function<void()> task) {
  if (post) {
    post(std::move(task));
  } else {
    task();
  }
}

}  // namespace

// What was wanted together.
struct WebhookConverter::Job {
  Objects results;
  size_t left = 0;  // that are being asked for
  std::optional<Status> failed;
  Post post;
  Done done;

  void Finish() {
    if (failed) return done(std::unexpected(std::move(*failed)));
    done(std::move(results));
  }
};

WebhookConverter::WebhookConverter(std::shared_ptr<const CustomDefinition> definition,
                                   ConversionServices services)
    : definition_(std::move(definition)), services_(services) {}

WebhookConverter::Key WebhookConverter::KeyOf(const SharedBytes& object,
                                              const object::MessageDesc& to) const {
  std::string text(definition_->fingerprint());
  text.append(to.group_version->api_version).append("\n").append(object.view());
  return crypto::Sha256(text);
}

void WebhookConverter::Convert(Objects objects, const object::MessageDesc& to, Memory memory,
                               Post post, Done done) {
  auto job = std::make_shared<Job>();
  job->post = std::move(post);
  job->done = std::move(done);
  job->results.resize(objects.size());
  std::vector<Waited> unknown;
  for (size_t i = 0; i < objects.size(); ++i) {
    if (IsInVersion(objects[i].view(), to)) {
      job->results[i] = std::move(objects[i]);
      continue;
    }
    const Key key = KeyOf(objects[i], to);
    auto known = memory == Memory::kAnswers ? services_.converted.Find(key) : std::nullopt;
    if (known) {
      job->results[i] = std::move(*known);
    } else {
      unknown.push_back({key, i});
    }
  }
  if (unknown.empty()) return job->Finish();
  std::vector<Asked> asked;
  {
    const std::lock_guard lock(mutex_);
    job->left = unknown.size();
    for (const auto& [key, place] : unknown) {
      std::vector<Waiter>& waiters = waiting_[key];
      waiters.push_back({job, place});
      if (waiters.size() == 1) asked.push_back({key, std::move(objects[place])});
    }
  }
  for (size_t next = 0; next < asked.size();) {
    Call call = TakeCall(asked, next);
    call.to = &to;
    call.post = job->post;
    Ask(std::move(call));
  }
}

WebhookConverter::Call WebhookConverter::TakeCall(std::vector<Asked>& objects, size_t& next) const {
  Call call;
  size_t bytes = 0;
  for (; next < objects.size() && call.objects.size() < limits::kMaxConvertedAtOnce &&
         bytes < limits::kConvertedBytesAtOnce;
       ++next) {
    const std::string_view json = objects[next].object.view();
    const Result<object::TypeMeta> meta = object::PeekTypeMeta(json);
    const std::string from = meta ? meta->api_version : std::string();
    if (!call.objects.empty() && from != call.from) break;
    call.from = from;
    bytes += json.size();
    call.objects.push_back(std::move(objects[next]));
  }
  call.prefix = "conversion webhook for " + call.from +
                ", Kind=" + std::string(definition_->kind_name()) + " ";
  return call;
}

Result<std::shared_ptr<const ConversionWebhook>> WebhookConverter::Webhook() {
  {
    const std::lock_guard lock(mutex_);
    if (webhook_ != nullptr) return webhook_;
  }
  SKIFF_ASSIGN_OR_RETURN(const object::Document definition, definition_->Read());
  const object::Value* conversion = definition.root().FindPath({"spec", "conversion"});
  if (conversion == nullptr) {
    return Fail(StatusReason::kInternalError, "the definition has no conversion");
  }
  auto read = std::make_shared<const ConversionWebhook>(ReadConversionWebhook(*conversion));
  const std::lock_guard lock(mutex_);
  webhook_ = std::move(read);
  return webhook_;
}

void WebhookConverter::Ask(Call call) {
  call.began = services_.clock.Monotonic();
  const Result<std::shared_ptr<const ConversionWebhook>> webhook = Webhook();
  if (!webhook) return End(call, std::unexpected(webhook.error()));
  std::vector<const object::Document*> sent;
  call.sent.reserve(call.objects.size());
  for (const Asked& each : call.objects) {
    Result<object::Document> object = Decode(each.object.view(), nullptr);
    if (!object) return End(call, std::unexpected(std::move(object.error())));
    call.sent.push_back(std::move(*object));
    sent.push_back(&call.sent.back());
  }
  call.uid = NewUuid(services_.random);
  Result<SharedBytes> review =
      WriteConversionReview(**webhook, call.uid, call.to->group_version->api_version, sent);
  if (!review) {
    return End(call, Fail(StatusReason::kUnknown, call.prefix + review.error().message()));
  }
  const std::shared_ptr<const WebhookTarget> target = (*webhook)->target;
  services_.caller.Post(
      target, nullptr, std::move(*review), limits::kConversionTimeout,
      [self = shared_from_this(), webhook = *webhook,
       call = std::make_shared<Call>(std::move(call))](Result<WebhookReply> reply) mutable {
        auto shared = std::make_shared<Result<WebhookReply>>(std::move(reply));
        const Post post = call->post;
        RunWhere(post,
                 [self = std::move(self), webhook = std::move(webhook), call = std::move(call),
                  shared] { self->AfterReply(*call, *webhook, *shared); });
      });
}

void WebhookConverter::AfterReply(const Call& call, const ConversionWebhook& webhook,
                                  const Result<WebhookReply>& reply) {
  ConversionEnd end = ConversionEnd::kCallFailed;
  Result<Objects> made = ReadReply(call, webhook, reply, end);
  services_.metrics.Note({.definition = definition_->name(),
                          .from = VersionIn(call.from),
                          .to = call.to->group_version->version},
                         end, services_.clock.Monotonic() - call.began);
  End(call, std::move(made));
}

Result<ObjectConverter::Objects> WebhookConverter::ReadReply(const Call& call,
                                                             const ConversionWebhook& webhook,
                                                             const Result<WebhookReply>& reply,
                                                             ConversionEnd& end) const {
  const auto fault = [&](std::string why) {
    return Fail(StatusReason::kUnknown, call.prefix + std::move(why));
  };
  if (!reply) return fault("failed: " + reply.error().message());
  std::vector<const object::Document*> sent;
  for (const object::Document& each : call.sent) sent.push_back(&each);
  const Result<std::vector<object::Document>> read = ReadConversionReview(
      webhook, call.uid, call.to->group_version->api_version, sent, *reply, end);
  if (!read) return fault(read.error().message());
  Objects out;
  out.reserve(read->size());
  for (size_t i = 0; i < read->size(); ++i) {
    Result<SharedBytes> object = Finish((*read)[i], *call.to);
    if (!object) {
      end = ConversionEnd::kInvalidObjects;
      return fault("returned invalid object at index " + std::to_string(i) + ": " +
                   object.error().message());
    }
    out.push_back(std::move(*object));
  }
  return out;
}

Result<SharedBytes> WebhookConverter::Finish(const object::Document& converted,
                                             const object::MessageDesc& to) const {
  SKIFF_ASSIGN_OR_RETURN(object::Document object,
                         Decode(object::EncodeJson(converted.root()), &to));
  SKIFF_RETURN_IF_ERROR(object::CoerceOpen(object, /*stored=*/false, nullptr));
  return SharedBytes(object::EncodeJson(object.root()) + "\n");
}

void WebhookConverter::End(const Call& call, Result<Objects> made) {
  std::vector<std::shared_ptr<Job>> finished;
  {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < call.objects.size(); ++i) {
      const Key& key = call.objects[i].key;
      if (made) services_.converted.Put(key, (*made)[i]);
      auto waiters = waiting_.extract(key);
      if (waiters.empty()) continue;
      for (const Waiter& waiter : waiters.mapped()) {
        if (made) {
          waiter.job->results[waiter.place] = (*made)[i];
        } else if (!waiter.job->failed) {
          waiter.job->failed = made.error();
        }
        if (--waiter.job->left == 0) finished.push_back(waiter.job);
      }
    }
  }
  for (const std::shared_ptr<Job>& job : finished) {
    RunWhere(job->post, [job] { job->Finish(); });
  }
}

}  // namespace skiff::apiserver
