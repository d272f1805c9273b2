#include "client/https/service_accounts.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "object/json/decode.h"

namespace skiff::client {
namespace {

constexpr int kRenewAtPercent = 80;

const ApiResource& ServiceAccounts() { return BuiltIn("", "v1", "serviceaccounts"); }

ObjectPtr MakeTokenRequest() {
  const std::string json = R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1",)"
                           R"("spec":{"expirationSeconds":)" +
                           std::to_string(limits::kRequestedTokenLife.count()) + "}}";
  auto made =
      object::DecodeJson(json, object::FindKind("authentication.k8s.io/v1", "TokenRequest"));
  return std::make_shared<const object::Document>(std::move(*made));
}

}  // namespace

ServiceAccountToken::ServiceAccountToken(ClientTransport& root, ObjectName account)
    : root_(root), account_(std::move(account)) {}

void ServiceAccountToken::Get(Done done) {
  const Duration now = root_.executor().clock().Monotonic();
  const bool serves = !token_.empty() && now < expires_at_;
  if (serves) done(token_);
  if (serves && now < renew_at_) return;
  if (!serves) {
    if (waiting_.size() >= limits::kMaxThrottledCalls)
      return done(Fail(StatusReason::kTooManyRequests, "too many calls wait for a token"));
    waiting_.push_back(std::move(done));
  }
  if (std::exchange(asking_, true)) return;
  tries_ = 0;
  Ask();
}

std::string ServiceAccountToken::Advice() const {
  return "a new token of the service account " + account_.name_space + "/" + account_.name +
         " is refused too: the API server may not believe the key or the issuer of its own tokens";
}

bool ServiceAccountToken::Refuse(const std::string& token) {
  if (token == token_) token_.clear();
  return true;
}

void ServiceAccountToken::Ask() {
  ClientCall call;
  call.verb = ClientVerb::kCreate;
  call.resource = &ServiceAccounts();
  call.target = account_;
  call.subresource = "token";
  call.body = MakeTokenRequest();
  root_.Send(std::move(call), [weak = weak_from_this()](Result<ClientReply> answer) {
    if (const auto self = weak.lock()) self->OnAnswer(std::move(answer));
  });
}

void ServiceAccountToken::OnAnswer(Result<ClientReply> answer) {
  if (!answer) {
    if (answer.error().reason() == StatusReason::kNotFound) return CreateAccount();
    return Retry(std::move(answer).error());
  }
  const object::Value* token = nullptr;
  const object::Value* expires = nullptr;
  if (answer->object != nullptr) {
    token = answer->object->root().FindPath({"status", "token"});
    expires = answer->object->root().FindPath({"status", "expirationTimestamp"});
  }
  const bool is_whole = token != nullptr && token->is_string() && !token->AsText().empty() &&
                        expires != nullptr && expires->tag() == object::Tag::kTime;
  if (!is_whole)
    return Retry(Status(StatusReason::kInternalError, "the answer has no token in it"));
  Clock& clock = root_.executor().clock();
  // Clocks that differ must not make a token look expired from the start.
  const Duration life = std::max<Duration>(
      std::chrono::seconds(expires->AsTime().seconds) - clock.Wall(), limits::kShortestTokenLife);
  token_ = token->AsText();
  renew_at_ = clock.Monotonic() + life / 100 * kRenewAtPercent;
  expires_at_ = clock.Monotonic() + life;
  End(token_);
}

void ServiceAccountToken::CreateAccount() {
  auto object =
      ParseObject(ServiceAccounts(), R"({"metadata":{"name":")" + account_.name +
                                         R"(","namespace":")" + account_.name_space + R"("}})");
  if (!object) return End(std::unexpected(std::move(object).error()));
  ClientCall call;
  call.verb = ClientVerb::kCreate;
  call.resource = &ServiceAccounts();
  call.target.name_space = account_.name_space;
  call.body = *std::move(object);
  root_.Send(std::move(call), [weak = weak_from_this()](Result<ClientReply> answer) {
    const auto self = weak.lock();
    if (self == nullptr) return;
    if (!answer && answer.error().reason() != StatusReason::kAlreadyExists)
      return self->Retry(std::move(answer).error());
    // A server that still does not know of it is one that has not heard of it yet.
    if (++self->tries_ < limits::kTokenTries) return self->Ask();
    self->Retry(Status(StatusReason::kNotFound, "it was created, but is not found"));
  });
}

void ServiceAccountToken::Retry(Status why) {
  if (++tries_ >= limits::kTokenTries) {
    why.SetMessage("no token for the service account " + account_.name_space + "/" + account_.name +
                   ": " + why.message());
    return End(std::unexpected(std::move(why)));
  }
  const Duration pause = limits::kTokenRetryFirst * (1 << (tries_ - 1));
  root_.executor().After(pause, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->Ask();
  });
}

void ServiceAccountToken::End(Result<std::string> token) {
  asking_ = false;
  for (Done& done : std::exchange(waiting_, {})) done(token);
}

Result<std::unique_ptr<NamedTransports>> NamedTransports::OpenServiceAccounts(
    const HttpsEnvironment& environment, const RestConfig& config, ClientTransport& root,
    Rates rates, std::string name_space) {
  const std::string agent_prefix = "/system:serviceaccount:" + name_space + ":";
  std::unique_ptr<NamedTransports> made(
      new NamedTransports(environment, config.Anonymous(), std::move(rates), agent_prefix,
                          [&root, name_space = std::move(name_space)](std::string_view name) {
                            return std::make_shared<ServiceAccountToken>(
                                root, ObjectName{name_space, std::string(name)});
                          }));
  SKIFF_RETURN_IF_ERROR(made->Connect());
  return made;
}

Result<std::unique_ptr<NamedTransports>> NamedTransports::OpenSameIdentity(
    const HttpsEnvironment& environment, const RestConfig& config, Rates rates) {
  const auto tokens = std::make_shared<ConfiguredToken>(config, environment.executor.clock(),
                                                        environment.check_interval);
  std::unique_ptr<NamedTransports> made(new NamedTransports(
      environment, config, std::move(rates), "/", [tokens](std::string_view) { return tokens; }));
  SKIFF_RETURN_IF_ERROR(made->Connect());
  return made;
}

Result<void> NamedTransports::Connect() {
  SKIFF_ASSIGN_OR_RETURN(
      connections_, HttpsConnections::Open(
                        environment_.loop, config_,
                        {.check_interval = environment_.check_interval, .log = environment_.log}));
  return {};
}

ClientTransport& NamedTransports::Of(std::string_view name) {
  const auto found = transports_.find(name);
  if (found != transports_.end()) return *found->second;
  RestConfig config = config_;
  config.user_agent += agent_prefix_ + std::string(name);
  if (const auto rate = rates_.find(name); rate != rates_.end()) {
    config.qps *= rate->second.qps_factor;
    config.burst = static_cast<int>(config.burst * rate->second.burst_factor);
  }
  auto made = std::make_unique<HttpsTransport>(environment_, config, connections_, tokens_(name));
  return *transports_.emplace(std::string(name), std::move(made)).first->second;
}

void NamedTransports::Close() {
  for (const auto& [name, transport] : transports_) transport->Close();
}

}  // namespace skiff::client
