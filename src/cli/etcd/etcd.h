// `skiff etcd`: the embedded store behind etcd's API. The executable `etcd` is the same under
// etcd's name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common/command.h"

namespace skiff::cli {

std::unique_ptr<CommandRun> MakeEtcd();

// What may be given with one dash before a flag, as etcd takes it, in the form that skiff takes.
std::vector<std::string> WithTwoDashes(std::span<const std::string_view> words);

inline constexpr std::string_view kEtcdDescription =
    "Serves an embedded store to clients of etcd: its API, version 3, over gRPC, as etcd 3.6 "
    "answers "
    "it, with TLS or plain, and /version, /health, /livez, /readyz and /metrics over HTTP on the "
    "same ports. It is one member: there is no replication.\n\n"
    "Flags are etcd's; those that have no meaning here are taken and ignored. Each may be given as "
    "an environment variable too, such as ETCD_DATA_DIR for --data-dir. Users and roles, changes "
    "of "
    "the cluster's members and the JSON gateway are not supported.\n\n"
    "The executable 'etcd' beside skiff is this command.";
inline constexpr Example kEtcdExamples[] = {
    {"serve on the usual port", "skiff etcd --data-dir /var/lib/etcd"},
    {"with TLS, for clients that have a certificate",
     "skiff etcd --listen-client-urls https://0.0.0.0:2379 --cert-file server.crt --key-file "
     "server.key --client-cert-auth --trusted-ca-file ca.crt"},
};
inline constexpr std::string_view kEtcdExitCodes[] = {
    "it was stopped in order",
    "it cannot be started, or did not stop in time",
    "the command line is wrong",
};

}  // namespace skiff::cli
