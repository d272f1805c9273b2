// `skiff up`, `skiff down`, `skiff status` and `skiff reset`: a cluster on this machine.
#pragma once

#include <memory>
#include <string_view>

#include "cli/common/command.h"

namespace skiff::cli {

std::unique_ptr<CommandRun> MakeUp();
std::unique_ptr<CommandRun> MakeDown();
std::unique_ptr<CommandRun> MakeStatus();
std::unique_ptr<CommandRun> MakeReset();

inline constexpr std::string_view kUpDescription =
    "Runs a control plane on this machine. The first time it makes a data directory with keys, "
    "certificates and the kubeconfig of an administrator; later it goes on with what is there, and "
    "renews certificates before they expire. It then starts the API server on the embedded store "
    "and prints how to connect.\n\n"
    "It stays in the foreground until Ctrl-C, or with --detach returns as soon as the cluster is "
    "ready. A second Ctrl-C ends it without waiting for requests that are under way; no data is "
    "lost by that.\n\n"
    "The data directory is --data-dir, else $SKIFF_DATA_DIR, else /var/lib/skiff for root and "
    "skiff in $XDG_DATA_HOME or ~/.local/share for others. What follows '--' are flags of "
    "kube-apiserver.";

inline constexpr Example kUpExamples[] = {
    {"run a cluster until Ctrl-C", "skiff up"},
    {"start one in the background and use it",
     "skiff up --detach --kubeconfig kubeconfig && kubectl --kubeconfig kubeconfig get ns"},
    {"another one beside it, with the alpha APIs",
     "skiff up --data-dir /tmp/second --port 7443 -- --runtime-config=api/all=true"},
};
inline constexpr std::string_view kUpExitCodes[] = {
    "the cluster was stopped in order; with --detach: it is ready",
    "it cannot be started, ended by itself, or did not stop in time",
    "the command line is wrong",
};

inline constexpr std::string_view kDownDescription =
    "Stops the cluster that runs in a data directory, however it was started: what is under way is "
    "finished, watches end, and the data stays for the next 'skiff up'. Waits until it is over.\n\n"
    "If none runs, there is nothing to do, and that is no error.";
inline constexpr Example kDownExamples[] = {
    {"stop the cluster", "skiff down"},
    {"wait for at most five seconds", "skiff down --timeout 5s"},
};
inline constexpr std::string_view kDownExitCodes[] = {
    "no cluster runs there",
    "it could not be stopped, or not in time",
    "the command line is wrong",
};

inline constexpr std::string_view kStatusDescription =
    "Tells whether a cluster runs in a data directory, where, which version, whether it is ready "
    "(/readyz), how much room its data takes and when its certificates expire.";
inline constexpr Example kStatusExamples[] = {
    {"how the cluster is", "skiff status"},
    {"for scripts", "skiff status -o json | jq -r .health"},
};
inline constexpr std::string_view kStatusExitCodes[] = {
    "the cluster runs and is ready",
    "the data directory cannot be looked at",
    "the command line is wrong",
    "no cluster runs there, or it is not ready",
};

inline constexpr std::string_view kResetDescription =
    "Removes a cluster for good: its data, keys, certificates and kubeconfig. Only what skiff made "
    "is removed; what else is in the data directory stays, and is named.\n\n"
    "It asks first, unless --yes is given, and refuses while the cluster runs.";
inline constexpr Example kResetExamples[] = {
    {"begin anew", "skiff down && skiff reset --yes && skiff up"},
};
inline constexpr std::string_view kResetExitCodes[] = {
    "there is nothing left",
    "something could not be removed, or the answer was no",
    "the command line is wrong",
};

}  // namespace skiff::cli
