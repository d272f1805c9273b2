// Between etcd's messages and what the store speaks.
#pragma once

#include <string>
#include <string_view>

#include <etcd_kv.pb.h>
#include <etcd_rpc.pb.h>

#include "store/store.h"

namespace skiff::store {

// etcd's pair of a key and the end of a range: no end is that key alone, one zero byte no end.
// Nothing lies between a key and an end that is not greater.
KeyRange RangeOf(std::string_view key, std::string_view range_end);
bool IsSingleKey(std::string_view range_end);

void FillKeyValue(const KeyValue& from, mvccpb::KeyValue* to);
void FillEvent(const Event& from, mvccpb::Event* to);

}  // namespace skiff::store
