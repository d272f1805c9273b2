// Conversion that somebody else does: of objects whose versions differ in more than their schema
// and only a webhook knows how. It has to be waited for, so Convert() (convert.h) cannot do it.
//
// Objects go in and come out as they are at rest, as JSON: what is read from the store is passed on
// as it is, and may be remembered by its bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/shared_bytes.h"
#include "base/status.h"
#include "base/task.h"
#include "object/value.h"

namespace skiff::apiserver {

// Of one definition. Any thread.
class ObjectConverter {
 public:
  using Objects = std::vector<SharedBytes>;
  using Done = std::move_only_function<void(Result<Objects>)>;
  // Runs something where who asked goes on; null: wherever the answer comes.
  using Post = std::function<void(std::move_only_function<void()>)>;
  // Whether what was converted a while ago may be the answer, or it must be asked anew.
  enum class Memory : uint8_t { kAnswers, kIsNotAsked };

  virtual ~ObjectConverter() = default;

  // The objects in the version `to` of their kind, in their order; those that are in it already as
  // they are. `done` is called once: before this returns, if nobody has to be asked, or through
  // `post`. It outlives what is under way if it is kept alive by `post` or `done`.
  virtual void Convert(Objects objects, const object::MessageDesc& to, Memory memory, Post post,
                       Done done) = 0;
};

// Whether the JSON of an object says that it is in this version.
bool IsInVersion(std::string_view json, const object::MessageDesc& version);

// The same awaited, of one object that is at hand: as one of the other version, without defaults.
Task<Result<object::Document>> ConvertAwaited(ObjectConverter& converter,
                                              ObjectConverter::Post post,
                                              const object::Document& object,
                                              const object::MessageDesc* to);

// For code that needs objects in other versions and cannot wait in the middle: it is run, asks for
// what it needs and fails; what it wanted is fetched, and it is run again from its beginning, until
// it wants nothing that is not known.
//
//   for (;;) {
//     Result<T> made = Make(conversions);
//     if (!conversions.wants()) return made;
//     SKIFF_CO_RETURN_IF_ERROR(co_await conversions.Fetch());
//   }
//
// Faults are remembered, too: who wants to make something of them runs it again all the same.
//
// Of one request; one thread at a time.
class RememberedConversions {
 public:
  // The converter outlives it.
  RememberedConversions(ObjectConverter& converter, ObjectConverter::Post post)
      : converter_(converter), post_(std::move(post)) {}

  // Fails where it is not known yet; then it is wanted.
  Result<object::Document> Convert(const object::Document& object, const object::MessageDesc* to);
  bool wants() const { return !wanted_.empty(); }
  // Asks for all that is wanted. The error is that of the conversion.
  Task<Result<void>> Fetch();

 private:
  struct Conversion {
    SharedBytes from;
    const object::MessageDesc* to;
    Result<SharedBytes> made = SharedBytes();
  };

  ObjectConverter& converter_;
  const ObjectConverter::Post post_;
  std::vector<Conversion> known_;
  std::vector<Conversion> wanted_;
};

}  // namespace skiff::apiserver
