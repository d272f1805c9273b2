// The whole of kube-apiserver but for its main(): from the words after its name to the exit code.
#pragma once

#include <span>
#include <string_view>

namespace skiff {

int RunKubeApiServer(std::span<const std::string_view> words);

}  // namespace skiff
