// The APIServices of groups that custom resources have: one for each version of a group that is
// served, made when the first definition has it and removed with the last; made again when somebody
// removes it, and mended when somebody changes it. Whoever takes the label away that says who
// manages one has it for himself.
//
// Several servers on one store see definitions come and go at different times. What is missing or
// changed is put right at once, which all of them do alike; one that should not be there is only
// removed when it was not wanted for a while, so that a server that is behind does not remove what
// another has just made.
//
// Owner: DefinitionController. Called by one thread; writes are waited for on threads of the store,
// one at a time for each name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/rest/endpoint.h"
#include "base/clock.h"
#include "base/log.h"
#include "object/value.h"

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

  // An APIService as it is now; null: it has gone.
  void OnApiService(std::string_view name, const object::Document* now);
  // To be called every limits::kProgressInterval: what could not be written is tried again, and
  // what is not wanted goes.
  void Tick();

 private:
  struct State;
  const std::shared_ptr<State> state_;
  // Managed ones that nobody serves, and when they go.
  std::map<std::string, Duration, std::less<>> unwanted_;
};

}  // namespace skiff::apiserver
