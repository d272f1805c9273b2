// What an error of etcd or of the connection to it means: for the caller, and for what to do next.
//
// etcd's errors are told apart by their text, as its own clients do: several share a gRPC code, and
// it is the text that says whether something may have been changed.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "grpc/status.h"

namespace skiff::store {

struct EtcdFailure {
  enum class Kind : uint8_t {
    kFinal,           // an answer: nothing was changed, and trying again would not help
    kTryAgain,        // nothing was changed; another member, or this one later, may serve it
    kMaybeDone,       // this member did not answer in time or could not tell the outcome
    kConnectionLost,  // like kMaybeDone, and the connection is of no more use
  };
  Kind kind = Kind::kFinal;
  Status status;
  bool out_of_space = false;  // etcd has raised its alarm: no writes until an operator acts
};

// The status is not OK.
EtcdFailure ClassifyEtcdError(const grpc::GrpcStatus& error);

}  // namespace skiff::store
