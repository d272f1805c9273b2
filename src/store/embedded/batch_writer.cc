#include "store/embedded/batch_writer.h"

#include <utility>

namespace skiff::store {

Result<void> WriteBatch(PreparedBatch& batch, Engine& engine) {
  EngineBatch* const rows = batch.Seal();
  if (rows == nullptr) return {};
  return engine.Write(*rows);
}

BatchWriter::BatchWriter(std::mutex* mutex, std::condition_variable* finished)
    : mutex_(mutex), finished_(finished) {
  thread_.emplace("store-write", [this] { Work(); });
}

BatchWriter::~BatchWriter() {
  {
    std::lock_guard lock(*mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_.reset();
}

void BatchWriter::Offer(PreparedBatch* batch, Engine* engine) {
  // It was judged by what has failed meanwhile.
  if (!results_.empty() && !results_.back()) return;
  engine_ = engine;
  if (current_ != nullptr) {
    waiting_ = batch;
    return;
  }
  current_ = batch;
  wake_.notify_one();
}

bool BatchWriter::TakeBack() { return std::exchange(waiting_, nullptr) != nullptr; }

std::optional<Result<void>> BatchWriter::TakeResult() {
  if (results_.empty()) return std::nullopt;
  std::optional<Result<void>> result = std::move(results_.front());
  results_.pop_front();
  return result;
}

void BatchWriter::Work() {
  std::unique_lock lock(*mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || current_ != nullptr; });
    if (current_ == nullptr) return;
    PreparedBatch* const batch = current_;
    Engine* const engine = engine_;
    lock.unlock();
    Result<void> result = WriteBatch(*batch, *engine);
    lock.lock();
    // What waits was judged by what has failed.
    if (!result) waiting_ = nullptr;
    current_ = std::exchange(waiting_, nullptr);
    results_.push_back(std::move(result));
    finished_->notify_one();
  }
}

}  // namespace skiff::store
