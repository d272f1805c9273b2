// Lists as clients get them, made piece by piece: whole objects or other forms of them, as JSON,
// pretty or not, YAML or protobuf. However long a list is, it takes no more memory than its next
// piece.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "apiserver/rest/endpoint.h"
#include "base/buffer.h"
#include "base/status.h"
#include "base/work_budget.h"
#include "serving/request/output.h"
#include "store/cache/list_reply.h"

namespace skiff::apiserver {

// Writes one list in one encoding: Begin, items, End. `out` may be emptied between calls.
class ListWriter {
 public:
  virtual ~ListWriter() = default;
  // Whether lengths come first: then each item is passed to Measure() before Begin().
  virtual bool measures() const { return false; }
  virtual Result<void> Measure(const store::CacheEntry& entry) {
    static_cast<void>(entry);
    return {};
  }
  virtual void Begin(store::ListReply& reply, ByteBuffer& out) = 0;
  virtual Result<void> Item(const store::CacheEntry& entry, ByteBuffer& out) = 0;
  // JSON has no line break at its end.
  virtual void End(ByteBuffer& out) = 0;
};

// Puts compact JSON that comes in pieces into another form.
class JsonRewriter {
 public:
  virtual ~JsonRewriter() = default;
  virtual Result<void> Append(std::string_view json, ByteBuffer& out) = 0;
  virtual Result<void> Finish(ByteBuffer& out) = 0;
};

// Walks a reply: the one loop over items that there is. One thread at a time; whichever.
class ListEncoder {
 public:
  ListEncoder(std::unique_ptr<ListWriter> writer, const serving::OutputFormat& format,
              store::ListReply reply);

  // Appends until `out` has about `until` bytes, or until the budget is spent, which may be before
  // it has anything to append; false when the list is complete.
  Result<bool> Append(ByteBuffer& out, size_t until, const WorkBudget& budget);

 private:
  enum class Stage : uint8_t { kPage, kSizes, kItems, kEnd };

  Result<void> Step(ByteBuffer& out);
  Result<void> WriteStep(ByteBuffer& out);
  // The next entry that matches, if it is near and was so in the last call.
  const store::CacheEntry* Next();

  const std::unique_ptr<ListWriter> writer_;
  const std::unique_ptr<JsonRewriter> rewriter_;  // null: the writer's output is what is wanted
  const bool ends_line_;
  store::ListReply reply_;
  std::optional<store::ListCursor> at_;
  const store::CacheEntry* next_ = nullptr;  // what Next() gives the next time
  Stage stage_ = Stage::kPage;
  ByteBuffer written_;  // on its way to the rewriter
};

Result<std::unique_ptr<ListEncoder>> MakeListEncoder(const serving::ApiRequest& request,
                                                     const Endpoint& endpoint,
                                                     const serving::OutputFormat& format,
                                                     store::ListReply reply);

}  // namespace skiff::apiserver
