#include "store/etcd_server/range.h"

#include <algorithm>
#include <utility>

#include "store/etcd_server/convert.h"

namespace skiff::store {
namespace {

using etcdserverpb::RangeResponse;
using Asked = etcdserverpb::RangeRequest;

bool HasFilters(const Asked& asked) {
  return asked.min_mod_revision() != 0 || asked.max_mod_revision() != 0 ||
         asked.min_create_revision() != 0 || asked.max_create_revision() != 0;
}

// Whether the order of the store, ascending by key, is not the one that is asked for.
bool MustSort(const Asked& asked) {
  if (asked.sort_target() == Asked::KEY) return asked.sort_order() == Asked::DESCEND;
  return true;
}

// A target without an order sorts what the limit has left, as in etcd.
bool NeedsAll(const Asked& asked) {
  return HasFilters(asked) || (asked.sort_order() != Asked::NONE && MustSort(asked));
}

bool IsWithin(int64_t value, int64_t min, int64_t max) {
  return (min == 0 || value >= min) && (max == 0 || value <= max);
}

void Filter(const Asked& asked, std::vector<KeyValue>& entries) {
  std::erase_if(entries, [&](const KeyValue& entry) {
    return !IsWithin(entry.mod_revision.value, asked.min_mod_revision(),
                     asked.max_mod_revision()) ||
           !IsWithin(entry.create_revision.value, asked.min_create_revision(),
                     asked.max_create_revision());
  });
}

bool IsLess(const Asked& asked, const KeyValue& a, const KeyValue& b) {
  switch (asked.sort_target()) {
    case Asked::VERSION:
      return a.version < b.version;
    case Asked::CREATE:
      return a.create_revision < b.create_revision;
    case Asked::MOD:
      return a.mod_revision < b.mod_revision;
    case Asked::VALUE:
      return a.value.view() < b.value.view();
    default:
      return a.key < b.key;
  }
}

void Sort(const Asked& asked, std::vector<KeyValue>& entries) {
  const bool descending = asked.sort_order() == Asked::DESCEND;
  std::stable_sort(entries.begin(), entries.end(), [&](const KeyValue& a, const KeyValue& b) {
    return descending ? IsLess(asked, b, a) : IsLess(asked, a, b);
  });
}

}  // namespace

grpc::GrpcStatus CheckRangeRequest(const Asked& request) {
  if (request.key().empty()) return kEmptyKey;
  if (!Asked::SortOrder_IsValid(request.sort_order()) ||
      !Asked::SortTarget_IsValid(request.sort_target()))
    return kInvalidSortOption;
  return {};
}

grpc::GrpcResult<RangeResponse> EvaluateRange(
    const Asked& asked, const std::function<Result<RangeReply>(const RangeRequest&)>& read) {
  RangeRequest request;
  request.range = RangeOf(asked.key(), asked.range_end());
  request.at.value = std::max<int64_t>(asked.revision(), 0);
  request.count_only = asked.count_only();
  request.keys_only = asked.keys_only() && asked.sort_target() != Asked::VALUE;
  const int64_t limit = std::max<int64_t>(asked.limit(), 0);
  // One more tells whether there is more.
  if (limit > 0 && limit < INT64_MAX && !NeedsAll(asked)) request.limit = limit + 1;
  Result<RangeReply> reply = read(request);
  if (!reply) return std::unexpected(FromStore(reply.error()));
  if (HasFilters(asked)) Filter(asked, reply->entries);
  if (MustSort(asked)) Sort(asked, reply->entries);
  const bool more = limit > 0 && static_cast<int64_t>(reply->entries.size()) > limit;
  if (more) reply->entries.resize(static_cast<size_t>(limit));
  RangeResponse response;
  response.mutable_header()->set_revision(reply->revision.value);
  response.set_count(reply->count);
  response.set_more(more);
  response.mutable_kvs()->Reserve(static_cast<int>(reply->entries.size()));
  for (const KeyValue& entry : reply->entries) {
    mvccpb::KeyValue* out = response.add_kvs();
    FillKeyValue(entry, out);
    if (asked.keys_only()) out->clear_value();
  }
  return response;
}

}  // namespace skiff::store
