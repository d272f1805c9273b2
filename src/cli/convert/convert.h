// `skiff convert`: Kubernetes objects from one encoding into another, checked on the way.
//
// Built-in kinds pass through their descriptors: what comes out is what an API server of the same
// version would give, and what it would drop is reported first. Other kinds are custom resources,
// which have no descriptor here and keep whatever they hold.
#pragma once

#include <memory>
#include <string_view>

#include "cli/common/command.h"

namespace skiff::cli {

inline constexpr std::string_view kConvertDescription =
    "Reads Kubernetes objects from files, or from standard input when there is none or it is "
    "called -, and writes them in another format. A file may hold several: JSON values one after "
    "the other, or YAML documents separated by ---. Protobuf is the form of objects in etcd, one "
    "per file.\n\n"
    "Every object is checked against the schema of its kind: wrong types are errors, and by "
    "default so are unknown and duplicate fields and kinds that do not exist. Each problem is one "
    "line on standard error, with file, line, column and field. Custom resources are converted "
    "without such checks; they have no protobuf form. Items of a v1 List are checked each by its "
    "own kind.\n\n"
    "Nothing is written unless everything is right. An output file is replaced as a whole, and "
    "may be one of the inputs.";

inline constexpr Example kConvertExamples[] = {
    {"check manifests, as in CI", "skiff convert --to json deploy/*.yaml >/dev/null"},
    {"read what is in etcd",
     "etcdctl get /registry/pods/default/web --print-value-only | skiff convert --to yaml"},
    {"make the bytes that an API server would store",
     "skiff convert pod.yaml --to protobuf -o pod.pb"},
    {"one object per line, for grep or jq",
     "kubectl kustomize overlays/prod | skiff convert --to json --compact"},
    {"bring a file into canonical form", "skiff convert pod.yaml --to yaml -o pod.yaml"},
};

inline constexpr std::string_view kConvertExitCodes[] = {
    "everything was converted; there may have been warnings",
    "an input cannot be read or is wrong, or the output cannot be written",
    "the command line is wrong",
};

std::unique_ptr<CommandRun> MakeConvert();

}  // namespace skiff::cli
