#include "controllers/csr_cleaner.h"

#include <memory>
#include <string_view>

#include "controllers/objects.h"
#include "controllers/queue_controller.h"
#include "pki/certificate.h"
#include "views/certificates.k8s.io/v1.h"

namespace skiff::controllers {
namespace {

namespace certificates = views::certificates_k8s_io_v1;

constexpr Duration kPeriod = std::chrono::hours(1);
constexpr Duration kDecidedFor = std::chrono::hours(1);
constexpr Duration kUndecidedFor = std::chrono::hours(24);
constexpr int64_t kPageSize = 500;

class CsrCleaner final : public PeriodicController {
 public:
  explicit CsrCleaner(ControllerContext context)
      : PeriodicController(std::move(context), "csr_cleaner", kPeriod),
        requests_(client::BuiltIn("certificates.k8s.io", "v1", "certificatesigningrequests")) {}

 private:
  // Requests are looked at so seldom that they are listed each time rather than watched.
  Task<void> Round() override {
    client::ClientCall call;
    call.verb = client::ClientVerb::kList;
    call.resource = &requests_;
    call.limit = kPageSize;
    do {
      const Result<client::ClientReply> page = co_await context_.client.List(call);
      if (!page) {
        context_.log.Error("Unable to list CSRs", {{"err", page.error().ToString()}});
        co_return;
      }
      for (const client::ObjectPtr& request : page->items) co_await DeleteIfDone(request);
      call.continue_token = page->continue_token;
    } while (!call.continue_token.empty());
  }

  Task<void> DeleteIfDone(client::ObjectPtr request) {
    const std::string_view why = WhyDelete(*request);
    if (why.empty()) co_return;
    const client::ObjectName name = client::NameOf(*request);
    context_.log.Info("Cleaning CSR", {{"csr", name.name}, {"reason", std::string(why)}});
    client::DeleteChoice how;
    how.uid = client::UidOf(*request);
    const Result<void> deleted = co_await context_.client.Delete(requests_, name, std::move(how));
    if (!deleted && !FailedWith(deleted, StatusReason::kNotFound)) {
      context_.log.Error("Error while attempting to clean CSR",
                         {{"csr", name.name}, {"err", deleted.error().ToString()}});
    }
  }

  // Empty: it stays.
  std::string_view WhyDelete(const object::Document& document) const {
    const certificates::CertificateSigningRequest request(document);
    const auto conditions = request.status().conditions();
    const bool issued = !request.status().certificate().empty();
    if (conditions.empty()) {
      const bool old = IsOlder(request.metadata().creation_timestamp(), kUndecidedFor);
      return old ? "nobody has decided on it for a day" : "";
    }
    for (const auto condition : conditions) {
      const object::Timestamp since = condition.last_update_time();
      if (condition.type() == "Denied" && IsOlder(since, kDecidedFor)) return "denied an hour ago";
      if (condition.type() == "Failed" && IsOlder(since, kDecidedFor)) return "failed an hour ago";
      if (condition.type() != "Approved") continue;
      if (issued && IsOlder(since, kDecidedFor)) return "approved and issued an hour ago";
      if (issued && HasExpired(request.status().certificate())) return "its certificate expired";
      if (!issued && IsOlder(since, kUndecidedFor)) return "approved a day ago but never issued";
    }
    return "";
  }

  bool IsOlder(object::Timestamp since, Duration age) const {
    return !object::IsZero(since) && -TimeUntil(since, WallTime(context_.clock)) > age;
  }

  bool HasExpired(std::string_view pem) const {
    const Result<pki::Certificate> certificate = pki::Certificate::FromPem(pem);
    return certificate && context_.clock.Wall() > certificate->NotAfter();
  }

  const client::ApiResource& requests_;
};

}  // namespace

std::unique_ptr<Controller> MakeCsrCleanerController(ControllerContext context) {
  return std::make_unique<CsrCleaner>(std::move(context));
}

}  // namespace skiff::controllers
