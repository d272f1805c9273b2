#include "cli/etcd/etcd_flags.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "base/limits.h"
#include "base/strings.h"
#include "cli/common/input.h"
#include "cli/etcd/etcd_other_flags.h"
#include "object/json/decode.h"
#include "object/scalar/duration.h"
#include "object/yaml/to_json.h"

namespace skiff::cli {
namespace {

constexpr std::string_view kNoMeaning =
    "taken for the sake of etcd's command lines; without effect";

// The last three are what etcd calls errors after which it ends.
const std::array kLogLevels = {
    FlagChoice<std::string>{"debug", "debug"},  FlagChoice<std::string>{"info", "info"},
    FlagChoice<std::string>{"warn", "warn"},    FlagChoice<std::string>{"error", "error"},
    FlagChoice<std::string>{"dpanic", "error"}, FlagChoice<std::string>{"panic", "error"},
    FlagChoice<std::string>{"fatal", "error"}};

FlagValue Ignored(bool is_switch) {
  FlagValue value;
  value.is_switch = is_switch;
  value.set = [](std::string_view) -> Result<void> { return {}; };
  return value;
}

FlagValue Refused(std::string_view name, bool is_switch, std::string* refused) {
  FlagValue value;
  value.is_switch = is_switch;
  value.set = [name, refused](std::string_view text) -> Result<void> {
    if (!text.empty() && text != "false") *refused = name;
    return {};
  };
  return value;
}

void DeclareServing(FlagSet& flags, EtcdFlags& v) {
  flags.Add({.name = "name",
             .placeholder = "NAME",
             .help = "what this member is called",
             .value = Text(&v.name)});
  flags.Add({.name = "data-dir",
             .placeholder = "DIRECTORY",
             .help = "where the data is kept; NAME.etcd by default",
             .completes = Completes::kDirectories,
             .value = Text(&v.data_dir)});
  flags.Add({.name = "listen-client-urls",
             .placeholder = "URLS",
             .help = "where clients are served: http, https, unix or unixs, with commas between",
             .value = Text(&v.listen_client_urls)});
  flags.Add({.name = "advertise-client-urls",
             .placeholder = "URLS",
             .help = "the URLs that clients are told; by default those that it listens on",
             .value = Text(&v.advertise_client_urls)});
  flags.Add({.name = "listen-metrics-urls",
             .placeholder = "URLS",
             .help = "where /metrics, /health, /livez and /readyz are served besides",
             .value = Text(&v.listen_metrics_urls)});
  flags.Add({.name = "initial-advertise-peer-urls",
             .placeholder = "URLS",
             .help = "the URLs of this member that lists of members show",
             .value = Text(&v.initial_advertise_peer_urls)});
  flags.Add({.name = "initial-cluster",
             .placeholder = "NAME=URL",
             .help = "may name this member, and no other",
             .value = Text(&v.initial_cluster)});
  flags.Add({.name = "cert-file",
             .placeholder = "FILE",
             .help = "the certificate for https",
             .completes = Completes::kFiles,
             .value = Text(&v.cert_file)});
  flags.Add({.name = "key-file",
             .placeholder = "FILE",
             .help = "its key",
             .completes = Completes::kFiles,
             .value = Text(&v.key_file)});
  flags.Add({.name = "trusted-ca-file",
             .placeholder = "FILE",
             .help = "the CA of clients; with it only they are served, as with --client-cert-auth",
             .completes = Completes::kFiles,
             .value = Text(&v.trusted_ca_file)});
  flags.Add({.name = "client-cert-auth",
             .help = "serve only clients with a certificate of the CA",
             .value = Switch(&v.client_cert_auth)});
  flags.Add({.name = "cipher-suites",
             .placeholder = "NAMES",
             .help = "of TLS 1.2, in Go's names",
             .value = Text(&v.cipher_suites)});
  flags.Add({.name = "tls-min-version",
             .placeholder = "VERSION",
             .help = "TLS1.2 or TLS1.3",
             .value = Text(&v.tls_min_version)});
}

void DeclareStorage(FlagSet& flags, EtcdFlags& v) {
  flags.Add({.name = "auto-compaction-mode",
             .placeholder = "MODE",
             .help = "periodic, by time, or revision, by count",
             .value = OneOf(&v.auto_compaction_mode,
                            std::array{FlagChoice<std::string>{"periodic", "periodic"},
                                       FlagChoice<std::string>{"revision", "revision"}})});
  flags.Add({.name = "auto-compaction-retention",
             .placeholder = "LENGTH",
             .help = "old states that are kept: hours, a duration (10m) or a number of revisions; "
                     "0 keeps all",
             .value = Text(&v.auto_compaction_retention)});
  flags.Add({.name = "quota-backend-bytes",
             .placeholder = "BYTES",
             .help = "when the data has this size, only deletions are taken; 0 is 2 GiB, and a "
                     "negative number no quota",
             .value = WholeNumber(&v.quota_backend_bytes, INT64_MIN)});
  flags.Add({.name = "max-txn-ops",
             .placeholder = "COUNT",
             .help = "operations of a transaction",
             .value = WholeNumber(&v.max_txn_ops, 1)});
  flags.Add({.name = "max-request-bytes",
             .placeholder = "BYTES",
             .help = "the largest request",
             .value = WholeNumber(&v.max_request_bytes, 1)});
  flags.Add({.name = "max-concurrent-streams",
             .placeholder = "COUNT",
             .help = "requests and watches of a connection at a time",
             .value = WholeNumber(&v.max_concurrent_streams, 1)});
  for (const char* name :
       {"watch-progress-notify-interval", "experimental-watch-progress-notify-interval"}) {
    flags.Add({.name = name,
               .placeholder = "DURATION",
               .help = "how often watches that are quiet and asked for it hear of progress",
               .value = Text(&v.progress_interval)});
  }
  flags.Add({.name = "unsafe-no-fsync",
             .help = "do not wait for the disk: a power cut may take what was acknowledged",
             .value = Switch(&v.unsafe_no_fsync)});
}

void DeclareOther(FlagSet& flags, EtcdFlags& v) {
  for (const bool is_switch : {false, true}) {
    const std::string placeholder = is_switch ? "" : "VALUE";
    for (const std::string_view name : is_switch ? IgnoredEtcdSwitches() : IgnoredEtcdFlags()) {
      flags.Add({.name = std::string(name),
                 .placeholder = placeholder,
                 .help = std::string(kNoMeaning),
                 .value = Ignored(is_switch),
                 .section = "Flags of etcd without effect"});
    }
    for (const std::string_view name : is_switch ? RefusedEtcdSwitches() : RefusedEtcdFlags()) {
      flags.Add({.name = std::string(name),
                 .placeholder = placeholder,
                 .help = "not supported",
                 .value = Refused(name, is_switch, &v.refused),
                 .hidden = true});
    }
  }
}

void DeclareRest(FlagSet& flags, EtcdFlags& v) {
  flags.Add({.name = "enable-grpc-gateway",
             .help = "serve the API in JSON as well, under /v3/",
             .value = Switch(&v.enable_grpc_gateway)});
  flags.Add({.name = "log-level",
             .placeholder = "LEVEL",
             .help = "the least that is told: debug, info, warn or error",
             .value = OneOf(&v.log_level, kLogLevels)});
  flags.Add({.name = "log-outputs",
             .placeholder = "WHERE",
             .help = "stderr, stdout or files, with commas between",
             .value = Text(&v.log_outputs)});
  flags.Add({.name = "config-file",
             .placeholder = "FILE",
             .help = "values of all flags, in YAML; other flags are then not looked at",
             .completes = Completes::kFiles,
             .value = Text(&v.config_file)});
  flags.Add({.name = "version", .help = "print the version and exit", .value = Switch(&v.version)});
  DeclareOther(flags, v);
}

std::string EnvironmentName(std::string_view flag) {
  std::string out = "ETCD_";
  for (const char c : flag) {
    out += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return out;
}

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = TrimSpace(text.substr(0, comma));
    if (!word.empty()) out.emplace_back(word);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return out;
}

struct ListenUrl {
  bool tls = false;
  std::string address;
};

Result<ListenUrl> ParseListenUrl(std::string_view url) {
  const size_t colon = url.find("://");
  const std::string_view scheme = url.substr(0, std::min(colon, url.size()));
  ListenUrl out;
  out.tls = scheme == "https" || scheme == "unixs";
  if (colon == std::string_view::npos || (!out.tls && scheme != "http" && scheme != "unix")) {
    return BadRequest("a URL begins with http://, https://, unix:// or unixs://, and " +
                      Quoted(url) + " does not");
  }
  std::string_view rest = url.substr(colon + 3);
  if (scheme.starts_with("unix")) {
    out.address = "unix:" + std::string(rest);
    return out;
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const size_t port = rest.rfind(':');
  if (port == std::string_view::npos || port + 1 == rest.size())
    return BadRequest("the URL " + Quoted(url) + " has no port");
  const std::string_view host = rest.substr(0, port);
  out.address =
      std::string(host == "localhost" ? "127.0.0.1" : host) + std::string(rest.substr(port));
  return out;
}

// A number alone stands for hours.
Result<Duration> ParseRetention(const std::string& text) {
  int64_t hours = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hours);
  if (error == std::errc() && end == text.data() + text.size())
    return Duration(std::chrono::hours(hours));
  const Result<int64_t> nanos = object::ParseDuration(text);
  if (!nanos || *nanos < 0)
    return BadRequest("--auto-compaction-retention: " + Quoted(text) + " is not a length of time");
  return Duration(*nanos);
}

Result<void> AddCompaction(const EtcdFlags& values, store::EtcdServerOptions& out) {
  if (values.auto_compaction_mode == "periodic") {
    SKIFF_ASSIGN_OR_RETURN(out.compaction_retention,
                           ParseRetention(values.auto_compaction_retention));
    return {};
  }
  FlagValue number = WholeNumber(&out.compaction_revisions, 0);
  if (Result<void> set = number.set(values.auto_compaction_retention); !set)
    return BadRequest("--auto-compaction-retention: " + set.error().message());
  return {};
}

Result<void> AddTls(const EtcdFlags& values, store::EtcdServerOptions& out) {
  if (out.tls_addresses.empty() && out.tls_metrics_addresses.empty()) return {};
  if (values.cert_file.empty() || values.key_file.empty())
    return BadRequest("https needs --cert-file and --key-file");
  net::TlsOptions tls;
  tls.certificate = {values.cert_file, values.key_file, {}};
  if (!values.trusted_ca_file.empty()) tls.client_ca_files = {values.trusted_ca_file};
  tls.require_client_certificate = values.client_cert_auth || !values.trusted_ca_file.empty();
  if (tls.require_client_certificate && tls.client_ca_files.empty())
    return BadRequest("--client-cert-auth needs --trusted-ca-file");
  tls.cipher_suites = Split(values.cipher_suites);
  if (values.tls_min_version == "TLS1.3") tls.min_version = "VersionTLS13";
  out.tls = std::move(tls);
  return {};
}

// As a flag would have it.
std::string TextOfValue(const object::Value& value) {
  if (value.is_string()) return std::string(value.AsText());
  if (value.tag() == object::Tag::kBool) return value.AsBool() ? "true" : "false";
  if (value.tag() == object::Tag::kInt) return std::to_string(value.AsInt());
  std::string out;
  if (!value.is_list()) return out;
  for (const object::Value& item : value.items()) {
    if (!out.empty()) out += ',';
    out += TextOfValue(item);
  }
  return out;
}

// What etcd's files have and its command line has not is ignored, as is whatever it does not know.
Result<void> SetFromFile(FlagSet& flags, std::string_view name, const object::Value& value) {
  std::string text = TextOfValue(value);
  if (text.empty()) return {};
  if (name == "allowed-cn" || name == "allowed-hostname") name = "client-cert-allowed-hostname";
  const auto flag = std::ranges::find(flags.flags(), name, &Flag::name);
  if (flag == flags.flags().end()) return {};
  // Lengths of time are written as etcd's program keeps them, in nanoseconds.
  if (name.ends_with("-notify-interval") && value.tag() == object::Tag::kInt) text += "ns";
  if (Result<void> set = flag->value.set(text); !set)
    return BadRequest(std::string(name) + ": " + set.error().message());
  return {};
}

}  // namespace

void DeclareEtcdFlags(FlagSet& flags, EtcdFlags& values, std::string* fault) {
  DeclareServing(flags, values);
  DeclareStorage(flags, values);
  DeclareRest(flags, values);
  for (const Flag& flag : flags.flags()) {
    const std::string variable = EnvironmentName(flag.name);
    const char* text = std::getenv(variable.c_str());
    // A variable that is empty is as one that is not there, as for etcd.
    if (text == nullptr || *text == '\0' || flag.name == "version") continue;
    if (Result<void> set = flag.value.set(text); !set && fault->empty())
      *fault = variable + ": " + set.error().message();
  }
}

Result<void> ReadEtcdConfigFile(EtcdFlags& values) {
  if (values.config_file.empty()) return {};
  const std::string path = values.config_file;
  const auto fault = [&](const std::string& what) { return BadRequest(path + ": " + what); };
  const Result<std::string> text = ReadInput(path);
  if (!text) return fault(text.error().message());
  const Result<object::YamlJson> yaml = object::YamlToJson(*text);
  if (!yaml) return fault(yaml.error().ToString());
  const Result<object::Document> document = object::DecodeJson(yaml->json(), nullptr);
  if (!document) return fault(document.error().message());
  if (!document->root().is_map()) return fault("this is not a list of flags");
  values = EtcdFlags();
  FlagSet flags;
  DeclareServing(flags, values);
  DeclareStorage(flags, values);
  DeclareRest(flags, values);
  for (const object::MapEntry& entry : document->root().entries()) {
    const std::string_view name = entry.key;
    if (name == "peer-transport-security") continue;
    if (name != "client-transport-security") {
      if (Result<void> set = SetFromFile(flags, name, entry.value); !set)
        return fault(set.error().message());
      continue;
    }
    if (!entry.value.is_map()) continue;
    for (const object::MapEntry& inner : entry.value.entries()) {
      if (Result<void> set = SetFromFile(flags, inner.key, inner.value); !set)
        return fault(set.error().message());
    }
  }
  return {};
}

Result<store::EtcdServerOptions> ToServerOptions(const EtcdFlags& values) {
  if (!values.refused.empty())
    return BadRequest("--" + values.refused + " is not supported; leave it out");
  if (Split(values.initial_cluster).size() > 1) {
    return BadRequest(
        "--initial-cluster names several members, and this is an etcd of one; leave "
        "the others out");
  }
  store::EtcdServerOptions out;
  out.name = values.name;
  out.data_directory = values.data_dir.empty() ? values.name + ".etcd" : values.data_dir;
  for (const std::string& url : Split(values.listen_client_urls)) {
    SKIFF_ASSIGN_OR_RETURN(const ListenUrl listen, ParseListenUrl(url));
    (listen.tls ? out.tls_addresses : out.plain_addresses).push_back(listen.address);
  }
  for (const std::string& url : Split(values.listen_metrics_urls)) {
    SKIFF_ASSIGN_OR_RETURN(const ListenUrl listen, ParseListenUrl(url));
    (listen.tls ? out.tls_metrics_addresses : out.metrics_addresses).push_back(listen.address);
  }
  if (out.plain_addresses.empty() && out.tls_addresses.empty())
    return BadRequest("--listen-client-urls is empty");
  SKIFF_RETURN_IF_ERROR(AddTls(values, out));
  SKIFF_RETURN_IF_ERROR(AddCompaction(values, out));
  out.client_urls = Split(values.advertise_client_urls.empty() ? values.listen_client_urls
                                                               : values.advertise_client_urls);
  for (const std::string& url : out.client_urls) {
    const Result<ListenUrl> known = ParseListenUrl(url);
    if (!known) return BadRequest("--advertise-client-urls: " + known.error().message());
  }
  out.peer_urls = Split(values.initial_advertise_peer_urls);
  out.max_txn_ops = values.max_txn_ops;
  out.max_request_bytes =
      std::min(static_cast<size_t>(values.max_request_bytes), limits::kMaxEtcdServerRequestBytes);
  if (values.max_concurrent_streams < 1'000'000)
    out.max_streams = static_cast<uint32_t>(values.max_concurrent_streams);
  out.quota_bytes = values.quota_backend_bytes;
  out.sync = !values.unsafe_no_fsync;
  out.has_gateway = values.enable_grpc_gateway;
  const Result<int64_t> interval = object::ParseDuration(values.progress_interval);
  if (!interval || *interval <= 0)
    return BadRequest("--watch-progress-notify-interval: " + Quoted(values.progress_interval) +
                      " is not a length of time");
  out.progress_interval = Duration(*interval);
  return out;
}

}  // namespace skiff::cli
