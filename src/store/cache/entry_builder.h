// Makes the cache's entries of the store's: the key without the resource's prefix, the object as it
// is served (stored_form.h), and the facts read from its bytes. An object that cannot be read has
// neither labels nor fields.
//
// Threads: one at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "store/cache/entry.h"
#include "store/cache/object_facts.h"
#include "store/cache/piece_pool.h"
#include "store/cache/selection.h"
#include "store/store.h"

namespace skiff::store {

class EntryBuilder {
 public:
  // `read` may be null: objects are served as they are stored.
  EntryBuilder(std::string prefix, ReadStored read, std::shared_ptr<const FactsReader> facts,
               object::SymbolTable* symbols)
      : prefix_(std::move(prefix)),
        read_(std::move(read)),
        reader_(std::move(facts)),
        symbols_(symbols),
        no_fields_(reader_->fields().size()) {}

  EntryRef Make(const KeyValue& stored) {
    const std::string_view key = KeyOf(stored);
    const Result<SharedBytes> served = read_ ? read_(stored.value) : stored.value;
    if (!served) return Unreadable(stored, served.error());
    // The facts may lie in the bytes, and so they are read from those that are kept.
    const PiecePool::Cut kept = pool_.Take(*served);
    if (const auto read = reader_->Read(kept.bytes.view(), facts_); !read)
      return Unreadable(stored, read.error());
    return CacheEntry::Make(
        key, stored.mod_revision, kept.bytes, object::LabelSet(*symbols_, facts_.labels),
        facts_.fields,
        served->SharesWith(stored.value) ? StoredForm::kComplete : StoredForm::kCompleted,
        kept.pieces);
  }
  std::string_view KeyOf(const KeyValue& stored) const {
    return std::string_view(stored.key).substr(prefix_.size());
  }
  const std::string& prefix() const { return prefix_; }

 private:
  EntryRef Unreadable(const KeyValue& stored, const Status& why) const {
    return CacheEntry::Make(KeyOf(stored), stored.mod_revision, SharedBytes(why.ToString()),
                            object::LabelSet(), no_fields_, StoredForm::kUnreadable);
  }

  const std::string prefix_;
  const ReadStored read_;
  const std::shared_ptr<const FactsReader> reader_;
  object::SymbolTable* const symbols_;
  const std::vector<std::string_view> no_fields_;
  ObjectFacts facts_;
  PiecePool pool_;
};

}  // namespace skiff::store
