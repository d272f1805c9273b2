// The commands of the group `skiff bench`: how fast a server is, as its clients see it.
#pragma once

#include <memory>
#include <string_view>

#include "cli/common/command.h"

namespace skiff::cli {

std::unique_ptr<CommandRun> MakeBenchApi();

inline constexpr std::string_view kBenchDescription =
    "Measures servers under load, from the outside.";

inline constexpr std::string_view kBenchApiDescription =
    "Sends requests to an API server, any Kubernetes API server, as fast as it answers them, and "
    "prints how many it answers in a second and how long that takes: half of the requests take no "
    "longer than p50, all but one in a hundred no longer than p99.\n\n"
    "Scenarios: get, list, update, patch and delete work on objects that are made first "
    "(--objects); create makes new ones; mixed does all of it at once, mostly get. watch opens "
    "--watchers watches, makes --events objects and measures how soon each watcher hears of each "
    "of them.\n\n"
    "All of it happens in a namespace of its own with a name that nobody has, which is removed "
    "at the end, also after Ctrl-C; or in --namespace, in which only what was made is removed. "
    "Pods are made so that no scheduler takes them.\n\n"
    "The load is a closed loop: --connections times --streams requests are under way at any time. "
    "With --pid, the process of the server on this machine, it also tells the server's processor "
    "time per operation and its memory. The server is that of --kubeconfig, else of $KUBECONFIG "
    "or ~/.kube/config, else that of 'skiff up'; or --server.";

inline constexpr Example kBenchApiExamples[] = {
    {"how fast the cluster of 'skiff up' reads pods",
     "skiff bench api get --kind pod --pid $(pidof skiff)"},
    {"lists of 10,000 objects as protobuf, ten times",
     "skiff bench api list --objects 10000 --accept protobuf --count 10 --connections 1 "
     "--streams 1"},
    {"another server, by token, for scripts",
     "skiff bench api create --server https://10.0.0.1:6443 --token-file token "
     "--certificate-authority ca.crt --duration 30s -o json"},
    {"500 watchers, 1,000 events", "skiff bench api watch --watchers 500 --events 1000"},
};
inline constexpr std::string_view kBenchApiExitCodes[] = {
    "every request was answered as it should",
    "the load could not begin, was interrupted, or requests failed",
    "the command line is wrong",
};

}  // namespace skiff::cli
