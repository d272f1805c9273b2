#include "cli/controller_manager/controller_manager_config.h"

#include "cli/common/flag_values.h"
#include "serving/request/json_writer.h"

namespace skiff::cli {
namespace {

// Aliases are for command lines.
std::string CanonicalName(std::string_view given) {
  const bool off = given.starts_with('-');
  const std::string_view name = off ? given.substr(1) : given;
  for (const controllers::ControllerSpec& spec : controllers::AllControllers()) {
    if (!spec.alias.empty() && spec.alias == name) {
      return (off ? "-" : "") + std::string(spec.name);
    }
  }
  return std::string(given);
}

void WriteGeneric(const ControllerManagerCommandLine& line, serving::JsonWriter& json) {
  json.OpenObject("Generic");
  json.Key("Port");
  json.Int(line.secure_port);
  json.String("Address", line.bind_address.ToString());
  json.OpenObject("ClientConnection");
  json.String("kubeconfig", line.kubeconfig);
  json.String("acceptContentTypes", "");
  json.String("contentType", line.kube_api_content_type);
  json.Key("qps");
  json.Raw(flag_values::Show(line.kube_api_qps));
  json.Key("burst");
  json.Int(line.kube_api_burst);
  json.CloseObject();
  json.String("ControllerStartInterval", flag_values::Show(line.manager.start_interval));
  json.OpenObject("LeaderElection");
  json.Key("leaderElect");
  json.Bool(line.leader_elect);
  json.String("leaseDuration", flag_values::Show(line.lease_duration));
  json.String("renewDeadline", flag_values::Show(line.renew_deadline));
  json.String("retryPeriod", flag_values::Show(line.retry_period));
  json.String("resourceLock", "leases");
  json.String("resourceName", line.lease.name);
  json.String("resourceNamespace", line.lease.name_space);
  json.CloseObject();
  json.OpenArray("Controllers");
  for (const std::string& name : line.manager.controllers) json.String(CanonicalName(name));
  json.CloseArray();
  json.OpenObject("Debugging");
  json.Key("enableProfiling");
  json.Bool(line.profiling);
  json.CloseObject();
  json.CloseObject();
}

void WriteLoops(const ControllerManagerCommandLine& line, serving::JsonWriter& json) {
  const controllers::ControllerOptions& loops = line.manager.loops;
  const auto number = [&json](std::string_view section, std::string_view key, int64_t value) {
    json.OpenObject(section);
    json.Key(key);
    json.Int(value);
    json.CloseObject();
  };
  json.OpenObject("GarbageCollectorController");
  json.Key("EnableGarbageCollector");
  json.Bool(loops.enable_garbage_collector);
  json.Key("ConcurrentGCSyncs");
  json.Int(loops.concurrent_gc_syncs);
  json.CloseObject();
  json.OpenObject("LegacySATokenCleaner");
  json.String("CleanUpPeriod", flag_values::Show(loops.legacy_token_clean_up_period));
  json.CloseObject();
  json.OpenObject("NamespaceController");
  json.String("NamespaceSyncPeriod", flag_values::Show(loops.namespace_sync_period));
  json.Key("ConcurrentNamespaceSyncs");
  json.Int(loops.concurrent_namespace_syncs);
  json.CloseObject();
  number("PodGCController", "TerminatedPodGCThreshold", loops.terminated_pod_gc_threshold);
  json.OpenObject("ResourceQuotaController");
  json.String("ResourceQuotaSyncPeriod", flag_values::Show(loops.resource_quota_sync_period));
  json.Key("ConcurrentResourceQuotaSyncs");
  json.Int(loops.concurrent_resource_quota_syncs);
  json.CloseObject();
  json.OpenObject("SAController");
  json.String("ServiceAccountKeyFile", line.service_account_key_file);
  json.Key("ConcurrentSATokenSyncs");
  json.Int(loops.concurrent_service_account_token_syncs);
  json.String("RootCAFile", line.root_ca_file);
  json.CloseObject();
  number("TTLAfterFinishedController", "ConcurrentTTLSyncs",
         loops.concurrent_ttl_after_finished_syncs);
}

}  // namespace

std::string ConfigJson(const ControllerManagerCommandLine& line) {
  ByteBuffer out;
  serving::JsonWriter json(out);
  json.OpenObject();
  json.OpenObject("kubecontrollermanager.config.k8s.io");
  json.String("kind", "KubeControllerManagerConfiguration");
  json.String("apiVersion", "kubecontrollermanager.config.k8s.io/v1alpha1");
  WriteGeneric(line, json);
  json.OpenObject("KubeCloudShared");
  json.Key("UseServiceAccountCredentials");
  json.Bool(line.use_service_account_credentials);
  json.CloseObject();
  WriteLoops(line, json);
  json.CloseObject();
  json.CloseObject();
  return out.ToString();
}

}  // namespace skiff::cli
