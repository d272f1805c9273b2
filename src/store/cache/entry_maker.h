// Makes the cache's entries of the store's: the key without the resource's prefix, and the facts
// read from the bytes.
//
// An object whose bytes cannot be read is kept all the same, without labels and fields, so that it
// can be got, watched and deleted; only selectors do not find it.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/cache/entry.h"
#include "store/cache/object_facts.h"
#include "store/cache/selection.h"
#include "store/store.h"

namespace skiff {

class EntryMaker {
 public:
  EntryMaker(std::string prefix, std::shared_ptr<const FactsReader> facts, SymbolTable* symbols)
      : prefix_(std::move(prefix)),
        reader_(std::move(facts)),
        symbols_(symbols),
        no_fields_(reader_->fields().size()) {}

  EntryRef Make(const KeyValue& stored) {
    const std::string_view key = KeyOf(stored);
    if (!reader_->Read(stored.value.view(), facts_)) {
      ++unreadable_;
      return CacheEntry::Make(key, stored.mod_revision, stored.value, LabelSet(), no_fields_);
    }
    return CacheEntry::Make(key, stored.mod_revision, stored.value,
                            LabelSet(*symbols_, facts_.labels), facts_.fields);
  }
  std::string_view KeyOf(const KeyValue& stored) const {
    return std::string_view(stored.key).substr(prefix_.size());
  }
  const std::string& prefix() const { return prefix_; }
  uint64_t unreadable() const { return unreadable_; }

 private:
  const std::string prefix_;
  const std::shared_ptr<const FactsReader> reader_;
  SymbolTable* const symbols_;
  const std::vector<std::string_view> no_fields_;
  ObjectFacts facts_;
  uint64_t unreadable_ = 0;
};

}  // namespace skiff
