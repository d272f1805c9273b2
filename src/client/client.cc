#include "client/client.h"

#include <algorithm>
#include <utility>

namespace skiff::client {
namespace {

// Tasks know the transport and not the client, which may go away before they end.
Task<Result<ClientReply>> SendThrough(ClientTransport* transport, ClientCall call) {
  co_return co_await FromCallback<Result<ClientReply>>(
      [&](auto done) { transport->Send(std::move(call), std::move(done)); });
}

Task<Result<ObjectPtr>> SendForObject(ClientTransport* transport, ClientCall call) {
  Result<ClientReply> reply = co_await SendThrough(transport, std::move(call));
  if (!reply) co_return std::unexpected(std::move(reply).error());
  co_return std::move(reply->object);
}

Task<Result<void>> SendForNothing(ClientTransport* transport, ClientCall call) {
  Result<ClientReply> reply = co_await SendThrough(transport, std::move(call));
  if (!reply) co_return std::unexpected(std::move(reply).error());
  co_return Result<void>();
}

Task<Result<ServedApi>> DiscoverThrough(ClientTransport* transport) {
  co_return co_await FromCallback<Result<ServedApi>>(
      [&](auto done) { transport->Discover(std::move(done)); });
}

}  // namespace

bool DiscoveredResource::Has(std::string_view verb) const {
  return std::ranges::binary_search(verbs, verb);
}

Task<Result<ObjectPtr>> Client::Get(const ApiResource& resource, ObjectName name) {
  ClientCall call;
  call.verb = ClientVerb::kGet;
  call.resource = &resource;
  call.target = std::move(name);
  return SendForObject(transport_, std::move(call));
}

Task<Result<ClientReply>> Client::List(ClientCall call) {
  call.verb = ClientVerb::kList;
  return SendThrough(transport_, std::move(call));
}

Task<Result<ObjectPtr>> Client::Create(const ApiResource& resource, ObjectPtr object,
                                       std::string subresource, std::string name) {
  ClientCall call;
  call.verb = ClientVerb::kCreate;
  call.resource = &resource;
  call.target = {NameOf(*object).name_space, std::move(name)};
  call.subresource = std::move(subresource);
  call.body = std::move(object);
  call.field_manager = field_manager_;
  return SendForObject(transport_, std::move(call));
}

Task<Result<ObjectPtr>> Client::Update(const ApiResource& resource, ObjectPtr object,
                                       std::string subresource) {
  ClientCall call;
  call.verb = ClientVerb::kUpdate;
  call.resource = &resource;
  call.target = NameOf(*object);
  call.subresource = std::move(subresource);
  call.body = std::move(object);
  call.field_manager = field_manager_;
  return SendForObject(transport_, std::move(call));
}

Task<Result<ObjectPtr>> Client::Patch(const ApiResource& resource, ObjectName name, PatchType type,
                                      std::string patch, std::string subresource) {
  ClientCall call;
  call.verb = ClientVerb::kPatch;
  call.resource = &resource;
  call.target = std::move(name);
  call.subresource = std::move(subresource);
  call.patch_type = type;
  call.patch = std::move(patch);
  call.field_manager = field_manager_;
  return SendForObject(transport_, std::move(call));
}

Task<Result<void>> Client::Delete(const ApiResource& resource, ObjectName name, DeleteChoice how) {
  ClientCall call;
  call.verb = ClientVerb::kDelete;
  call.resource = &resource;
  call.target = std::move(name);
  call.deletion = std::move(how);
  return SendForNothing(transport_, std::move(call));
}

Task<Result<ClientReply>> Client::Send(ClientCall call) {
  if (call.field_manager.empty()) call.field_manager = field_manager_;
  return SendThrough(transport_, std::move(call));
}

Task<Result<ServedApi>> Client::Discover() { return DiscoverThrough(transport_); }

}  // namespace skiff::client
