// build/bin/skiff: all commands in one executable. Under the name etcd it is `skiff etcd`.
#include <cstdio>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/etcd/etcd.h"

int main(int argc, char** argv) {
  const std::string_view name = argc > 0 ? argv[0] : "";
  try {
    const std::vector<std::string_view> words(argv + (argc > 0), argv + argc);
    if (name.substr(name.rfind('/') + 1) != "etcd") return skiff::RunCommandLine(words);
    const std::vector<std::string> dashed = skiff::WithTwoDashes(words);
    std::vector<std::string_view> all = {"etcd"};
    all.insert(all.end(), dashed.begin(), dashed.end());
    return skiff::RunCommandLine(all);
  } catch (const std::bad_alloc&) {
    std::fputs("skiff: out of memory\n", stderr);
    return skiff::kExitFailure;
  }
}
