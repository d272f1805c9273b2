#include "apiserver/convert/object_converter.h"

#include <algorithm>

#include "base/any_thread_callback.h"
#include "base/limits.h"
#include "base/maybe_task.h"
#include "object/json/decode.h"
#include "object/json/encode.h"

namespace skiff::apiserver {
namespace {

Result<object::Document> Decode(const SharedBytes& json, const object::MessageDesc* type) {
  object::DecodeOptions options;
  options.max_bytes = limits::kMaxCountedBytes;
  return object::DecodeJson(json.view(), type, options);
}

}  // namespace

bool IsInVersion(std::string_view json, const object::MessageDesc& version) {
  const Result<object::TypeMeta> meta = object::PeekTypeMeta(json);
  return meta && meta->api_version == version.group_version->api_version;
}

Task<Result<object::Document>> ConvertAwaited(ObjectConverter& converter,
                                              ObjectConverter::Post post,
                                              const object::Document& object,
                                              const object::MessageDesc* to) {
  ObjectConverter::Objects objects = {SharedBytes(object::EncodeJson(object.root()))};
  FromAnyThread<Result<ObjectConverter::Objects>> converted([&](ObjectConverter::Done done) {
    converter.Convert(std::move(objects), *to, ObjectConverter::Memory::kIsNotAsked,
                      std::move(post), std::move(done));
  });
  const Result<ObjectConverter::Objects> made = co_await converted;
  if (!made) co_return std::unexpected(made.error());
  co_return Decode(made->front(), to);
}

Result<object::Document> RememberedConversions::Convert(const object::Document& object,
                                                        const object::MessageDesc* to) {
  SharedBytes json(object::EncodeJson(object.root()));
  const auto is_this = [&](const Conversion& each) { return each.to == to && each.from == json; };
  const auto found = std::ranges::find_if(known_, is_this);
  if (found != known_.end()) {
    if (!found->made) return std::unexpected(found->made.error());
    return Decode(*found->made, to);
  }
  if (std::ranges::none_of(wanted_, is_this)) wanted_.push_back({std::move(json), to});
  return Fail(StatusReason::kInternalError, "the object has not been converted yet");
}

Task<Result<void>> RememberedConversions::Fetch() {
  Result<void> out;
  while (!wanted_.empty()) {
    // Those of one version in one call.
    std::vector<Conversion> group;
    const object::MessageDesc* const to = wanted_.front().to;
    std::erase_if(wanted_, [&](const Conversion& each) {
      if (each.to != to) return false;
      group.push_back(each);
      return true;
    });
    ObjectConverter::Objects objects;
    for (const Conversion& each : group) objects.push_back(each.from);
    FromAnyThread<Result<ObjectConverter::Objects>> converted([&](ObjectConverter::Done done) {
      converter_.Convert(std::move(objects), *to, ObjectConverter::Memory::kAnswers, post_,
                         std::move(done));
    });
    const Result<ObjectConverter::Objects> made = co_await converted;
    if (!made && out) out = std::unexpected(made.error());
    for (size_t i = 0; i < group.size(); ++i) {
      if (made) {
        group[i].made = (*made)[i];
      } else {
        group[i].made = std::unexpected(made.error());
      }
      known_.push_back(std::move(group[i]));
    }
  }
  co_return out;
}

}  // namespace skiff::apiserver
