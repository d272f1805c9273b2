#include "apiserver/authn/token_file.h"

#include <algorithm>

#include "apiserver/authn/csv.h"
#include "base/limits.h"
#include "base/read_file.h"

namespace skiff::apiserver {
namespace {

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const size_t comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    if (comma == text.size()) return parts;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<std::unique_ptr<TokenFile>> TokenFile::Load(const std::string& path) {
  SKIFF_ASSIGN_OR_RETURN(const std::string text, ReadFileUpTo(path, limits::kMaxTokenFileBytes));
  return Parse(text, path);
}

Result<std::unique_ptr<TokenFile>> TokenFile::Parse(std::string_view text,
                                                    const std::string& path) {
  auto records = ParseCsv(text);
  if (!records) {
    const TextPosition at = records.error().position();
    return BadRequest("token file '" + path + "': parse error on line " + std::to_string(at.line) +
                      ", column " + std::to_string(at.column) + ": " + records.error().message());
  }
  std::unique_ptr<TokenFile> file(new TokenFile);
  size_t number = 0;
  for (const auto& record : *records) {
    if (record.size() < 3) {
      return BadRequest("token file '" + path +
                        "' must have at least 3 columns (token, user name, user uid), found " +
                        std::to_string(record.size()));
    }
    const std::string where = "in token file '" + path + "', record " + std::to_string(++number);
    if (record[0].empty()) {
      file->warnings_.push_back("empty token " + where);
      continue;
    }
    serving::UserInfo user;
    user.name = record[1];
    user.uid = record[2];
    if (record.size() >= 4) user.groups = SplitAtCommas(record[3]);
    const bool is_new =
        file->users_.insert_or_assign(crypto::Sha256(record[0]), std::move(user)).second;
    if (!is_new) file->warnings_.push_back("duplicate token " + where);
  }
  return file;
}

void TokenFile::AuthenticateToken(std::string_view token, serving::WantedAudiences audiences,
                                  serving::AuthenticationCallback done) {
  static_cast<void>(audiences);
  const auto found = users_.find(crypto::Sha256(token));
  done(found == users_.end() ? serving::Authentication{}
                             : serving::Authentication::Of(found->second));
}

}  // namespace skiff::apiserver
