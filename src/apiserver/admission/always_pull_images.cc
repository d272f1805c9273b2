// AlwaysPullImages: images are pulled anew for every pod, so that only who may pull an image runs
// it, whatever other pods have left on a node.
#include <vector>

#include "apiserver/admission/plugins.h"
#include "apiserver/admission/request.h"
#include "base/strings.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kAlways = "Always";
constexpr std::string_view kContainerLists[] = {"initContainers", "containers",
                                                "ephemeralContainers"};

std::string_view TextOf(const object::Value& object, std::string_view name) {
  const object::Value* found = object.Find(name);
  return found != nullptr && found->is_string() ? found->AsText() : std::string_view();
}

object::Value* SpecOf(object::Document& pod) { return pod.root().Find("spec"); }

// Calls with each container and its path.
template <typename Call>
void ForEachContainer(object::Document& pod, Call call) {
  object::Value* spec = SpecOf(pod);
  if (spec == nullptr) return;
  for (const std::string_view list : kContainerLists) {
    object::Value* containers = spec->Find(list);
    if (containers == nullptr) continue;
    for (size_t i = 0; i < containers->size(); ++i) {
      call(containers->items()[i], "spec." + std::string(list) + "[" + std::to_string(i) + "]");
    }
  }
}

template <typename Call>
void ForEachImageVolume(object::Document& pod, Call call) {
  object::Value* spec = SpecOf(pod);
  object::Value* volumes = spec != nullptr ? spec->Find("volumes") : nullptr;
  if (volumes == nullptr) return;
  for (size_t i = 0; i < volumes->size(); ++i) {
    object::Value* image = volumes->items()[i].Find("image");
    if (image != nullptr) call(*image, "spec.volumes[" + std::to_string(i) + "].image");
  }
}

bool HasNewImage(const AdmissionRequest& request) {
  std::vector<std::string_view> before;
  ForEachContainer(*request.old, [&](object::Value& each, const auto&) {
    before.push_back(TextOf(each, "image"));
  });
  bool found_new = false;
  ForEachContainer(*request.object, [&](object::Value& each, const auto&) {
    bool known = false;
    for (const std::string_view image : before) known |= image == TextOf(each, "image");
    found_new |= !known;
  });
  return found_new;
}

class AlwaysPullImages final : public AdmissionPlugin {
 public:
  Result<void> Mutate(AdmissionRequest& request) override {
    if (!Concerns(request)) return {};
    Arena& arena = request.object->arena();
    ForEachContainer(*request.object, [&](object::Value& each, const auto&) {
      each.Set(arena, "imagePullPolicy", object::Value::String(kAlways));
    });
    ForEachImageVolume(*request.object, [&](object::Value& image, const auto&) {
      image.Set(arena, "pullPolicy", object::Value::String(kAlways));
    });
    return {};
  }

  Result<void> Validate(AdmissionRequest& request) override {
    if (!Concerns(request)) return {};
    std::string wrong;
    const auto check = [&](const object::Value& object, std::string_view name,
                           const std::string& path) {
      if (!wrong.empty() || TextOf(object, name) == kAlways) return;
      wrong = path + "." + std::string(name) +
              ": Unsupported value: " + InQuotes(TextOf(object, name)) +
              ": supported values: \"Always\"";
    };
    ForEachContainer(*request.object, [&](object::Value& each, const std::string& path) {
      check(each, "imagePullPolicy", path);
    });
    ForEachImageVolume(*request.object, [&](object::Value& image, const std::string& path) {
      check(image, "pullPolicy", path);
    });
    if (!wrong.empty()) return Deny(request, wrong);
    return {};
  }

 private:
  static bool Concerns(const AdmissionRequest& request) {
    return WritesPod(request) && (Creates(request) || HasNewImage(request));
  }
};

}  // namespace

MadePlugin MakeAlwaysPullImages(const PluginContext&, std::string_view) {
  return std::make_unique<AlwaysPullImages>();
}

}  // namespace skiff::apiserver
