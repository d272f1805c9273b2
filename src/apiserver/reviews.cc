#include "apiserver/reviews.h"

#include <utility>

#include "apiserver/authn/token_review.h"
#include "apiserver/authz/access_review.h"
#include "apiserver/rest/admit.h"
#include "apiserver/rest/field_tracking.h"
#include "apiserver/rest/input.h"
#include "base/any_thread_callback.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

// The kind that the endpoint's body has.
ExpectedKind KindOf(const Endpoint& endpoint) {
  if (endpoint.subresource == nullptr) {
    return {endpoint.resource->kind, endpoint.resource->version->desc->api_version,
            endpoint.resource->kind_name};
  }
  const object::MessageDesc* kind = endpoint.subresource->kind;
  return {kind, kind->group_version->api_version, kind->name};
}

// The body of the request. Whoever would not take the answer is told before it is made.
Result<object::Document> ReadQuestion(serving::ApiRequest& request, const Endpoint& endpoint) {
  SKIFF_RETURN_IF_ERROR(serving::NegotiateOutput(request, serving::ResponseKind::kReply));
  SKIFF_ASSIGN_OR_RETURN(object::Document body,
                         ReadBody(request, KindOf(endpoint), endpoint.context->defaults));
  TrackWrite(request, endpoint, object::Document::OfType(KindOf(endpoint).type), body);
  return body;
}

// Reads the question and passes it on; `ask` answers through the callback. What is wrong with the
// question is told before those who may still refuse it are asked.
template <typename Ask>
Task<Result<object::Document>> AnswerReview(serving::ApiRequest& request, const Endpoint& endpoint,
                                            Ask ask) {
  SKIFF_CO_ASSIGN_OR_RETURN(object::Document body, ReadQuestion(request, endpoint));
  SKIFF_CO_RETURN_IF_ERROR(co_await MutateCreationOf(body, request, endpoint));
  object::Document asked = body.Copy();
  FromAnyThread<Result<object::Document>> answered(
      [&](std::move_only_function<void(Result<object::Document>)> done) {
        ask(std::move(body), request, std::move(done));
      });
  SKIFF_CO_ASSIGN_OR_RETURN(object::Document answer, co_await answered);
  SKIFF_CO_RETURN_IF_ERROR(co_await ValidateCreationOf(asked, request, endpoint));
  co_return answer;
}

template <typename Ask>
Task<void> RunReview(std::shared_ptr<serving::ApiRequest> request, const Endpoint& endpoint,
                     Ask ask) {
  const Result<object::Document> answer =
      co_await AnswerReview(*request, endpoint, std::move(ask));
  if (!answer) co_return serving::RespondError(*request, answer.error());
  serving::RespondObject(*request, 201, answer->root());
}

template <typename Ask>
void Review(serving::ApiRequestPtr request, const Endpoint& endpoint, Ask ask) {
  Detach(RunReview(std::shared_ptr<serving::ApiRequest>(std::move(request)), endpoint,
                   std::move(ask)));
}

void AddAccessReviews(Router& router, Security& security) {
  constexpr std::string_view kGroup = "authorization.k8s.io";
  router.SetVirtual(kGroup, "subjectaccessreviews",
                    [&](serving::ApiRequestPtr request, const Endpoint& endpoint) {
                      Review(std::move(request), endpoint,
                             [&](object::Document body, serving::ApiRequest&, ReviewCallback done) {
                               ReviewAccess(std::move(body), security.authorizer(),
                                            std::move(done));
                             });
                    });
  router.SetVirtual(
      kGroup, "localsubjectaccessreviews",
      [&](serving::ApiRequestPtr request, const Endpoint& endpoint) {
        Review(std::move(request), endpoint,
               [&](object::Document body, serving::ApiRequest& asked, ReviewCallback done) {
                 ReviewLocalAccess(std::move(body), asked.info.name_space, security.authorizer(),
                                   std::move(done));
               });
      });
  router.SetVirtual(
      kGroup, "selfsubjectaccessreviews",
      [&](serving::ApiRequestPtr request, const Endpoint& endpoint) {
        Review(std::move(request), endpoint,
               [&](object::Document body, serving::ApiRequest& asked, ReviewCallback done) {
                 ReviewOwnAccess(std::move(body), asked.user, security.authorizer(),
                                 std::move(done));
               });
      });
  router.SetVirtual(
      kGroup, "selfsubjectrulesreviews",
      [&](serving::ApiRequestPtr request, const Endpoint& endpoint) {
        Review(std::move(request), endpoint,
               [&](object::Document body, serving::ApiRequest& asked, ReviewCallback done) {
                 done(ReviewOwnRules(body, asked.user, security.chain->rules()));
               });
      });
}

void AddTokenReviews(Router& router, Security& security, Clock& clock) {
  constexpr std::string_view kGroup = "authentication.k8s.io";
  router.SetVirtual(kGroup, "selfsubjectreviews",
                    [&clock](serving::ApiRequestPtr request, const Endpoint& endpoint) {
                      Review(std::move(request), endpoint,
                             [&](object::Document, serving::ApiRequest& asked, auto done) {
                               done(ReviewSelf(asked.user, clock));
                             });
                    });
  if (security.tokens != nullptr) {
    router.SetVirtual(kGroup, "tokenreviews",
                      [&](serving::ApiRequestPtr request, const Endpoint& endpoint) {
                        Review(std::move(request), endpoint,
                               [&](object::Document body, serving::ApiRequest&, auto done) {
                                 ReviewToken(std::move(body), *security.tokens,
                                             security.api_audiences, std::move(done));
                               });
                      });
  }
}

Task<void> IssueToken(std::shared_ptr<serving::ApiRequest> shared, const Endpoint& endpoint,
                      TokenIssuer& issuer) {
  Result<object::Document> body = ReadQuestion(*shared, endpoint);
  if (!body) co_return serving::RespondError(*shared, body.error());
  // It is never stored; plugins have nothing to write with it.
  store::Transaction nothing;
  const Result<void> admitted =
      co_await AdmitCreationOf(*body, *shared, endpoint, /*dry_run=*/false, nothing);
  if (!admitted) co_return serving::RespondError(*shared, admitted.error());
  issuer.Issue(shared->info.name_space, shared->info.name, std::move(*body),
               [shared](Result<IssuedToken> issued) {
                 if (!issued) return serving::RespondError(*shared, issued.error());
                 for (std::string& warning : issued->warnings) {
                   shared->warnings.push_back(std::move(warning));
                 }
                 serving::RespondObject(*shared, 201, issued->reply.root());
               });
}

}  // namespace

void AddReviews(Router& router, Security& security, Clock& clock) {
  AddAccessReviews(router, security);
  AddTokenReviews(router, security, clock);
  if (security.issuer == nullptr) return;
  router.SetVirtual("", "serviceaccounts/token",
                    [&](serving::ApiRequestPtr request, const Endpoint& endpoint) {
                      Detach(IssueToken(std::shared_ptr<serving::ApiRequest>(std::move(request)),
                                        endpoint, *security.issuer));
                    });
}

}  // namespace skiff::apiserver
