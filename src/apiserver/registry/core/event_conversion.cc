#include "apiserver/registry/core/event_conversion.h"

#include <array>
#include <utility>

#include "views/core/v1.h"
#include "views/events.k8s.io/v1.h"
#include "views/events.k8s.io/v1beta1.h"

namespace skiff::apiserver {
namespace {

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

void ToEvents(const object::Value& from, object::Value& out, Copier& copier) {
  for (const auto& [core, events] : kNames) copier.Put(out, events, from.Find(core));
}

void ToCore(const object::Value& from, object::Value& out, Copier& copier) {
  for (const auto& [core, events] : kNames) copier.Put(out, core, from.Find(events));
}

constexpr ConversionRule kRules[] = {
    {views::core_v1::Event::Type, views::events_k8s_io_v1::Event::Type, ToEvents},
    {views::events_k8s_io_v1::Event::Type, views::core_v1::Event::Type, ToCore},
    {views::events_k8s_io_v1beta1::Event::Type, views::core_v1::Event::Type, ToCore},
};

}  // namespace

std::span<const ConversionRule> EventConversions() { return kRules; }

}  // namespace skiff::apiserver
