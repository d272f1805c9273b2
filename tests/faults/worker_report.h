// What the worker of the crash tests (store_worker.cc) tells the test that will kill it: one line
// for each thing, through a pipe, in the order in which the things happen. A line that was written
// is received, whatever becomes of the writer.
//
//   O revision compacted            the store is open
//   I number kind key value expected   an operation is about to begin
//   R number outcome revision seen-revision seen-value   it has ended
//   N number                        it has ended with an error, and nothing was changed
//   E revision key value            a watch told of a put,
//   D revision key                  of a deletion
//   H revision key value mod-revision …   the state at an old revision: all keys
//   P revision                      every event up to there has been told
//   X text                          something is wrong
//
// Fields are separated by spaces and have none; an empty one is "-".
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/store/linearizability.h"
#include "tests/store/workload.h"

namespace skiff::testing {

// The worker's end. Thread-safe.
class ReportWriter final : public OperationListener {
 public:
  explicit ReportWriter(int descriptor) : descriptor_(descriptor) {}

  void OnInvoke(uint64_t number, const Operation& operation) override;
  void OnReturn(uint64_t number, const Operation& operation) override;
  void OnNothing(uint64_t number) override;
  void Opened(int64_t revision, int64_t compacted);
  void Told(const std::vector<SeenEvent>& events);
  void Progress(int64_t revision);
  void StateAt(int64_t revision, const std::map<std::string, SeenValue>& state);
  void Wrong(std::string_view what);

 private:
  void Write(std::string_view lines);

  const int descriptor_;
  std::mutex mutex_;
};

// What the test makes of the lines.
class ReportReader {
 public:
  virtual ~ReportReader() = default;

  // Bytes as they come. The rest of a line that was cut off is kept until the next call.
  void Read(std::string_view bytes);
  // There will be no rest: the writer has ended.
  void Cut() { partial_.clear(); }

 protected:
  virtual void OnOpened(int64_t revision, int64_t compacted) = 0;
  virtual void OnInvoke(uint64_t number, Operation operation) = 0;
  virtual void OnReturn(uint64_t number, Operation operation) = 0;
  virtual void OnNothing(uint64_t number) = 0;
  virtual void OnEvent(SeenEvent event) = 0;
  virtual void OnProgress(int64_t revision) = 0;
  virtual void OnStateAt(int64_t revision, std::map<std::string, SeenValue> state) = 0;
  virtual void OnWrong(std::string what) = 0;

 private:
  void ReadLine(std::string_view line);
  // False if the line is of no known form.
  bool ReadFields(const std::vector<std::string>& fields);

  std::string partial_;
};

}  // namespace skiff::testing
