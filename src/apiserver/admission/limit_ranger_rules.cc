#include "apiserver/admission/limit_ranger_rules.h"

#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/strings.h"
#include "quota/pod_resources.h"
#include "quota/resource_list.h"
#include "views/meta/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;

constexpr char kAnnotation[] = "kubernetes.io/limit-ranger";
// Beyond this, amounts are compared in whole units.
constexpr int64_t kMaxMilliValue = std::numeric_limits<int64_t>::max() / 1000;

// Amounts as numbers of one unit.
struct Compared {
  int64_t request;
  int64_t limit;
  int64_t bound;

  Compared(const object::Quantity& request_of, const object::Quantity& limit_of,
           const object::Quantity& bound_of)
      : request(request_of.Value()), limit(limit_of.Value()), bound(bound_of.Value()) {
    if (request > kMaxMilliValue || limit > kMaxMilliValue || bound > kMaxMilliValue) return;
    request = request_of.MilliValue();
    limit = limit_of.MilliValue();
    bound = bound_of.MilliValue();
  }
};

// What is found wrong, each fault once, and no more than an error tells.
class LimitFaults {
 public:
  bool full() const { return texts_.size() >= limits::kMaxStatusCauses; }
  void Add(std::string text) {
    if (!full() && seen_.insert(text).second) texts_.push_back(std::move(text));
  }
  std::vector<std::string> Take() { return std::move(texts_); }

 private:
  std::vector<std::string> texts_;
  std::set<std::string> seen_;
};

// What is checked against the bounds of one type: a container, a pod or a claim.
class BoundsCheck {
 public:
  BoundsCheck(std::string_view type, quota::ResourceList requests, quota::ResourceList limits,
              LimitFaults& out)
      : type_(type), requests_(std::move(requests)), limits_(std::move(limits)), out_(out) {}

  void Min(const object::MapView<std::string_view>& bounds) {
    for (const auto& [name, bound] : quota::ToResourceList(bounds)) CheckMin(name, bound);
  }
  void Max(const object::MapView<std::string_view>& bounds) {
    for (const auto& [name, bound] : quota::ToResourceList(bounds)) CheckMax(name, bound);
  }
  // A claim has requests only.
  void MaxOfRequests(const object::MapView<std::string_view>& bounds) {
    for (const auto& [name, bound] : quota::ToResourceList(bounds)) CheckMaxOfRequest(name, bound);
  }
  void Ratio(const object::MapView<std::string_view>& bounds) {
    for (const auto& [name, bound] : quota::ToResourceList(bounds)) CheckRatio(name, bound);
  }

 private:
  static object::Quantity AmountIn(const quota::ResourceList& list, const std::string& name) {
    const auto found = list.find(name);
    return found != list.end() ? found->second : object::Quantity();
  }
  void Add(std::string_view which, const std::string& name, const object::Quantity& bound,
           std::string_view what) {
    out_.Add(std::string(which) + " " + name + " usage per " + std::string(type_) + " is " +
             bound.ToString() + std::string(what));
  }

  void CheckMin(const std::string& name, const object::Quantity& bound) {
    const object::Quantity request = AmountIn(requests_, name);
    const object::Quantity limit = AmountIn(limits_, name);
    const Compared amounts(request, limit, bound);
    if (!requests_.contains(name)) {
      Add("minimum", name, bound, ".  No request is specified");
    } else if (amounts.request < amounts.bound) {
      Add("minimum", name, bound, ", but request is " + request.ToString());
    } else if (limits_.contains(name) && amounts.limit < amounts.bound) {
      Add("minimum", name, bound, ", but limit is " + limit.ToString());
    }
  }

  void CheckMax(const std::string& name, const object::Quantity& bound) {
    const object::Quantity request = AmountIn(requests_, name);
    const object::Quantity limit = AmountIn(limits_, name);
    const Compared amounts(request, limit, bound);
    if (!limits_.contains(name)) {
      Add("maximum", name, bound, ".  No limit is specified");
    } else if (amounts.limit > amounts.bound) {
      Add("maximum", name, bound, ", but limit is " + limit.ToString());
    } else if (requests_.contains(name) && amounts.request > amounts.bound) {
      Add("maximum", name, bound, ", but request is " + request.ToString());
    }
  }

  void CheckMaxOfRequest(const std::string& name, const object::Quantity& bound) {
    const object::Quantity request = AmountIn(requests_, name);
    const Compared amounts(request, object::Quantity(), bound);
    if (!requests_.contains(name)) {
      Add("maximum", name, bound, ".  No request is specified");
    } else if (amounts.request > amounts.bound) {
      Add("maximum", name, bound, ", but request is " + request.ToString());
    }
  }

  void CheckRatio(const std::string& name, const object::Quantity& bound) {
    const Compared amounts(AmountIn(requests_, name), AmountIn(limits_, name), bound);
    const std::string rule = name + " max limit to request ratio per " + std::string(type_) +
                             " is " + bound.ToString() + ", but ";
    if (amounts.request == 0) {
      out_.Add(rule + "no request is specified or request is 0");
      return;
    }
    if (amounts.limit == 0) {
      out_.Add(rule + "no limit is specified or limit is 0");
      return;
    }
    const double ratio = static_cast<double>(amounts.limit) / static_cast<double>(amounts.request);
    const bool in_milli = bound.Value() <= kMaxMilliValue;
    const double shown = in_milli ? ratio * 1000 : ratio;
    const auto max = static_cast<double>(in_milli ? bound.MilliValue() : bound.Value());
    if (shown > max) out_.Add(rule + "provided ratio is " + std::to_string(ratio));
  }

  const std::string_view type_;
  const quota::ResourceList requests_;
  const quota::ResourceList limits_;
  LimitFaults& out_;
};

void CheckBounds(const core::LimitRangeItem& item, quota::ResourceList requests,
                 quota::ResourceList limits, LimitFaults& out) {
  BoundsCheck check(item.type(), std::move(requests), std::move(limits), out);
  check.Min(item.min());
  check.Max(item.max());
  check.Ratio(item.max_limit_request_ratio());
}

void CheckContainers(const core::LimitRangeItem& item,
                     const object::ListView<core::Container>& containers, LimitFaults& out) {
  for (const core::Container container : containers) {
    if (out.full()) return;
    CheckBounds(item, quota::ToResourceList(container.resources().requests()),
                quota::ToResourceList(container.resources().limits()), out);
  }
}

using Defaults = std::map<std::string_view, std::string_view>;

// "cpu, memory request for container a".
void NoteDefaults(const std::vector<std::string_view>& names, std::string_view what,
                  std::string_view whom, std::string& notes) {
  if (names.empty()) return;
  if (!notes.empty()) notes += "; ";
  for (size_t i = 0; i < names.size(); ++i) {
    if (i != 0) notes += ", ";
    notes += names[i];
  }
  notes += std::string(what) + std::string(whom);
}

void ApplyToContainer(core::MutableContainer container, const Defaults& requests,
                      const Defaults& limits, std::string_view kind, std::string& notes) {
  std::vector<std::string_view> set_requests;
  std::vector<std::string_view> set_limits;
  for (const auto& [name, amount] : limits) {
    if (container.Read().resources().limits().Contains(name)) continue;
    container.mutable_resources().put_limits(name, amount);
    set_limits.push_back(name);
  }
  for (const auto& [name, amount] : requests) {
    if (container.Read().resources().requests().Contains(name)) continue;
    container.mutable_resources().put_requests(name, amount);
    set_requests.push_back(name);
  }
  const std::string whom = std::string(kind) + " " + std::string(container.Read().name());
  NoteDefaults(set_requests, " request for ", whom, notes);
  NoteDefaults(set_limits, " limit for ", whom, notes);
}

}  // namespace

Result<void> ApplyLimitDefaults(const core::LimitRange& range, object::Document& pod) {
  Defaults requests;
  Defaults limits;
  for (const core::LimitRangeItem item : range.spec().limits()) {
    if (item.type() != "Container") continue;
    for (const auto& [name, amount] : item.default_request()) requests[name] = amount;
    for (const auto& [name, amount] : item.default_()) limits[name] = amount;
  }
  if (requests.empty() && limits.empty()) return {};
  core::MutablePod view(pod);
  std::string notes;
  const size_t containers = view.Read().spec().containers().size();
  const size_t all = containers + view.Read().spec().init_containers().size();
  if (all * (requests.size() + limits.size()) > limits::kMaxDefaultedAmounts) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                "the containers of the pod are too many for what LimitRange " +
                    Quoted(range.metadata().name()) + " gives each of them");
  }
  for (size_t i = 0; i < containers; ++i) {
    ApplyToContainer(view.mutable_spec().mutable_containers(i), requests, limits, "container",
                     notes);
  }
  const size_t init_containers = view.Read().spec().init_containers().size();
  for (size_t i = 0; i < init_containers; ++i) {
    ApplyToContainer(view.mutable_spec().mutable_init_containers(i), requests, limits,
                     "init container", notes);
  }
  if (notes.empty()) return {};
  view.mutable_metadata().put_annotations(kAnnotation, "LimitRanger plugin set: " + notes);
  return {};
}

std::vector<std::string> CheckPodLimits(const core::LimitRange& range, const core::Pod& pod) {
  LimitFaults out;
  for (const core::LimitRangeItem item : range.spec().limits()) {
    if (out.full()) break;
    if (item.type() == "Container") {
      CheckContainers(item, pod.spec().containers(), out);
      CheckContainers(item, pod.spec().init_containers(), out);
    } else if (item.type() == "Pod") {
      CheckBounds(item, quota::PodRequests(pod, {}), quota::PodLimits(pod, {}), out);
    }
  }
  return out.Take();
}

std::vector<std::string> CheckClaimLimits(const core::LimitRange& range,
                                          const core::PersistentVolumeClaim& claim) {
  LimitFaults out;
  for (const core::LimitRangeItem item : range.spec().limits()) {
    if (item.type() != "PersistentVolumeClaim" || out.full()) continue;
    BoundsCheck check(item.type(), quota::ToResourceList(claim.spec().resources().requests()), {},
                      out);
    check.Min(item.min());
    check.MaxOfRequests(item.max());
  }
  return out.Take();
}

}  // namespace skiff::apiserver
