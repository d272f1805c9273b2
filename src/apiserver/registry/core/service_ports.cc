#include "apiserver/registry/core/service_ports.h"

#include <utility>

#include "store/blocking.h"

namespace skiff::apiserver {

NodePorts::NodePorts(store::Store& store, const std::string& prefix, int32_t first, int32_t last)
    : store_(store), key_(prefix + "/ranges/servicenodeports"), first_(first), last_(last) {}

NodePorts::~NodePorts() { watch_.reset(); }

Result<void> NodePorts::Follow() {
  {
    std::lock_guard lock(mutex_);
    if (state_) return {};
  }
  watch_.reset();
  SKIFF_ASSIGN_OR_RETURN(const store::RangeReply reply,
                         store::RangeAndWait(store_, {.range = store::KeyRange::Single(key_)}));
  Set(reply.entries.empty() ? nullptr : &reply.entries.front(), {});
  watch_ = store_.StartWatch(
      {.range = store::KeyRange::Single(key_), .from = store::Revision{reply.revision.value + 1}},
      this);
  return {};
}

Result<NodePorts::State> NodePorts::Current() const {
  std::lock_guard lock(mutex_);
  if (!state_) {
    return Fail(StatusReason::kServiceUnavailable, "the node ports of services are not known yet");
  }
  return *state_;
}

void NodePorts::OnEvents(std::span<const store::Event> events) {
  const store::Event& last = events.back();
  Set(last.kind == store::Event::Kind::kPut ? &last.entry : nullptr, last.revision());
}

void NodePorts::OnEnd(Status) {
  std::lock_guard lock(mutex_);
  state_.reset();
}

void NodePorts::Set(const store::KeyValue* stored, store::Revision) {
  State state{PortBitmap(first_, last_), {}};
  if (stored != nullptr) {
    // What cannot be read is made anew by the next write, or by the repair.
    if (Result<PortBitmap> ports = PortBitmap::Decode(first_, last_, stored->value.view()); ports) {
      state.ports = std::move(*ports);
    }
    state.revision = stored->mod_revision;
  }
  std::lock_guard lock(mutex_);
  state_ = std::move(state);
}

Result<void> PortChanges::Load() {
  if (state_) return {};
  SKIFF_ASSIGN_OR_RETURN(state_, ports_.Current());
  return {};
}

Result<void> PortChanges::Take(int32_t port) {
  SKIFF_RETURN_IF_ERROR(Load());
  if (!state_->ports.Contains(port)) {
    return Fail(StatusReason::kInvalid,
                "provided port is not in the valid range. The range of valid ports is " +
                    state_->ports.RangeText());
  }
  if (state_->ports.IsTaken(port)) {
    return Fail(StatusReason::kInvalid, "provided port is already allocated");
  }
  state_->ports.Set(port, true);
  taken_ = true;
  return {};
}

Result<int32_t> PortChanges::TakeAny(Random& random) {
  SKIFF_RETURN_IF_ERROR(Load());
  const std::optional<int32_t> port = state_->ports.ChooseFree(random);
  if (!port) return Fail(StatusReason::kInvalid, "range is full");
  state_->ports.Set(*port, true);
  taken_ = true;
  return *port;
}

Result<void> PortChanges::AddTo(store::Transaction& transaction) {
  if (!taken_ && released_.empty()) return {};
  SKIFF_RETURN_IF_ERROR(Load());
  for (const int32_t port : released_) state_->ports.Set(port, false);
  transaction.conditions.push_back({ports_.key(), state_->revision});
  transaction.writes.push_back({store::Write::Kind::kPut, ports_.key(),
                                SharedBytes(state_->ports.Encode()), store::LeaseId{}});
  return {};
}

}  // namespace skiff::apiserver
