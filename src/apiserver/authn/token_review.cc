#include "apiserver/authn/token_review.h"

#include <memory>

#include "base/limits.h"
#include "serving/auth/request_authenticator.h"
#include "views/authentication.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace authentication = views::authentication_k8s_io_v1;

constexpr char kInvalidToken[] = "invalid bearer token";

struct Review {
  object::Document document;
  std::string token = {};
  std::vector<std::string> audiences = {};
  std::move_only_function<void(Result<object::Document>)> done;
};

void WriteUser(const serving::UserInfo& user, authentication::MutableUserInfo out) {
  out.set_username(user.name);
  out.set_uid(user.uid);
  for (const std::string& group : user.groups) out.add_groups(group);
  for (const auto& [key, values] : user.extra) {
    for (const std::string& value : values) out.add_extra(key, value);
  }
}

void Answer(Review& review, serving::Authentication found) {
  auto status = authentication::MutableTokenReview(review.document).mutable_status();
  if (found.ok()) {
    serving::AddAuthenticatedGroup(found.user);
    status.set_authenticated(true);
    WriteUser(found.user, status.mutable_user());
    for (const std::string& audience : found.audiences) status.add_audiences(audience);
  } else {
    // The server's own token, which it uses to call itself, is what a token is compared with first.
    std::vector<std::string> errors{kInvalidToken};
    if (!found.error.empty()) errors.push_back(std::move(found.error));
    status.set_error(serving::JoinErrors(errors));
  }
  review.done(std::move(review.document));
}

}  // namespace

void ReviewToken(object::Document document, serving::TokenAuthenticator& tokens,
                 const std::vector<std::string>& api_audiences,
                 std::move_only_function<void(Result<object::Document>)> done) {
  auto review =
      std::make_shared<Review>(Review{.document = std::move(document), .done = std::move(done)});
  const authentication::TokenReview view(review->document);
  review->token = view.spec().token();
  if (review->token.empty()) {
    review->done(std::unexpected(
        Status(StatusReason::kBadRequest, "token is required for TokenReview in authentication")));
    return;
  }
  for (const std::string_view audience : view.spec().audiences()) {
    review->audiences.emplace_back(audience);
  }
  if (review->audiences.empty()) review->audiences = api_audiences;
  authentication::MutableTokenReview(review->document).clear_status();
  if (review->token.size() > limits::kMaxTokenBytes) {
    Answer(*review, {});
    return;
  }
  const serving::WantedAudiences wanted = review->audiences.empty() ? nullptr : &review->audiences;
  tokens.AuthenticateToken(review->token, wanted, [review](serving::Authentication found) {
    Answer(*review, std::move(found));
  });
}

object::Document ReviewSelf(const serving::UserInfo& user, Clock& clock) {
  object::Document document = authentication::SelfSubjectReview::New();
  authentication::MutableSelfSubjectReview review(document);
  const auto now = std::chrono::floor<std::chrono::seconds>(clock.Wall());
  review.mutable_metadata().set_creation_timestamp({now.count(), 0});
  WriteUser(user, review.mutable_status().mutable_user_info());
  return document;
}

}  // namespace skiff::apiserver
