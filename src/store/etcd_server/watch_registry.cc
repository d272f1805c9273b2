#include "store/etcd_server/watch_registry.h"

#include <utility>

namespace skiff::store {

std::shared_ptr<WatchTicket> WatchRegistry::Enter(std::shared_ptr<grpc::GrpcOutput> output) {
  auto ticket = std::make_shared<WatchTicket>();
  ticket->output = std::move(output);
  std::lock_guard lock(mutex_);
  tickets_.push_back(ticket);
  return ticket;
}

void WatchRegistry::Tick() {
  std::vector<std::shared_ptr<WatchTicket>> open;
  {
    std::lock_guard lock(mutex_);
    std::erase_if(tickets_, [](const auto& ticket) { return ticket.expired(); });
    for (const auto& known : tickets_) {
      if (auto ticket = known.lock()) open.push_back(std::move(ticket));
    }
  }
  for (const auto& ticket : open) {
    ticket->is_due = true;
    ticket->output->Wake();
  }
}

}  // namespace skiff::store
