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
    const Result<SharedBytes> read = Read(stored.value);
    if (!read) {
      return CacheEntry::Make(key, stored.mod_revision, SharedBytes(read.error().ToString()),
                              object::LabelSet(), no_fields_, StoredForm::kUnreadable);
    }
    return CacheEntry::Make(
        key, stored.mod_revision, *read, object::LabelSet(*symbols_, facts_.labels), facts_.fields,
        read->SharesWith(stored.value) ? StoredForm::kComplete : StoredForm::kCompleted);
  }
  std::string_view KeyOf(const KeyValue& stored) const {
    return std::string_view(stored.key).substr(prefix_.size());
  }
  const std::string& prefix() const { return prefix_; }

 private:
  // The object as it is served, and its facts.
  Result<SharedBytes> Read(const SharedBytes& stored) {
    SharedBytes served = stored;
    if (read_) {
      SKIFF_ASSIGN_OR_RETURN(served, read_(stored));
    }
    SKIFF_RETURN_IF_ERROR(reader_->Read(served.view(), facts_));
    return served;
  }

  const std::string prefix_;
  const ReadStored read_;
  const std::shared_ptr<const FactsReader> reader_;
  object::SymbolTable* const symbols_;
  const std::vector<std::string_view> no_fields_;
  ObjectFacts facts_;
};

}  // namespace skiff::store
