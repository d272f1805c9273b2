// /statusz and /flagz: since when a component runs, in which version, what it serves, and the flags
// that it was started with. As text for people, without an Accept header or with text/plain; as an
// object of config.k8s.io for programs that ask for it:
//
//   Accept: application/json;v=v1beta1;g=config.k8s.io;as=Statusz     (or yaml, v1alpha1, Flagz)
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "object/scalar/time.h"
#include "serving/request/api_request.h"

namespace skiff::serving {

using ShownFlags = std::map<std::string, std::string>;

// Immutable; any thread may ask.
class ZPages {
 public:
  struct Options {
    std::string component;                   // "kube-controller-manager"
    bool status = true;                      // whether there is /statusz
    std::function<ShownFlags()> flags = {};  // null: there is no /flagz
    std::vector<std::string> served = {};    // paths, of which the first parts are told
  };

  // The component starts now. The clock outlives the pages.
  ZPages(Options options, Clock& clock);

  // False: the path is another.
  bool Answer(ApiRequest& request) const;
  // Those that it answers.
  std::vector<std::string> Paths() const;

 private:
  std::string StatusText() const;
  std::string FlagsText() const;
  void WriteObject(std::string_view kind, std::string_view version, ByteBuffer& out) const;
  int64_t UptimeSeconds() const;

  const Options options_;
  Clock& clock_;
  const Duration started_;  // monotonic
  const object::Timestamp began_;
  const std::vector<std::string> told_;
};

}  // namespace skiff::serving
