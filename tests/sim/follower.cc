#include "tests/sim/follower.h"

#include <charconv>
#include <utility>

#include "tests/sim/actor.h"

namespace skiff::sim {
namespace {

int64_t RevisionOf(const object::Document& object) {
  const std::string_view text = client::ResourceVersionOf(object);
  int64_t out = -1;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

}  // namespace

// Its own copy of the state, from what it is told alone.
class Follower::Checker final : public client::InformerHandler {
 public:
  Checker(Follower& owner, client::Informer& informer) : owner_(owner), informer_(informer) {
    informer.AddHandler(this);
  }

  void OnAdd(const client::ObjectPtr& object) override {
    if (IsDeaf()) return;
    const std::string key = KeyOf(*object);
    if (seen_.contains(key)) Fault(key, "was added though it is there");
    Take(key, *object);
  }
  void OnUpdate(const client::ObjectPtr& old, const client::ObjectPtr& object) override {
    if (IsDeaf()) return;
    const std::string key = KeyOf(*object);
    const auto at = seen_.find(key);
    if (at == seen_.end()) return Fault(key, "was changed though it is not there");
    if (RevisionOf(*old) != at->second) Fault(key, "was changed from a state that was not told");
    if (RevisionOf(*object) < at->second) Fault(key, "came in an older state after a newer one");
    Take(key, *object);
  }
  void OnDelete(const client::ObjectPtr& last) override {
    if (IsDeaf()) return;
    const std::string key = KeyOf(*last);
    if (seen_.erase(key) == 0) Fault(key, "was deleted though it is not there");
  }

  std::string Difference() const {
    if (!informer_.synced())
      return "the informer of " + informer_.resource().name + " is not synced";
    std::map<std::string, int64_t> held;
    for (const client::ObjectPtr& object : informer_.List())
      held[KeyOf(*object)] = RevisionOf(*object);
    if (held != seen_) {
      return "what the informer of " + informer_.resource().name + " holds is not what it told";
    }
    const std::string prefix = StoredKey(informer_.resource(), {"", ""});
    std::map<std::string, int64_t> stored;
    const auto& objects = owner_.cluster_.ledger().objects();
    for (auto at = objects.lower_bound(prefix);
         at != objects.end() && at->first.starts_with(prefix); ++at) {
      stored[at->first] = at->second->revision;
    }
    for (const auto& [key, revision] : stored) {
      const auto at = held.find(key);
      if (at == held.end()) return "an informer misses " + key;
      if (at->second != revision) return "an informer has an old state of " + key;
    }
    for (const auto& [key, revision] : held) {
      if (!stored.contains(key)) return "an informer has " + key + ", which is gone";
    }
    return "";
  }

 private:
  bool IsDeaf() const {
    return owner_.deaf_one_in_ != 0 && owner_.process_->random.Uniform(owner_.deaf_one_in_) == 0;
  }
  std::string KeyOf(const object::Document& object) const {
    return StoredKey(informer_.resource(), client::NameOf(object));
  }
  void Take(const std::string& key, const object::Document& object) {
    const int64_t revision = RevisionOf(object);
    Ledger& ledger = owner_.cluster_.ledger();
    ledger.CatchUp();
    const RecordedPtr then = ledger.At(key, revision);
    if (then == nullptr || then->revision != revision) Fault(key, "never was as it was told");
    seen_[key] = revision;
  }
  void Fault(const std::string& key, const std::string& what) const {
    owner_.cluster_.Fail("informer of " + owner_.name_ + ": " + key + " " + what);
  }

  Follower& owner_;
  client::Informer& informer_;
  std::map<std::string, int64_t> seen_;
};

Follower::Follower(Cluster& cluster, const std::string& name) : cluster_(cluster), name_(name) {}

Follower::~Follower() {
  if (up()) Crash();
}

void Follower::Start() {
  process_ = std::make_unique<SimProcess>(
      cluster_, name_, DeriveSeed(cluster_.seed(), name_ + "/" + std::to_string(lives_++)));
  transport_ = cluster_.network().MakeTransport(name_, Admin(), process_->executor);
  informers_ = client::MakeInformerSet(client::Client(*transport_, name_), process_->random);
  const client::InformerOptions options{.metadata_only = lives_ % 2 == 0};
  for (const client::ApiResource* resource : WorkKinds()) {
    checkers_.push_back(std::make_unique<Checker>(*this, informers_->For(*resource, options)));
  }
  checkers_.push_back(
      std::make_unique<Checker>(*this, informers_->For(client::BuiltIn("", "v1", "namespaces"))));
  process_->executor.Post([this] { informers_->Start(); });
}

void Follower::Crash() {
  transport_->Close();
  informers_.reset();
  checkers_.clear();
  transport_.reset();
  process_.reset();
}

std::string Follower::Difference() const {
  if (!up()) return name_ + " is down";
  for (const auto& checker : checkers_) {
    const std::string difference = checker->Difference();
    if (!difference.empty()) return name_ + ": " + difference;
  }
  return "";
}

}  // namespace skiff::sim
