#include "apiserver/admission/pod_requests.h"

namespace skiff {
namespace {

namespace core = views::core_v1;

Quantity Amount(const MapView<std::string_view>& amounts, std::string_view resource) {
  const Result<Quantity> parsed = Quantity::Parse(amounts.Find(resource).value_or("0"));
  return parsed ? *parsed : Quantity();
}

}  // namespace

Quantity PodRequest(const core::PodSpec& spec, std::string_view resource) {
  Quantity running;
  for (const core::Container each : spec.containers()) {
    running.Add(Amount(each.resources().requests(), resource));
  }
  // Init containers run one after another; those that are restarted go on beside the later ones.
  Quantity beside;
  Quantity most;
  for (const core::Container each : spec.init_containers()) {
    Quantity here = Amount(each.resources().requests(), resource);
    if (each.restart_policy().value_or("") == "Always") {
      running.Add(here);
      beside.Add(here);
      here = beside;
    } else {
      here.Add(beside);
    }
    if (here > most) most = here;
  }
  Quantity out = most > running ? most : running;
  if (spec.resources().requests().Contains(resource)) {
    out = Amount(spec.resources().requests(), resource);
  }
  out.Add(Amount(spec.overhead(), resource));
  return out;
}

}  // namespace skiff
