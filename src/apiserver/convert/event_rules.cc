// Events: one object, which the core group and events.k8s.io give different names to.
#include <array>
#include <utility>

#include "apiserver/convert/rules.h"
#include "views/core/v1.h"
#include "views/events.k8s.io/v1.h"
#include "views/events.k8s.io/v1beta1.h"

namespace skiff {
namespace {

using namespace views;

// In the core group, and in events.k8s.io.
constexpr auto kNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"reportingComponent", "reportingController"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
});

void ToEvents(const Value& from, Value& out, Copier& copier) {
  for (const auto& [core, events] : kNames) copier.Put(out, events, from.Find(core));
}

void ToCore(const Value& from, Value& out, Copier& copier) {
  for (const auto& [core, events] : kNames) copier.Put(out, core, from.Find(events));
}

constexpr ConversionRule kRules[] = {
    {core_v1::Event::Type, events_k8s_io_v1::Event::Type, ToEvents},
    {events_k8s_io_v1::Event::Type, core_v1::Event::Type, ToCore},
    {events_k8s_io_v1beta1::Event::Type, core_v1::Event::Type, ToCore},
};

}  // namespace

std::span<const ConversionRule> EventRules() { return kRules; }

}  // namespace skiff
