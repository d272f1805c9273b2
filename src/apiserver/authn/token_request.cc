#include "apiserver/authn/token_request.h"

#include <algorithm>

#include "object/json/encode.h"
#include "serving/auth/jwt.h"
#include "views/authentication.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace authentication = views::authentication_k8s_io_v1;

constexpr std::string_view kGroup = "authentication.k8s.io";
constexpr int64_t kDefaultSeconds = 3600;
constexpr int64_t kMinSeconds = 600;
constexpr int64_t kMaxSeconds = int64_t{1} << 32;
constexpr int64_t kPodSeconds = 3607;
constexpr int64_t kExtendedSeconds = 365 * 24 * 3600;

std::string ShownText(std::string_view text) {
  return object::EncodeJson(object::Value::String(text));
}

std::vector<StatusCause> Validate(int64_t seconds) {
  std::vector<StatusCause> causes;
  const std::string shown = std::to_string(seconds);
  if (seconds < kMinSeconds) {
    causes.push_back(object::InvalidValue("spec.expirationSeconds", shown,
                                          "may not specify a duration less than 10 minutes"));
  }
  if (seconds > kMaxSeconds) {
    causes.push_back(object::InvalidValue("spec.expirationSeconds", shown,
                                          "may not specify a duration larger than 2^32 seconds"));
  }
  return causes;
}

// "/v1, Kind=Pod"
std::string DescribeKind(std::string_view api_version, std::string_view kind) {
  std::string out(api_version);
  if (out.find('/') == out.npos) out = "/" + out;
  return out + ", Kind=" + std::string(kind);
}

}  // namespace

struct TokenIssuer::Issuing {
  std::string name_space;
  std::string name;
  IssuedToken issued;
  Callback done;
  serving::ServiceAccountClaims claims = {};
  object::Timestamp now = {};

  authentication::TokenRequest request() const {
    return authentication::TokenRequest(issued.reply);
  }
  void Refuse(Status status) { done(std::unexpected(std::move(status))); }
  void RefuseAbout(std::string_view resource, std::string_view object, Status status) {
    status.SetSubject({std::string(object), {}, std::string(resource), {}});
    Refuse(std::move(status));
  }
};

TokenIssuer::TokenIssuer(TokenIssuerOptions options, serving::JwtKey key, BoundObjectLookup& lookup,
                         Clock& clock, Random& random)
    : options_(std::move(options)),
      key_(std::move(key)),
      lookup_(lookup),
      clock_(clock),
      random_(random) {}

Result<std::string> TokenIssuer::IssueLegacy(const serving::LegacyClaims& claims) const {
  return serving::SignJwt(key_, claims.ToJson());
}

bool TokenIssuer::IsForThisServer(const std::vector<std::string>& audiences) const {
  const auto& ours = options_.api_audiences;
  return std::all_of(audiences.begin(), audiences.end(), [&](const std::string& each) {
    return std::find(ours.begin(), ours.end(), each) != ours.end();
  });
}

void TokenIssuer::Issue(std::string name_space, std::string name, object::Document request,
                        Callback done) {
  auto issuing = std::make_shared<Issuing>(Issuing{
      std::move(name_space), std::move(name), IssuedToken{std::move(request)}, std::move(done)});
  const auto metadata = issuing->request().metadata();
  const auto refuse_field = [&](std::string field, std::string_view value,
                                std::string_view detail) {
    issuing->Refuse(
        object::InvalidObject(kGroup, "TokenRequest", issuing->name,
                              {object::InvalidValue(std::move(field), ShownText(value), detail)}));
  };
  if (!metadata.name().empty() && metadata.name() != issuing->name) {
    refuse_field("metadata.name", metadata.name(),
                 "must match the service account name if specified");
    return;
  }
  if (!metadata.namespace_().empty() && metadata.namespace_() != issuing->name_space) {
    refuse_field("metadata.namespace", metadata.namespace_(),
                 "must match the service account namespace if specified");
    return;
  }
  lookup_.Find(BoundKind::kServiceAccount, issuing->name_space, issuing->name,
               [this, issuing](Result<BoundObject> account) {
                 if (!account) {
                   issuing->RefuseAbout("serviceaccounts", issuing->name,
                                        std::move(account).error());
                   return;
                 }
                 issuing->claims.service_account = {issuing->name, account->uid};
                 Bind(issuing);
               });
}

void TokenIssuer::Bind(std::shared_ptr<Issuing> issuing) {
  const std::string& uid = issuing->claims.service_account.uid;
  const std::string asked_uid(issuing->request().metadata().uid());
  if (!asked_uid.empty() && asked_uid != uid) {
    issuing->Refuse(object::ConflictingObject(
        kGroup, "TokenRequest", issuing->name,
        "the UID in the token request (" + asked_uid +
            ") does not match the UID of the service account (" + uid + ")"));
    return;
  }
  const auto wall = clock_.Wall();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(wall);
  issuing->now = {seconds.count(), static_cast<uint32_t>((wall - seconds).count())};

  authentication::MutableTokenRequest reply(issuing->issued.reply);
  if (issuing->request().spec().audiences().empty()) {
    auto spec = reply.mutable_spec();
    for (const std::string& audience : options_.api_audiences) spec.add_audiences(audience);
  }
  if (!issuing->request().spec().expiration_seconds()) {
    reply.mutable_spec().set_expiration_seconds(kDefaultSeconds);
  }
  auto metadata = reply.mutable_metadata();
  metadata.set_name(issuing->name);
  metadata.set_namespace(issuing->name_space);
  metadata.set_uid(uid);
  metadata.set_creation_timestamp(issuing->now);
  reply.clear_status();

  auto causes = Validate(*issuing->request().spec().expiration_seconds());
  if (!causes.empty()) {
    issuing->Refuse(object::InvalidObject(kGroup, "TokenRequest", "", std::move(causes)));
    return;
  }
  if (!issuing->request().spec().has_bound_object_ref()) {
    Finish(*issuing);
    return;
  }
  const auto ref = issuing->request().spec().bound_object_ref();
  const bool is_core = ref.api_version().find('/') == std::string_view::npos;
  if (is_core && ref.kind() == "Pod") {
    BindTo(std::move(issuing), BoundKind::kPod);
  } else if (is_core && ref.kind() == "Secret") {
    BindTo(std::move(issuing), BoundKind::kSecret);
  } else if (is_core && ref.kind() == "Node") {
    BindTo(std::move(issuing), BoundKind::kNode);
  } else {
    issuing->Refuse(Status(
        StatusReason::kBadRequest,
        "cannot bind token to object of type " + DescribeKind(ref.api_version(), ref.kind())));
  }
}

void TokenIssuer::BindTo(std::shared_ptr<Issuing> issuing, BoundKind kind) {
  const std::string name(issuing->request().spec().bound_object_ref().name());
  lookup_.Find(
      kind, kind == BoundKind::kNode ? std::string() : issuing->name_space, name,
      [this, issuing, kind, name](Result<BoundObject> found) {
        if (!found) {
          issuing->RefuseAbout(BoundResource(kind), name, std::move(found).error());
          return;
        }
        if (kind == BoundKind::kPod && found->service_account != issuing->name) {
          issuing->Refuse(Status(StatusReason::kBadRequest,
                                 "cannot bind token for serviceaccount \"" + issuing->name +
                                     "\" to pod running with different serviceaccount name."));
          return;
        }
        const auto ref = issuing->request().spec().bound_object_ref();
        if (!ref.uid().empty() && ref.uid() != found->uid) {
          issuing->Refuse(object::ConflictingObject(
              "", ref.kind(), name,
              "the UID in the bound object reference (" + std::string(ref.uid()) +
                  ") does not match the UID in record. The object might have been "
                  "deleted and then recreated"));
          return;
        }
        serving::ServiceAccountClaims& claims = issuing->claims;
        auto& place = kind == BoundKind::kPod      ? claims.pod
                      : kind == BoundKind::kSecret ? claims.secret
                                                   : claims.node;
        place = serving::ClaimedObject{name, found->uid};
        if (kind == BoundKind::kPod && !found->node.empty()) {
          FindNode(issuing, found->node);
        } else {
          Finish(*issuing);
        }
      });
}

void TokenIssuer::FindNode(std::shared_ptr<Issuing> issuing, std::string node) {
  lookup_.Find(BoundKind::kNode, "", node, [this, issuing, node](Result<BoundObject> found) {
    // A node that is gone is still worth its name.
    if (!found && found.error().reason() != StatusReason::kNotFound) {
      issuing->Refuse({Status(StatusReason::kInternalError,
                              "Internal error occurred: " + found.error().message())});
      return;
    }
    issuing->claims.node = serving::ClaimedObject{node, found ? found->uid : std::string()};
    Finish(*issuing);
  });
}

void TokenIssuer::Finish(Issuing& issuing) {
  authentication::MutableTokenRequest reply(issuing.issued.reply);
  int64_t seconds = *issuing.request().spec().expiration_seconds();
  const int64_t max = options_.max_expiration_seconds;
  if (max > 0 && seconds > max) {
    issuing.issued.warnings.push_back("requested expiration of " + std::to_string(seconds) +
                                      " seconds shortened to " + std::to_string(max) + " seconds");
    seconds = max;
    reply.mutable_spec().set_expiration_seconds(seconds);
  }
  serving::ServiceAccountClaims& claims = issuing.claims;
  for (const std::string_view audience : issuing.request().spec().audiences()) {
    claims.audiences.emplace_back(audience);
  }
  const int64_t now = issuing.now.seconds;
  claims.issuer = options_.issuer;
  claims.subject = serving::ServiceAccountUserName(issuing.name_space, issuing.name);
  claims.name_space = issuing.name_space;
  claims.id = NewUuid(random_);
  claims.issued = claims.not_before = now;
  claims.expires = now + seconds;
  if (options_.extend_expiration && claims.pod && seconds == kPodSeconds &&
      IsForThisServer(claims.audiences)) {
    claims.warn_after = now + seconds;
    claims.expires = now + kExtendedSeconds;
  }
  auto token = serving::SignJwt(key_, claims.ToJson());
  if (!token) {
    issuing.Refuse(
        {Status(StatusReason::kInternalError,
                "Internal error occurred: failed to generate token: " + token.error().message())});
    return;
  }
  auto status = reply.mutable_status();
  status.set_token(*token);
  status.set_expiration_timestamp({now + seconds, 0});
  issuing.issued.audit_annotations.push_back(
      {"authentication.kubernetes.io/issued-credential-id", "JTI=" + claims.id});
  issuing.done(std::move(issuing.issued));
}

}  // namespace skiff::apiserver
