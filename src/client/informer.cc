#include "client/informer.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <tuple>
#include <utility>

#include "base/limits.h"
#include "client/object_index.h"
#include "client/reflector.h"

namespace skiff::client {
namespace {

class SharedInformer final : public Informer, private Reflector::Target {
 public:
  SharedInformer(ClientTransport& transport, const ApiResource& resource, InformerOptions options,
                 Random& random, Log* log)
      : resource_(std::make_shared<const ApiResource>(resource)),
        reflector_(std::in_place, transport, resource_, std::move(options), random, log,
                   static_cast<Reflector::Target&>(*this)) {}

  void Start() {
    if (std::exchange(started_, true)) return;
    reflector_->Start();
  }

  const ApiResource& resource() const override { return *resource_; }
  bool has_handlers() const { return !handlers_.empty(); }

  void AddHandler(InformerHandler* handler) override {
    handlers_.push_back(handler);
    for (const ObjectPtr& object : index_.List({})) handler->OnAdd(object);
  }
  void RemoveHandler(InformerHandler* handler) override { std::erase(handlers_, handler); }
  void AddIndex(std::string name, IndexFunction keys) override {
    index_.AddIndex(std::move(name), std::move(keys));
  }

  bool synced() const override { return synced_; }
  ObjectPtr Find(const ObjectName& name) const override { return index_.Find(name); }
  std::vector<ObjectPtr> List(std::string_view name_space) const override {
    return index_.List(name_space);
  }
  std::vector<ObjectPtr> ByIndex(std::string_view index, std::string_view key) const override {
    return index_.ByIndex(index, key);
  }

 private:
  // What is gone goes first, so that nobody sees more than there ever was.
  void Replace(Reflector::State state) override {
    std::vector<ObjectName> gone;
    for (const auto& [name, object] : index_.objects()) {
      if (!state.contains(name)) gone.push_back(name);
    }
    for (const ObjectName& name : gone) Forget(name, nullptr);
    for (auto& [name, object] : state) Keep(name, std::move(object));
    synced_ = true;
  }
  void Set(ObjectPtr object) override {
    const ObjectName name = NameOf(*object);
    Keep(name, std::move(object));
  }
  void Remove(ObjectPtr last) override { Forget(NameOf(*last), last); }

  void Keep(const ObjectName& name, ObjectPtr object) {
    if (const ObjectPtr known = index_.Find(name);
        known != nullptr && UidOf(*known) == UidOf(*object) &&
        ResourceVersionOf(*known) == ResourceVersionOf(*object)) {
      return;
    }
    const ObjectPtr old = index_.Set(name, object);
    Notify([&](InformerHandler& handler) {
      if (old == nullptr) {
        handler.OnAdd(object);
      } else {
        handler.OnUpdate(old, object);
      }
    });
  }

  // `last` is the state at the deletion, or null when nobody saw it.
  void Forget(const ObjectName& name, const ObjectPtr& last) {
    const ObjectPtr known = index_.Remove(name);
    if (known == nullptr) return;
    Notify([&](InformerHandler& handler) { handler.OnDelete(last != nullptr ? last : known); });
  }

  // Handlers may come and go meanwhile.
  template <typename Call>
  void Notify(Call call) {
    const std::vector<InformerHandler*> handlers = handlers_;
    for (InformerHandler* handler : handlers) {
      if (std::ranges::count(handlers_, handler) != 0) call(*handler);
    }
  }

  const std::shared_ptr<const ApiResource> resource_;
  ObjectIndex index_;
  std::vector<InformerHandler*> handlers_;
  bool started_ = false;
  bool synced_ = false;
  std::optional<Reflector> reflector_;  // last, as it calls the above
};

class SharedInformers final : public InformerSet {
 public:
  SharedInformers(Client client, Random& random, Log* log)
      : client_(std::move(client)), random_(random), log_(log) {}

  Informer& For(const ApiResource& resource, InformerOptions options) override {
    Key key = KeyOf(resource, options);
    std::unique_ptr<SharedInformer>& place = informers_[std::move(key)];
    assert(informers_.size() <= limits::kMaxInformers);
    if (place == nullptr) {
      place = std::make_unique<SharedInformer>(client_.transport(), resource, std::move(options),
                                               random_, log_);
    }
    return *place;
  }
  void Drop(Informer& informer) override {
    std::erase_if(informers_, [&](const auto& each) {
      return each.second.get() == &informer && !each.second->has_handlers();
    });
  }
  void Start() override {
    for (const auto& [key, informer] : informers_) informer->Start();
  }
  bool synced() const override {
    return std::ranges::all_of(informers_, [](const auto& each) { return each.second->synced(); });
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string, bool, std::string, std::string>;
  static Key KeyOf(const ApiResource& resource, const InformerOptions& options) {
    return {resource.group,        resource.version,       resource.name,
            options.metadata_only, options.label_selector, options.field_selector};
  }

  Client client_;
  Random& random_;
  Log* const log_;
  std::map<Key, std::unique_ptr<SharedInformer>> informers_;
};

}  // namespace

std::unique_ptr<InformerSet> MakeInformerSet(Client client, Random& random, Log* log) {
  return std::make_unique<SharedInformers>(std::move(client), random, log);
}

}  // namespace skiff::client
