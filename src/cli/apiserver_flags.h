// The flags of kube-apiserver: each of v1.36 under its name, with its type, default and section,
// and what becomes of it here.
//
//   works     sets an option
//   ignored   is checked and then ignored, which is harmless; a warning says so
//   refused   is an error, because to ignore it would be unsafe; the error says what is missing
//
// A flag that is not supported and is given with its default value is neither warned of nor
// refused. The syntax is pflag's: --name=value, --name value, --switch, lists with commas or by
// repetition, and underscores in names count as dashes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/options.h"
#include "base/status.h"

namespace skiff {

// What a command line of kube-apiserver says.
struct ApiServerCommandLine {
  ApiServerOptions options;
  // Where a certificate is made and kept when none is given.
  std::string cert_dir = "/var/run/kubernetes";
  std::string version;  // of --version: "true", "raw"; empty: not asked for
  bool help = false;
  std::vector<std::string> warnings;
};

enum class FlagEffect : uint8_t { kWorks, kIgnored, kRefused };

struct FlagBinding {
  // `first`: it has not been given before on this command line, so a list begins anew.
  Result<void> (*set)(ApiServerCommandLine& line, std::string_view text, bool first) = nullptr;
  // The value, as kube-apiserver shows it; of a fresh command line: the default.
  std::string (*show)(ApiServerCommandLine& line) = nullptr;
};

struct ApiServerFlag {
  std::string_view name;
  std::string_view type;     // as pflag calls it
  std::string_view section;  // of the help; empty: hidden there
  // For people: what it does if it works; what is missing if it does not.
  std::string_view about;
  FlagEffect effect = FlagEffect::kWorks;
  std::string_view default_text = {};  // when it is bound to nothing
  FlagBinding binding = {};
  bool deprecated = false;

  std::string DefaultText() const;
};

// In the order of the help: by section, then by name.
std::vector<ApiServerFlag> AllApiServerFlags();

// Fills in the command line. Options are neither derived nor validated yet.
Result<void> ParseApiServerFlags(std::span<const std::string_view> words,
                                 ApiServerCommandLine& line);

std::string ApiServerHelp();

}  // namespace skiff
