// The ends of pipes that belong to a client's connection: what goes to the client, what comes from
// it, and both at once after a change of protocol. They keep nothing but the pipes alive.
#pragma once

#include <memory>

#include "apiserver/aggregator/byte_pipe.h"
#include "base/clock.h"
#include "net/http.h"

namespace skiff::apiserver {

std::unique_ptr<net::BodySource> SourceFrom(std::shared_ptr<BytePipe> down, Duration deadline);
std::unique_ptr<net::RequestSink> SinkInto(std::shared_ptr<BytePipe> up);
std::unique_ptr<net::BodySource> UpgradedBetween(std::shared_ptr<BytePipe> down,
                                                 std::shared_ptr<BytePipe> up);

}  // namespace skiff::apiserver
