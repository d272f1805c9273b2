#include "client/https/discoverer.h"

#include <utility>

#include "client/https/api_request.h"

namespace skiff::client {
namespace {

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

bool IsAggregated(const ApiResponse& answer) {
  return answer.content_type.find("as=APIGroupDiscoveryList") != std::string::npos;
}

}  // namespace

void Discoverer::AnswerLater(Done done, Result<ServedApi> answer) {
  channel_.executor().Post(
      [done = std::move(done), answer = std::move(answer)]() mutable { done(std::move(answer)); });
}

void Discoverer::Get(Done done) {
  if (channel_.closed())
    return AnswerLater(std::move(done),
                       Fail(StatusReason::kServiceUnavailable, "the client was closed"));
  const Duration now = channel_.executor().clock().Monotonic();
  if (served_at_ && now - *served_at_ < kept_) return AnswerLater(std::move(done), served_);
  if (waiting_.size() >= limits::kMaxThrottledCalls)
    return AnswerLater(std::move(done), Fail(StatusReason::kTooManyRequests,
                                             "too many calls wait for what the server serves"));
  waiting_.push_back(std::move(done));
  if (waiting_.size() > 1) return;
  outcome_ = {};
  open_parts_ = roots_.size();
  for (Root& root : roots_)
    Ask(root.path, std::string(kAggregated), root.etag,
        [this, &root](Result<ApiResponse> answer) { OnRoot(root, std::move(answer)); });
}

void Discoverer::Ask(std::string path, std::string accept, std::string etag,
                     ApiChannel::Done done) {
  net::ClientRequest request;
  request.path = std::move(path);
  request.headers.Add("accept", std::move(accept));
  if (!etag.empty()) request.headers.Add("if-none-match", std::move(etag));
  channel_.Send(std::move(request), true,
                [self = self_, done = std::move(done)](Result<ApiResponse> answer) mutable {
                  if (*self != nullptr) done(std::move(answer));
                });
}

Result<void> Discoverer::ReadRoot(Root& root, const ApiResponse& answer) {
  if (answer.code == 304) return {};
  root.etag.clear();
  root.versions.clear();
  // A server without that part of the API.
  if (answer.code == 404) return {};
  if (answer.code != 200) return std::unexpected(DecodeStatus(answer));
  SKIFF_ASSIGN_OR_RETURN(root.versions, IsAggregated(answer) ? ReadAggregatedDiscovery(answer.body)
                                                             : ReadVersions(answer.body));
  if (IsAggregated(answer)) {
    root.etag = answer.etag;
  } else {
    AskVersions(root);
  }
  return {};
}

void Discoverer::OnRoot(Root& root, Result<ApiResponse> answer) {
  Result<void> read = answer ? ReadRoot(root, *answer) : std::unexpected(std::move(answer).error());
  if (!read) {
    root.etag.clear();
    outcome_ = std::move(read);
  }
  EndPart();
}

void Discoverer::AskVersions(Root& root) {
  open_parts_ += root.versions.size();
  for (DiscoveredVersion& version : root.versions) {
    const std::string group = version.group.empty() ? "" : "/" + version.group;
    Ask(root.path + group + "/" + version.version, std::string(kJsonMedia), {},
        [this, &version](Result<ApiResponse> answer) { OnVersion(version, std::move(answer)); });
  }
}

void Discoverer::OnVersion(DiscoveredVersion& version, Result<ApiResponse> answer) {
  version.available = false;
  if (answer && answer->code == 200) {
    if (auto resources = ReadResources(answer->body, version)) {
      version.resources = *std::move(resources);
      version.available = true;
    }
  }
  EndPart();
}

void Discoverer::EndPart() {
  if (--open_parts_ != 0) return;
  Result<ServedApi> answer = ServedApi();
  if (outcome_) {
    std::vector<DiscoveredVersion> all = roots_[0].versions;
    all.insert(all.end(), roots_[1].versions.begin(), roots_[1].versions.end());
    served_ = ChoosePreferred(all);
    served_at_ = channel_.executor().clock().Monotonic();
    answer = served_;
  } else {
    answer = std::unexpected(outcome_.error());
  }
  for (Done& done : std::exchange(waiting_, {})) done(answer);
}

}  // namespace skiff::client
