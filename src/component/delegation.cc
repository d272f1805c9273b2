#include "component/delegation.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "views/authentication.k8s.io/v1.h"
#include "views/authorization.k8s.io/v1.h"

namespace skiff::component {
namespace {

namespace authentication = views::authentication_k8s_io_v1;
namespace authorization = views::authorization_k8s_io_v1;

// The name that reviews go by; none is stored.
constexpr char kFieldManager[] = "delegation";

const client::ApiResource& TokenReviews() {
  return client::BuiltIn("authentication.k8s.io", "v1", "tokenreviews");
}
const client::ApiResource& AccessReviews() {
  return client::BuiltIn("authorization.k8s.io", "v1", "subjectaccessreviews");
}

Task<Result<client::ObjectPtr>> Review(client::Client client, const client::ApiResource* resource,
                                       client::ObjectPtr review) {
  co_return co_await client.Create(*resource, std::move(review));
}

serving::Authentication ReadTokenReview(const Result<client::ObjectPtr>& answer) {
  if (!answer) return serving::Authentication::Refused(answer.error().message());
  const auto review = object::ViewAs<authentication::TokenReview>(**answer);
  if (!review)
    return serving::Authentication::Refused("the server did not answer with a TokenReview");
  const authentication::TokenReviewStatus status = review->status();
  if (!status.authenticated()) {
    return status.error().empty() ? serving::Authentication{}
                                  : serving::Authentication::Refused(std::string(status.error()));
  }
  serving::UserInfo user;
  user.name = status.user().username();
  user.uid = status.user().uid();
  for (const std::string_view group : status.user().groups()) user.groups.emplace_back(group);
  for (const auto& [key, values] : status.user().extra()) {
    std::vector<std::string> texts;
    for (const std::string_view value : values) texts.emplace_back(value);
    user.extra.emplace_back(std::string(key), std::move(texts));
  }
  return serving::Authentication::Of(std::move(user));
}

client::ObjectPtr MakeAccessReview(const serving::AccessAttributes& attributes) {
  auto object = std::make_shared<object::Document>(authorization::SubjectAccessReview::New());
  authorization::MutableSubjectAccessReview review(*object);
  auto spec = review.mutable_spec();
  spec.set_user(attributes.user->name);
  spec.set_uid(attributes.user->uid);
  for (const std::string& group : attributes.user->groups) spec.add_groups(group);
  for (const auto& [key, values] : attributes.user->extra) {
    for (const std::string& value : values) spec.add_extra(key, value);
  }
  if (!attributes.is_resource) {
    auto wanted = spec.mutable_non_resource_attributes();
    wanted.set_path(attributes.path);
    wanted.set_verb(attributes.verb);
    return object;
  }
  auto wanted = spec.mutable_resource_attributes();
  wanted.set_namespace(attributes.name_space);
  wanted.set_verb(attributes.verb);
  wanted.set_group(attributes.group);
  wanted.set_version(attributes.version);
  wanted.set_resource(attributes.resource);
  wanted.set_subresource(attributes.subresource);
  wanted.set_name(attributes.name);
  return object;
}

serving::AuthorizationResult ReadAccessReview(const Result<client::ObjectPtr>& answer) {
  if (!answer) {
    return {.decision = serving::Decision::kNoOpinion,
            .reason = {},
            .evaluation_error = answer.error().message()};
  }
  const auto review = object::ViewAs<authorization::SubjectAccessReview>(**answer);
  if (!review)
    return {.decision = serving::Decision::kNoOpinion, .reason = {}, .evaluation_error = {}};
  const authorization::SubjectAccessReviewStatus status = review->status();
  const serving::Decision decision = status.allowed()  ? serving::Decision::kAllow
                                     : status.denied() ? serving::Decision::kDeny
                                                       : serving::Decision::kNoOpinion;
  return {.decision = decision, .reason = std::string(status.reason()), .evaluation_error = {}};
}

// Everything that the answer depends on, each part with its length, so that no two are alike.
std::string KeyOf(const serving::AccessAttributes& attributes) {
  std::string key;
  const auto add = [&key](std::string_view part) {
    key.append(std::to_string(part.size())).append(":").append(part);
  };
  const serving::UserInfo& user = *attributes.user;
  add(user.name);
  add(user.uid);
  for (const std::string& group : user.groups) add(group);
  for (const auto& [name, values] : user.extra) {
    add("=" + name);
    for (const std::string& value : values) add(value);
  }
  key += attributes.is_resource ? " r " : " p ";
  for (const std::string_view part :
       {attributes.verb, attributes.group, attributes.version, attributes.resource,
        attributes.subresource, attributes.name_space, attributes.name, attributes.path}) {
    add(part);
  }
  return key;
}

}  // namespace

void DelegatedTokens::AuthenticateToken(std::string_view token, serving::WantedAudiences audiences,
                                        serving::AuthenticationCallback done) {
  auto object = std::make_shared<object::Document>(authentication::TokenReview::New());
  authentication::MutableTokenReview review(*object);
  review.mutable_spec().set_token(token);
  if (audiences != nullptr) {
    for (const std::string& audience : *audiences) review.mutable_spec().add_audiences(audience);
  }
  transport_.executor().Post([client = client::Client(transport_, kFieldManager),
                              object = client::ObjectPtr(std::move(object)),
                              done = std::move(done)]() mutable {
    Detach<Result<client::ObjectPtr>>(
        Review(client, &TokenReviews(), std::move(object)),
        [done = std::move(done)](Result<client::ObjectPtr> answer) mutable {
          done(ReadTokenReview(answer));
        });
  });
}

DelegatedAuthorizer::DelegatedAuthorizer(DelegationOptions options,
                                         client::ClientTransport* transport, Clock& clock)
    : options_(std::move(options)),
      transport_(transport),
      clock_(clock),
      memory_(new Memory{.mutex = {},
                         .answers = client::LruMap<Remembered>(limits::kMaxCachedReviews)}) {}

bool DelegatedAuthorizer::IsForAll(const serving::AccessAttributes& attributes) const {
  if (attributes.user->IsIn(serving::kMastersGroup)) return true;
  if (attributes.is_resource) return false;
  return std::ranges::any_of(options_.always_allow_paths, [&](std::string_view path) {
    if (!path.ends_with('*')) return path == attributes.path;
    path.remove_suffix(1);
    return attributes.path.starts_with(path);
  });
}

void DelegatedAuthorizer::Authorize(
    const serving::AccessAttributes& attributes,
    std::move_only_function<void(serving::AuthorizationResult)> done) {
  if (IsForAll(attributes)) {
    return done({.decision = serving::Decision::kAllow, .reason = {}, .evaluation_error = {}});
  }
  if (transport_ == nullptr) return done({});
  std::string key = KeyOf(attributes);
  {
    std::unique_lock lock(memory_->mutex);
    const Remembered* const known = memory_->answers.Find(key);
    if (known != nullptr && clock_.Monotonic() < known->until) {
      serving::AuthorizationResult answer = known->answer;
      lock.unlock();
      return done(std::move(answer));
    }
  }
  auto keep = [memory = memory_, &clock = clock_, allowed = options_.allowed_ttl,
               denied = options_.denied_ttl, key = std::move(key),
               done = std::move(done)](Result<client::ObjectPtr> reviewed) mutable {
    serving::AuthorizationResult answer = ReadAccessReview(reviewed);
    if (reviewed) {
      const Duration ttl = answer.decision == serving::Decision::kAllow ? allowed : denied;
      const std::lock_guard lock(memory->mutex);
      memory->answers[key] = {.answer = answer, .until = clock.Monotonic() + ttl};
    }
    done(std::move(answer));
  };
  transport_->executor().Post([client = client::Client(*transport_, kFieldManager),
                               object = MakeAccessReview(attributes),
                               keep = std::move(keep)]() mutable {
    Detach<Result<client::ObjectPtr>>(Review(client, &AccessReviews(), std::move(object)),
                                      std::move(keep));
  });
}

}  // namespace skiff::component
