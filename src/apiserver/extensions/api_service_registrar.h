// The APIServices of groups that custom resources have: one for each version of a group that is
// served, made when the first definition has it and removed with the last. Whoever takes the label
// away that says who manages one has it for himself.
//
// Owner: DefinitionController. Called by one thread; writes are waited for on threads of the store,
// one at a time for each name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/rest/endpoint.h"
#include "base/log.h"

namespace skiff::apiserver {

class ApiServiceRegistrar {
 public:
  // `storage` may be null: then there are none. The others outlive all writes.
  ApiServiceRegistrar(ResourceStorage* storage, RestContext& rest, Log& log);

  // One more definition serves the version, or one less.
  void Add(std::string_view group, std::string_view version);
  void Remove(std::string_view group, std::string_view version);
  // Those that a former process made and nobody serves any more go. Once, when all definitions have
  // been seen.
  void RemoveStale();

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace skiff::apiserver
