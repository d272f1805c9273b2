#include "apiserver/authz/authorizers.h"

#include <algorithm>

#include "serving/auth/request_authenticator.h"

namespace skiff::apiserver {

using AnswerCallback = std::move_only_function<void(serving::AuthorizationResult)>;

void AlwaysAllow::Authorize(const serving::AccessAttributes&, AnswerCallback done) {
  done({.decision = serving::Decision::kAllow, .reason = {}, .evaluation_error = {}});
}

UserRules AlwaysAllow::RulesFor(const serving::UserInfo&, std::string_view) {
  return {.rules = {{.verbs = {"*"}, .api_groups = {"*"}, .resources = {"*"}},
                    {.verbs = {"*"}, .non_resource_urls = {"*"}}}};
}

void AlwaysDeny::Authorize(const serving::AccessAttributes&, AnswerCallback done) {
  done({.decision = serving::Decision::kNoOpinion,
        .reason = "Everything is forbidden.",
        .evaluation_error = {}});
}

UserRules AlwaysDeny::RulesFor(const serving::UserInfo&, std::string_view) { return {}; }

void PrivilegedGroups::Authorize(const serving::AccessAttributes& attributes, AnswerCallback done) {
  const bool member = attributes.user != nullptr &&
                      std::any_of(groups_.begin(), groups_.end(), [&](const std::string& group) {
                        return attributes.user->IsIn(group);
                      });
  done({.decision = member ? serving::Decision::kAllow : serving::Decision::kNoOpinion,
        .reason = {},
        .evaluation_error = {}});
}

struct UnionAuthorizer::Attempt {
  serving::AccessAttributes attributes;
  AnswerCallback done;
  size_t next = 0;
  std::vector<std::string> reasons = {};
  std::vector<std::string> errors = {};
};

void UnionAuthorizer::Authorize(const serving::AccessAttributes& attributes, AnswerCallback done) {
  TryNext(std::make_shared<Attempt>(Attempt{attributes, std::move(done)}));
}

void UnionAuthorizer::TryNext(std::shared_ptr<Attempt> attempt) {
  if (attempt->next == members_.size()) {
    serving::AuthorizationResult answer;
    for (const std::string& reason : attempt->reasons) {
      if (!answer.reason.empty()) answer.reason += '\n';
      answer.reason += reason;
    }
    answer.evaluation_error = serving::JoinErrors(attempt->errors);
    attempt->done(std::move(answer));
    return;
  }
  Authorizer& member = *members_[attempt->next++];
  member.Authorize(attempt->attributes, [this, attempt](serving::AuthorizationResult answer) {
    if (answer.decision != serving::Decision::kNoOpinion) {
      attempt->done(std::move(answer));
      return;
    }
    if (!answer.reason.empty()) attempt->reasons.push_back(std::move(answer.reason));
    if (!answer.evaluation_error.empty()) {
      attempt->errors.push_back(std::move(answer.evaluation_error));
    }
    TryNext(attempt);
  });
}

UserRules UnionRuleResolver::RulesFor(const serving::UserInfo& user, std::string_view name_space) {
  UserRules all;
  std::vector<std::string> errors;
  for (RuleResolver* member : members_) {
    UserRules some = member->RulesFor(user, name_space);
    all.incomplete |= some.incomplete;
    if (!some.error.empty()) errors.push_back(std::move(some.error));
    std::move(some.rules.begin(), some.rules.end(), std::back_inserter(all.rules));
  }
  all.error = serving::JoinErrors(errors);
  return all;
}

}  // namespace skiff::apiserver
