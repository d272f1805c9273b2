// `skiff cel`: expressions of Kubernetes' CEL, checked and evaluated without a server.
#pragma once

#include <memory>
#include <string_view>

#include "cli/common/command.h"

namespace skiff::cli {

inline constexpr std::string_view kCelDescription =
    "Checks an expression of the Common Expression Language as Kubernetes 1.36 sets it up, "
    "evaluates it, and prints its value, its type, what it cost and what it can cost at most. An "
    "expression that cannot be compiled is shown with a caret below each fault.\n\n"
    "Variables are given as JSON and are of type dyn, or of the type that a schema declares: with "
    "--schema self=FILE, the variable self is typed by the OpenAPI schema in FILE, as the rules of "
    "a CustomResourceDefinition see it. --env declares the variables of admission policies.\n\n"
    "With --cases the arguments are files of recorded cases, one JSON record a line. What differs "
    "is printed, and at the end how many passed and how many failed.";

inline constexpr Example kCelExamples[] = {
    {"evaluate", "skiff cel '[1, 2, 3][1] * 2'"},
    {"with a variable",
     "skiff cel 'object.spec.replicas <= 5' --var 'object={\"spec\":{\"replicas\":3}}'"},
    {"a rule of a custom resource",
     "skiff cel 'self.minReplicas <= self.replicas' --schema self=spec.json "
     "--var 'self={\"minReplicas\":1,\"replicas\":3}'"},
    {"an expression of an admission policy",
     "skiff cel --env admission 'request.operation == \"DELETE\"' "
     "--var 'request={\"operation\":\"DELETE\"}'"},
    {"compare with what was recorded", "skiff cel --cases fixtures/cel/*.jsonl"},
};

inline constexpr std::string_view kCelExitCodes[] = {
    "the expression has a value; or all cases passed",
    "it does not compile, or its value is an error; or a case failed, or a file cannot be read",
    "the command line is wrong",
};

std::unique_ptr<CommandRun> MakeCel();

}  // namespace skiff::cli
