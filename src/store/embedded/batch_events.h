// The events of one batch, for watches.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "store/embedded/batch_builder.h"
#include "store/embedded/engine.h"
#include "store/embedded/reader.h"
#include "store/embedded/watch_hub.h"

namespace skiff::store {

// Of a batch that was just written. Values are those of the transactions; what was before is read
// from the engine if a watch wants it.
class BatchEvents final : public EventSource {
 public:
  BatchEvents(const std::vector<WrittenRecord>& written, StoreReader* reader, Engine* engine)
      : written_(written), reader_(reader), engine_(engine) {}

  std::span<const Event> Plain() override;
  Result<std::span<const Event>> WithPrevious() override;

 private:
  Result<KeyValue> Before(size_t index);

  const std::vector<WrittenRecord>& written_;
  StoreReader* reader_;
  Engine* engine_;
  std::vector<Event> plain_;
  std::vector<Event> with_previous_;
};

// Of a batch that was found on disk.
class ReadEvents final : public EventSource {
 public:
  explicit ReadEvents(std::vector<Event> events)
      : with_previous_(std::move(events)), plain_(with_previous_) {
    for (Event& event : plain_) event.previous.reset();
  }
  std::span<const Event> Plain() override { return plain_; }
  Result<std::span<const Event>> WithPrevious() override {
    return std::span<const Event>(with_previous_);
  }

 private:
  std::vector<Event> with_previous_;
  std::vector<Event> plain_;
};

}  // namespace skiff::store
