// ServiceAccount: every pod runs as a service account of its namespace, and its containers find a
// token for the API, the cluster's certificate and their namespace in a volume.
//
// A pod without an account gets "default", and without secrets for pulling images those of the
// account. An account with the annotation kubernetes.io/enforce-mountable-secrets lets its pods use
// only the secrets that it lists. Mirror pods run before there is an API and have no account.
#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "apiserver/admission/lookups.h"
#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "apiserver/authz/pod_references.h"
#include "apiserver/validation/seen_names.h"
#include "base/strings.h"
#include "object/scalar/generate_name.h"
#include "views/core/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr std::string_view kDefaultAccount = "default";
constexpr std::string_view kEnforceAnnotation = "kubernetes.io/enforce-mountable-secrets";
constexpr std::string_view kVolumePrefix = "kube-api-access-";
constexpr std::string_view kMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
// Tokens are said to live an hour and a bit, which tells them from those that somebody asked for;
// clients that do not renew them get a warning first.
constexpr int64_t kTokenSeconds = 3607;
constexpr int32_t kVolumeMode = 0644;

bool IsTrue(std::string_view text) {
  constexpr std::string_view kTrue[] = {"1", "t", "T", "true", "TRUE", "True"};
  return std::ranges::find(kTrue, text) != std::end(kTrue);
}

// What pods need to know of their account.
struct Account {
  explicit Account(object::Document& document) {
    const core::ServiceAccount account(document);
    name = account.metadata().name();
    automount = account.automount_service_account_token();
    for (const core::LocalObjectReference each : account.image_pull_secrets()) {
      pull_secrets.emplace_back(each.name());
    }
    enforces_secrets = IsTrue(account.metadata().annotations().Get(kEnforceAnnotation));
    for (const core::ObjectReference each : account.secrets()) secrets.emplace(each.name());
  }
  bool Mounts(std::string_view secret) const { return secrets.contains(secret); }

  std::string name;
  std::optional<bool> automount;
  std::vector<std::string> pull_secrets;
  bool enforces_secrets = false;
  std::set<std::string, std::less<>> secrets;
};

// The secret that a container takes variables from though the account does not list it, as the
// refusal says it; empty when there is none.
template <typename AnyKindOfContainer>
std::string FindForeignSecret(const AnyKindOfContainer& container, std::string_view kind,
                              const Account& account) {
  const auto refusal = [&](const std::string& where, std::string_view secret) {
    return std::string(kind) + " " + std::string(container.name()) + " with " + where +
           " referencing secret.secretName=" + InQuotes(secret) +
           " is not allowed because service account " + account.name +
           " does not reference that secret";
  };
  for (const core::EnvVar variable : container.env()) {
    if (!variable.value_from().has_secret_key_ref()) continue;
    const std::string_view secret = variable.value_from().secret_key_ref().name();
    if (!account.Mounts(secret)) return refusal("envVar " + std::string(variable.name()), secret);
  }
  for (const core::EnvFromSource source : container.env_from()) {
    if (!source.has_secret_ref()) continue;
    const std::string_view secret = source.secret_ref().name();
    if (!account.Mounts(secret)) return refusal("envFrom", secret);
  }
  return {};
}

std::string FindForeignSecret(const core::PodSpec& spec, const Account& account) {
  for (const core::Volume volume : spec.volumes()) {
    if (!volume.has_secret() || account.Mounts(volume.secret().secret_name())) continue;
    return "volume with secret.secretName=" + InQuotes(volume.secret().secret_name()) +
           " is not allowed because service account " + account.name +
           " does not reference that secret";
  }
  for (const core::Container each : spec.init_containers()) {
    std::string wrong = FindForeignSecret(each, "init container", account);
    if (!wrong.empty()) return wrong;
  }
  for (const core::Container each : spec.containers()) {
    std::string wrong = FindForeignSecret(each, "container", account);
    if (!wrong.empty()) return wrong;
  }
  const SeenNames pull_secrets = SeenNames::Of(account.pull_secrets);
  size_t at = 0;
  for (const core::LocalObjectReference each : spec.image_pull_secrets()) {
    if (!pull_secrets.Has(each.name())) {
      return "imagePullSecrets[" + std::to_string(at) + "].name=" + InQuotes(each.name()) +
             " is not allowed because service account " + account.name +
             " does not reference that imagePullSecret";
    }
    ++at;
  }
  return {};
}

void AddTokenVolume(core::MutablePodSpec spec, std::string_view name) {
  auto volume = spec.add_volumes();
  volume.set_name(name);
  auto projected = volume.mutable_projected();
  auto token = projected.add_sources().mutable_service_account_token();
  token.set_expiration_seconds(kTokenSeconds);
  token.set_path("token");
  auto certificate = projected.add_sources().mutable_config_map();
  certificate.set_name("kube-root-ca.crt");
  auto item = certificate.add_items();
  item.set_key("ca.crt");
  item.set_path("ca.crt");
  auto file = projected.add_sources().mutable_downward_api().add_items();
  file.set_path("namespace");
  file.mutable_field_ref().set_api_version("v1");
  file.mutable_field_ref().set_field_path("metadata.namespace");
  projected.set_default_mode(kVolumeMode);
}

// A container that has something at the path already keeps it.
bool NeedsMount(const core::Container& container) {
  for (const core::VolumeMount mount : container.volume_mounts()) {
    if (mount.mount_path() == kMountPath) return false;
  }
  return true;
}

void AddMount(core::MutableContainer container, std::string_view volume) {
  auto mount = container.add_volume_mounts();
  mount.set_name(volume);
  mount.set_read_only(true);
  mount.set_mount_path(kMountPath);
}

void MountToken(object::Document& object, Random& random) {
  const core::PodSpec spec = core::Pod(object).spec();
  std::string name;
  for (const core::Volume volume : spec.volumes()) {
    if (name.empty() && volume.name().starts_with(kVolumePrefix)) name = volume.name();
  }
  const bool has_volume = !name.empty();
  if (!has_volume) name = object::GenerateName(kVolumePrefix, random);
  auto changed = core::MutablePod(object).mutable_spec();
  bool needed = false;
  const size_t init_containers = spec.init_containers().size();
  for (size_t i = 0; i < init_containers; ++i) {
    if (!NeedsMount(core::Pod(object).spec().init_containers()[i])) continue;
    AddMount(changed.mutable_init_containers(i), name);
    needed = true;
  }
  const size_t containers = core::Pod(object).spec().containers().size();
  for (size_t i = 0; i < containers; ++i) {
    if (!NeedsMount(core::Pod(object).spec().containers()[i])) continue;
    AddMount(changed.mutable_containers(i), name);
    needed = true;
  }
  if (needed && !has_volume) AddTokenVolume(changed, name);
}

class ServiceAccountPlugin final : public AdmissionPlugin {
 public:
  explicit ServiceAccountPlugin(ResourceStorage* accounts) : accounts_(accounts) {}

  Result<void> Mutate(AdmissionRequest& request) override {
    if (!CreatesPod(request)) return {};
    object::Document& object = *request.object;
    if (IsMirrorPod(core::Pod(object))) return CheckMirrorPod(request);
    if (core::Pod(object).spec().service_account_name().empty()) {
      // The second is the old name of the first, and every reader finds both.
      core::MutablePod(object).mutable_spec().set_service_account_name(kDefaultAccount);
      core::MutablePod(object).mutable_spec().set_service_account(kDefaultAccount);
    }
    SKIFF_ASSIGN_OR_RETURN(const std::shared_ptr<const Account> account, Find(request));
    const std::optional<bool> wanted = core::Pod(object).spec().automount_service_account_token();
    if (wanted.value_or(account->automount.value_or(true))) MountToken(object, request.random);
    if (core::Pod(object).spec().image_pull_secrets().empty()) {
      for (const std::string& secret : account->pull_secrets) {
        core::MutablePod(object).mutable_spec().add_image_pull_secrets().set_name(secret);
      }
    }
    return CheckSecrets(request, *account);
  }

  Result<void> Validate(AdmissionRequest& request) override {
    if (Updates(request) && request.subresource == "ephemeralcontainers" &&
        IsOf(request, "", "pods")) {
      return CheckEphemeralContainers(request);
    }
    if (!CreatesPod(request)) return {};
    if (IsMirrorPod(core::Pod(*request.object))) return CheckMirrorPod(request);
    SKIFF_ASSIGN_OR_RETURN(const std::shared_ptr<const Account> account, Find(request));
    return CheckSecrets(request, *account);
  }

 private:
  // The account of the pod.
  Result<std::shared_ptr<const Account>> Find(AdmissionRequest& request) {
    const core::Pod pod(*request.object);
    const std::string name(pod.spec().service_account_name());
    const std::string path = std::string(request.name_space) + "/" + name;
    if (name.empty()) {
      return Deny(request, "no service account specified for pod " +
                               std::string(request.name_space) + "/" +
                               std::string(pod.metadata().name()));
    }
    if (auto account = accounts_.Find(request.name_space, name)) return account;
    if (request.awaited != nullptr && accounts_.storage() != nullptr) {
      // A controller makes the default account of each new namespace.
      const int looks = name == kDefaultAccount ? limits::kDefaultServiceAccountRetries : 1;
      *request.awaited = {accounts_.storage(), std::string(request.name_space), name, looks};
    }
    return Deny(request, "error looking up service account " + path + ": serviceaccount " +
                             InQuotes(name) + " not found");
  }

  static Result<void> CheckSecrets(const AdmissionRequest& request, const Account& account) {
    if (!account.enforces_secrets) return {};
    const std::string wrong = FindForeignSecret(core::Pod(*request.object).spec(), account);
    if (!wrong.empty()) return Deny(request, wrong);
    return {};
  }

  static Result<void> CheckMirrorPod(const AdmissionRequest& request) {
    const core::PodSpec spec = core::Pod(*request.object).spec();
    if (!spec.service_account_name().empty()) {
      return Deny(request, "a mirror pod may not reference service accounts");
    }
    if (RefersToSecrets(spec)) return Deny(request, "a mirror pod may not reference secrets");
    for (const core::Volume volume : spec.volumes()) {
      for (const core::VolumeProjection source : volume.projected().sources()) {
        if (!source.has_service_account_token()) continue;
        return Deny(request, "a mirror pod may not use ServiceAccountToken volume projections");
      }
    }
    return {};
  }

  Result<void> CheckEphemeralContainers(AdmissionRequest& request) {
    SKIFF_ASSIGN_OR_RETURN(const std::shared_ptr<const Account> account, Find(request));
    if (!account->enforces_secrets) return {};
    for (const core::EphemeralContainer each :
         core::Pod(*request.object).spec().ephemeral_containers()) {
      const std::string wrong = FindForeignSecret(each, "ephemeral container", *account);
      if (!wrong.empty()) return Deny(request, wrong);
    }
    return {};
  }

  Remembered<Account> accounts_;
};

}  // namespace

MadePlugin MakeServiceAccount(const PluginContext& context, std::string_view) {
  return std::make_unique<ServiceAccountPlugin>(StorageOf(context, "", "serviceaccounts"));
}

}  // namespace skiff::apiserver
