#include "apiserver/bootstrap/endpoint_reconciler.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "apiserver/rest/object_output.h"
#include "object/protobuf/envelope.h"
#include "store/blocking.h"
#include "views/core/v1.h"
#include "views/discovery.k8s.io/v1.h"

namespace skiff::apiserver {
namespace {

namespace core = views::core_v1;
namespace discovery = views::discovery_k8s_io_v1;

// How long the key of a server lives without being renewed.
constexpr std::chrono::seconds kKeyTtl{15};
constexpr std::string_view kPortName = "https";
constexpr std::string_view kSkipMirror = "endpointslice.kubernetes.io/skip-mirror";

object::Document EndpointsOf(const std::vector<std::string>& addresses, uint16_t port) {
  object::Document out = core::Endpoints::New();
  core::MutableEndpoints endpoints(out);
  endpoints.mutable_metadata().set_name("kubernetes");
  endpoints.mutable_metadata().set_namespace("default");
  // Its slice is written here too, so nobody needs to derive one.
  endpoints.mutable_metadata().put_labels(kSkipMirror, "true");
  if (addresses.empty()) return out;
  core::MutableEndpointSubset subset = endpoints.add_subsets();
  for (const std::string& address : addresses) subset.add_addresses().set_ip(address);
  core::MutableEndpointPort out_port = subset.add_ports();
  out_port.set_name(kPortName);
  out_port.set_port(port);
  out_port.set_protocol("TCP");
  return out;
}

object::Document SliceOf(const std::vector<std::string>& addresses, uint16_t port) {
  object::Document out = discovery::EndpointSlice::New();
  discovery::MutableEndpointSlice slice(out);
  slice.mutable_metadata().set_name("kubernetes");
  slice.mutable_metadata().set_namespace("default");
  slice.mutable_metadata().put_labels("kubernetes.io/service-name", "kubernetes");
  const bool v6 = !addresses.empty() && std::ranges::all_of(addresses, [](const auto& each) {
    return each.find(':') != std::string::npos;
  });
  slice.set_address_type(v6 ? "IPv6" : "IPv4");
  if (addresses.empty()) return out;
  for (const std::string& address : addresses) {
    if ((address.find(':') != std::string::npos) != v6) continue;
    discovery::MutableEndpoint endpoint = slice.add_endpoints();
    endpoint.add_addresses(address);
    endpoint.mutable_conditions().set_ready(true);
  }
  discovery::MutableEndpointPort out_port = slice.add_ports();
  out_port.set_name(kPortName);
  out_port.set_port(port);
  out_port.set_protocol("TCP");
  return out;
}

// Sets the members of `object` that it shares with `wanted`, and leaves the others.
void TakeMembers(const object::Document& wanted, object::Document& object,
                 std::initializer_list<std::string_view> members) {
  for (const std::string_view member : members) {
    const object::Value* value = wanted.root().Find(member);
    if (value == nullptr) {
      object.root().Erase(member);
    } else {
      object.root().Set(object.arena(), member, value->CopyInto(object.arena()));
    }
  }
}

// Whether the endpoints are those addresses, in one subset, whatever its ports.
bool HasAddresses(const core::Endpoints& endpoints, std::vector<std::string> addresses) {
  if (endpoints.subsets().size() != 1) return addresses.empty() && endpoints.subsets().empty();
  std::vector<std::string> found;
  for (const core::EndpointAddress each : endpoints.subsets()[0].addresses()) {
    found.emplace_back(each.ip());
  }
  std::ranges::sort(found);
  std::ranges::sort(addresses);
  return found == addresses;
}

Repair RepairEndpoints(const object::Document& wanted, const std::vector<std::string>& addresses,
                       bool check_ports) {
  return [shared = std::make_shared<object::Document>(wanted.Copy()), addresses,
          check_ports](object::Document& object) {
    core::MutableEndpoints(object).mutable_metadata().put_labels(kSkipMirror, "true");
    if (!check_ports && HasAddresses(core::Endpoints(object), addresses)) return;
    TakeMembers(*shared, object, {"subsets"});
  };
}

Repair RepairSlice(const object::Document& wanted) {
  return [shared = std::make_shared<object::Document>(wanted.Copy())](object::Document& object) {
    discovery::MutableEndpointSlice(object).mutable_metadata().put_labels(
        "kubernetes.io/service-name", "kubernetes");
    TakeMembers(*shared, object, {"addressType", "endpoints", "ports"});
  };
}

}  // namespace

Result<void> EndpointReconciler::Reconcile() {
  // Before anything that may fail, so that other servers count this one in.
  SKIFF_RETURN_IF_ERROR(RenewKey());
  SKIFF_ASSIGN_OR_RETURN(std::vector<std::string> addresses, LiveAddresses());
  if (std::ranges::find(addresses, address_.ToString()) == addresses.end()) {
    SKIFF_RETURN_IF_ERROR(WriteKey());
    SKIFF_ASSIGN_OR_RETURN(addresses, LiveAddresses());
  }
  SKIFF_RETURN_IF_ERROR(WriteEndpoints(addresses));
  ports_checked_ = true;
  return {};
}

Result<void> EndpointReconciler::Remove() {
  store::Transaction remove;
  remove.writes.push_back({store::Write::Kind::kDelete, key(), {}, {}});
  SKIFF_RETURN_IF_ERROR(store::CommitAndWait(store_, std::move(remove)));
  if (lease_ != store::LeaseId{}) {
    store_.RevokeLease(std::exchange(lease_, {}), [](const Result<store::Revision>&) {});
  }
  SKIFF_ASSIGN_OR_RETURN(const std::vector<std::string> addresses, LiveAddresses());
  return WriteEndpoints(addresses);
}

Result<void> EndpointReconciler::RenewKey() {
  if (lease_ != store::LeaseId{}) {
    const Result<store::LeaseInfo> renewed = store::Await<store::LeaseInfo>(
        [&](auto done) { store_.RenewLease(lease_, std::move(done)); });
    if (renewed) return {};
  }
  return WriteKey();
}

Result<void> EndpointReconciler::WriteKey() {
  SKIFF_ASSIGN_OR_RETURN(const store::LeaseInfo lease,
                         store::Await<store::LeaseInfo>(
                             [&](auto done) { store_.GrantLease(kKeyTtl, {}, std::move(done)); }));
  object::Document value = core::Endpoints::New();
  core::MutableEndpoints endpoints(value);
  endpoints.mutable_metadata().set_generation(1);
  endpoints.add_subsets().add_addresses().set_ip(address_.ToString());
  std::string bytes;
  object::EncodeStorage(value.root(), &bytes);
  store::Transaction put;
  put.writes.push_back({store::Write::Kind::kPut, key(), SharedBytes(bytes), lease.id});
  SKIFF_RETURN_IF_ERROR(store::CommitAndWait(store_, std::move(put)));
  lease_ = lease.id;
  return {};
}

Result<std::vector<std::string>> EndpointReconciler::LiveAddresses() {
  SKIFF_ASSIGN_OR_RETURN(const store::RangeReply reply,
                         store::RangeAndWait(store_, {.range = store::KeyRange::Prefix(prefix_)}));
  std::vector<std::string> out;
  for (const store::KeyValue& entry : reply.entries) {
    const Result<object::Document> object = DecodeStored(entry.value.view(), {});
    if (!object || object->type() != core::Endpoints::Type()) continue;
    const core::Endpoints endpoints(*object);
    if (endpoints.subsets().empty() || endpoints.subsets()[0].addresses().empty()) continue;
    const std::string_view address = endpoints.subsets()[0].addresses()[0].ip();
    if (!address.empty()) out.emplace_back(address);
  }
  return out;
}

Result<void> EndpointReconciler::WriteEndpoints(const std::vector<std::string>& addresses) {
  std::vector<WantedObject> objects(2);
  objects[0].resource = object::FindResource("", "v1", "endpoints");
  objects[0].object = EndpointsOf(addresses, port_);
  objects[0].repair = RepairEndpoints(objects[0].object, addresses, !ports_checked_);
  objects[1].resource = object::FindResource("discovery.k8s.io", "v1", "endpointslices");
  objects[1].object = SliceOf(addresses, port_);
  objects[1].repair = RepairSlice(objects[1].object);
  return writer_.Ensure(std::move(objects));
}

}  // namespace skiff::apiserver
