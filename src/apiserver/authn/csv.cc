#include "apiserver/authn/csv.h"

#include <algorithm>

namespace skiff::apiserver {
namespace {

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text) {}

  // False at the end of the text.
  Result<bool> ReadRecord(std::vector<std::string>& record) {
    do {
      if (!NextLine()) return false;
    } while (line_.empty());
    do {
      SKIFF_ASSIGN_OR_RETURN(std::string field, ReadField());
      record.push_back(std::move(field));
    } while (TakeComma());
    return true;
  }

 private:
  // Moves to the next line, which is without its end; false at the end of the text.
  bool NextLine() {
    if (rest_.empty()) return false;
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    at_ = 0;
    ++number_;
    return true;
  }

  bool TakeComma() {
    if (at_ >= line_.size()) return false;
    ++at_;  // a field ends at nothing else
    return true;
  }

  Result<std::string> ReadField() {
    if (at_ < line_.size() && line_[at_] == '"') return ReadQuoted();
    const size_t end = std::min(line_.find(',', at_), line_.size());
    const std::string_view field = line_.substr(at_, end - at_);
    if (const size_t quote = field.find('"'); quote != field.npos) {
      return FailAt(at_ + quote, "bare \" in non-quoted field");
    }
    at_ = end;
    return std::string(field);
  }

  Result<std::string> ReadQuoted() {
    std::string field;
    ++at_;
    while (true) {
      const size_t quote = line_.find('"', at_);
      if (quote == line_.npos) {
        field += line_.substr(at_);
        field += '\n';
        const size_t end = line_.size();
        if (!NextLine()) return FailAt(end, "extraneous or missing \" in quoted-field");
        continue;
      }
      field += line_.substr(at_, quote - at_);
      at_ = quote + 1;
      if (at_ == line_.size() || line_[at_] == ',') return field;
      if (line_[at_] != '"') return FailAt(quote, "extraneous or missing \" in quoted-field");
      field += '"';
      ++at_;
    }
  }

  std::unexpected<Status> FailAt(size_t byte, std::string_view what) const {
    const uint32_t column = static_cast<uint32_t>(byte) + 1;
    Status status(StatusReason::kBadRequest, std::string(what));
    status.SetPosition({number_, column});
    return std::unexpected(std::move(status));
  }

  std::string_view rest_;
  std::string_view line_;
  size_t at_ = 0;
  uint32_t number_ = 0;
};

}  // namespace

Result<std::vector<std::vector<std::string>>> ParseCsv(std::string_view text) {
  std::vector<std::vector<std::string>> records;
  CsvReader reader(text);
  while (true) {
    std::vector<std::string> record;
    SKIFF_ASSIGN_OR_RETURN(const bool more, reader.ReadRecord(record));
    if (!more) return records;
    records.push_back(std::move(record));
  }
}

}  // namespace skiff::apiserver
