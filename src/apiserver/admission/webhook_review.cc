#include "apiserver/admission/webhook_review.h"

#include <utility>

#include "apiserver/admission/request.h"
#include "base/webhook_limits.h"
#include "apiserver/webhook/webhook_status.h"
#include "base/buffer.h"
#include "base/foreign_status.h"
#include "base/strings.h"
#include "object/json/decode.h"
#include "object/json/encode.h"
#include "object/json/text.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kReview = "AdmissionReview";

std::string_view VersionName(ReviewVersion version) {
  return version == ReviewVersion::kV1 ? "v1" : "v1beta1";
}
std::string ApiVersionOf(ReviewVersion version) {
  return "admission.k8s.io/" + std::string(VersionName(version));
}

// Members of an object, one after another.
class Writer {
 public:
  explicit Writer(ByteBuffer& out) : out_(out) { out_.Append("{"); }
  void End() { out_.Append("}"); }

  ByteBuffer& Name(std::string_view name) {
    if (!std::exchange(first_, false)) out_.Append(",");
    object::AppendJsonString(out_, name);
    out_.Append(":");
    return out_;
  }
  void Text(std::string_view name, std::string_view text) {
    object::AppendJsonString(Name(name), text);
  }
  void TextUnlessEmpty(std::string_view name, std::string_view text) {
    if (!text.empty()) Text(name, text);
  }
  template <typename List>
  void Texts(std::string_view name, const List& texts) {
    Name(name).Append("[");
    bool first = true;
    for (const auto& text : texts) {
      if (!std::exchange(first, false)) out_.Append(",");
      object::AppendJsonString(out_, text);
    }
    out_.Append("]");
  }

 private:
  ByteBuffer& out_;
  bool first_ = true;
};

void WriteKind(Writer& to, std::string_view name, const object::MessageDesc& kind) {
  Writer out(to.Name(name));
  out.Text("group", kind.group_version->group);
  out.Text("version", kind.group_version->version);
  out.Text("kind", kind.name);
  out.End();
}

void WriteResource(Writer& to, std::string_view name, const object::ResourceDesc& resource) {
  Writer out(to.Name(name));
  out.Text("group", resource.version->desc->group);
  out.Text("version", resource.version->desc->version);
  out.Text("resource", resource.name);
  out.End();
}

void WriteUser(Writer& to, const serving::UserInfo& user) {
  Writer out(to.Name("userInfo"));
  out.TextUnlessEmpty("username", user.name);
  out.TextUnlessEmpty("uid", user.uid);
  if (!user.groups.empty()) out.Texts("groups", user.groups);
  if (!user.extra.empty()) {
    Writer extra(out.Name("extra"));
    for (const auto& [key, values] : user.extra) extra.Texts(key, values);
    extra.End();
  }
  out.End();
}

// What the options of a connect lack that no request for them has said.
void WriteObject(Writer& to, std::string_view name, const object::Document* object) {
  ByteBuffer& out = to.Name(name);
  if (object == nullptr) return out.Append("null");
  if (!object->kind().empty()) return object::EncodeJson(object->root(), out);
  object::Document whole = object->Copy();
  const object::MessageDesc& type = *object->type();
  whole.root().Set(whole.arena(), "kind", object::Value::String(type.name));
  whole.root().Set(whole.arena(), "apiVersion",
                   object::Value::String(type.group_version->api_version));
  object::EncodeJson(whole.root(), out);
}

void WriteDeleteOptions(Writer& out, const DeleteOptions& options) {
  if (options.grace_period_seconds) {
    object::AppendJsonInt(out.Name("gracePeriodSeconds"), *options.grace_period_seconds);
  }
  if (!options.uid.empty() || !options.resource_version.empty()) {
    Writer preconditions(out.Name("preconditions"));
    preconditions.TextUnlessEmpty("uid", options.uid);
    preconditions.TextUnlessEmpty("resourceVersion", options.resource_version);
    preconditions.End();
  }
  if (options.orphan_dependents) {
    out.Name("orphanDependents").Append(*options.orphan_dependents ? "true" : "false");
  }
  out.TextUnlessEmpty("propagationPolicy", options.propagation);
}

// With which options the operation was asked for; of a patch, what they are for what comes of it.
void WriteOptions(Writer& to, const AdmissionRequest& request) {
  if (request.operation == AdmissionOperation::kConnect) return to.Name("options").Append("null");
  Writer out(to.Name("options"));
  const serving::QueryParameters* query =
      request.origin != nullptr ? &request.origin->query : nullptr;
  switch (request.operation) {
    case AdmissionOperation::kCreate:
      out.Text("kind", "CreateOptions");
      break;
    case AdmissionOperation::kUpdate:
      out.Text("kind", "UpdateOptions");
      break;
    default:
      out.Text("kind", "DeleteOptions");
      break;
  }
  out.Text("apiVersion", "meta.k8s.io/v1");
  if (request.operation == AdmissionOperation::kDelete) {
    if (request.delete_options != nullptr) WriteDeleteOptions(out, *request.delete_options);
  } else if (query != nullptr) {
    out.TextUnlessEmpty("fieldManager", query->Get("fieldManager"));
    out.TextUnlessEmpty("fieldValidation", query->Get("fieldValidation"));
  }
  if (request.dry_run) out.Texts("dryRun", std::initializer_list<std::string_view>{"All"});
  out.End();
}

std::unexpected<Status> Fault(std::string why) {
  return Fail(StatusReason::kServiceUnavailable, std::move(why));
}
std::unexpected<Status> NoReview(const std::string& why) {
  return Fault("failed to call webhook: " + why);
}
std::unexpected<Status> InvalidReview(const std::string& why) {
  return Fault("received invalid webhook response: " + why);
}

// The review in a body, typed; of the version that was sent, and nothing else.
Result<object::Document> DecodeReview(ReviewVersion version, const WebhookReply& reply) {
  if (reply.body.empty()) {
    return NoReview("0-length response with status code: " + std::to_string(reply.code) +
                    " and content type: " + reply.content_type);
  }
  const Result<object::TypeMeta> meta = object::PeekTypeMeta(reply.body);
  if (!meta) {
    return NoReview("couldn't get version/kind; json parse error: " + meta.error().message());
  }
  const auto lacks = [&](std::string_view member) {
    return NoReview("Object '" + std::string(member) + "' is missing in '" +
                    reply.body.substr(0, limits::kMaxRepeatedReplyBytes) + "'");
  };
  if (meta->kind.empty()) return lacks("Kind");
  if (meta->api_version.empty()) return lacks("apiVersion");
  if (const auto status = StatusOfJson(reply.body); status) return NoReview(status->message());
  const std::string wanted = ApiVersionOf(version);
  if (meta->kind != kReview || meta->api_version != wanted) {
    const ReviewVersion other =
        version == ReviewVersion::kV1 ? ReviewVersion::kV1beta1 : ReviewVersion::kV1;
    if (meta->kind == kReview && meta->api_version == ApiVersionOf(other)) {
      return NoReview("converting (" + std::string(VersionName(other)) + ".AdmissionReview) to (" +
                      std::string(VersionName(version)) + ".AdmissionReview): unknown conversion");
    }
    return NoReview("no kind " + Quoted(meta->kind) + " is registered for version " +
                    Quoted(meta->api_version));
  }
  object::DecodeOptions options;
  options.max_bytes = limits::kMaxWebhookReplyBytes;
  Result<object::Document> review =
      object::DecodeJson(reply.body, object::FindMessage(wanted, kReview), options);
  if (!review) return NoReview(review.error().ToString());
  return std::move(*review);
}

std::string_view TextIn(const object::Value& response, std::string_view name) {
  const object::Value* found = response.Find(name);
  return found != nullptr && (found->is_string() || found->tag() == object::Tag::kBytes)
             ? found->AsText()
             : std::string_view();
}

// Of a v1 review; before it was one, nobody looked.
std::optional<std::string> FaultOfPatch(bool mutates, std::string_view patch,
                                        const object::Value* type) {
  const bool has_patch = !patch.empty();
  const bool has_type = type != nullptr && !type->is_null();
  if (!mutates) {
    if (has_patch) return "validating webhook may not return response.patch";
    if (has_type) return "validating webhook may not return response.patchType";
    return std::nullopt;
  }
  if (has_patch && !has_type) {
    return "webhook returned response.patch but not response.patchType";
  }
  if (!has_patch && has_type) {
    return "webhook returned response.patchType but not response.patch";
  }
  if (has_type && type->AsText().empty()) {
    return "webhook returned invalid response.patchType of \"\"";
  }
  return std::nullopt;
}

void TakeNotes(const object::Value& response, ReviewAnswer& out) {
  const object::Value* notes = response.Find("auditAnnotations");
  if (notes != nullptr && notes->is_map()) {
    for (const object::MapEntry& entry : notes->entries()) {
      out.audit_annotations.emplace(entry.key, entry.value.AsText());
    }
  }
  const object::Value* warnings = response.Find("warnings");
  if (warnings != nullptr && warnings->is_list()) {
    for (const object::Value& each : warnings->items()) out.warnings.emplace_back(each.AsText());
  }
}

}  // namespace

SharedBytes WriteReview(ReviewVersion version, std::string_view uid,
                        const AdmissionRequest& request, const ReviewedObjects& objects) {
  ByteBuffer buffer;
  Writer review(buffer);
  review.Text("kind", kReview);
  review.Text("apiVersion", ApiVersionOf(version));
  Writer out(review.Name("request"));
  out.Text("uid", uid);
  WriteKind(out, "kind", *objects.as.kind);
  WriteResource(out, "resource", *objects.as.resource);
  out.TextUnlessEmpty("subResource", request.subresource);
  WriteKind(out, "requestKind", *objects.asked.kind);
  WriteResource(out, "requestResource", *objects.asked.resource);
  out.TextUnlessEmpty("requestSubResource", request.subresource);
  out.TextUnlessEmpty("name", NameOf(request));
  out.TextUnlessEmpty("namespace", request.name_space);
  out.Text("operation", OperationName(request.operation));
  WriteUser(out, request.user);
  WriteObject(out, "object", objects.object);
  WriteObject(out, "oldObject", objects.old);
  out.Name("dryRun").Append(request.dry_run ? "true" : "false");
  WriteOptions(out, request);
  out.End();
  review.End();
  return SharedBytes(buffer.view());
}

Result<ReviewAnswer> ReadReview(ReviewVersion version, std::string_view uid, bool mutates,
                                const WebhookReply& reply) {
  ReviewAnswer out;
  SKIFF_ASSIGN_OR_RETURN(out.document, DecodeReview(version, reply));
  const object::Value* response = out.document.root().Find("response");
  if (response == nullptr || response->is_null()) {
    return InvalidReview("webhook response was absent");
  }
  const std::string_view patch = TextIn(*response, "patch");
  const object::Value* type = response->Find("patchType");
  if (version == ReviewVersion::kV1) {
    if (TextIn(*response, "uid") != uid) {
      return InvalidReview("expected response.uid=" + Quoted(uid) + ", got " +
                           Quoted(TextIn(*response, "uid")));
    }
    if (const auto fault = FaultOfPatch(mutates, patch, type); fault) return InvalidReview(*fault);
    if (!patch.empty() && type->AsText() != "JSONPatch") {
      return Fault("unsupported patch type " + Quoted(type->AsText()));
    }
  }
  if (mutates) out.patch = patch;
  const object::Value* allowed = response->Find("allowed");
  out.allowed = allowed != nullptr && allowed->AsBool();
  out.status = response->Find("status");
  if (out.status != nullptr && out.status->is_null()) out.status = nullptr;
  TakeNotes(*response, out);
  return out;
}

Status RefusalOf(std::string_view webhook, const object::Value* status) {
  const std::string denied = "admission webhook " + Quoted(webhook) + " denied the request";
  Status out = status != nullptr ? StatusOfValue(*status) : Status(StatusReason::kUnknown, "");
  const std::string reason(status != nullptr ? TextIn(*status, "reason") : "");
  // A refusal with a code of success is still one.
  constexpr int kBadRequestCode = 400;
  SetForeign(out, std::max(status != nullptr ? ShownCode(out) : 0, kBadRequestCode), reason);
  if (!out.message().empty()) {
    out.SetMessage(denied + ": " + out.message());
  } else if (!reason.empty()) {
    out.SetMessage(denied + ": " + reason);
  } else {
    out.SetMessage(denied + " without explanation");
  }
  return out;
}

}  // namespace skiff::apiserver
