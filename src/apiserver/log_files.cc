#include "apiserver/log_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/hex.h"
#include "base/html.h"
#include "base/limits.h"
#include "serving/request/respond.h"

namespace skiff::apiserver {
namespace {

constexpr std::string_view kRoot = "/logs";

// The file below `root`; on failure errno says why.
net::UniqueFd OpenBelow(const std::string& root, const std::string& path) {
  const net::UniqueFd folder(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) return net::UniqueFd();
  open_how how = {};
  // A pipe that nobody writes to must not keep us waiting.
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const std::string relative = path.empty() ? "." : path;
  return net::UniqueFd(
      static_cast<int>(syscall(SYS_openat2, folder.get(), relative.c_str(), &how, sizeof(how))));
}

// Bytes of a file, as many as it had when it was opened: a log may grow for ever.
class FileSource final : public net::BodySource {
 public:
  FileSource(net::UniqueFd file, uint64_t size) : file_(std::move(file)), left_(size) {}

  Result<State> Read(ByteBuffer& out, size_t room) override {
    std::array<char, limits::kLogPieceBytes> piece;
    const size_t wanted = std::min({room, piece.size(), static_cast<size_t>(left_)});
    if (wanted == 0) return left_ == 0 ? State::kEnd : State::kMore;
    const ssize_t got = read(file_.get(), piece.data(), wanted);
    if (got < 0) return Fail(StatusReason::kInternalError, "the file cannot be read");
    out.Append(std::string_view(piece.data(), static_cast<size_t>(got)));
    left_ -= static_cast<uint64_t>(got);
    return got == 0 || left_ == 0 ? State::kEnd : State::kMore;
  }

 private:
  net::UniqueFd file_;
  uint64_t left_;
};

std::string EscapedForUrl(std::string_view name) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~$&+=@/";
  std::string out;
  for (const char c : name) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      (out += '%') += HexByte(c, HexCase::kUpper);
    }
  }
  return out;
}

std::string ListingOf(const net::UniqueFd& folder) {
  const int copy = fcntl(folder.get(), F_DUPFD_CLOEXEC, 0);  // which closedir() closes
  DIR* open_folder = copy < 0 ? nullptr : fdopendir(copy);
  if (open_folder == nullptr) return {};
  std::vector<std::string> names;
  while (const dirent* entry = readdir(open_folder)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || names.size() == limits::kMaxLogEntries) continue;
    names.push_back(std::string(name) + (entry->d_type == DT_DIR ? "/" : ""));
  }
  closedir(open_folder);
  std::ranges::sort(names);
  std::string out = "<pre>\n";
  for (const std::string& name : names) {
    out +=
        "<a href=\"" + EscapedForUrl(name) + "\">" + EscapeHtml(name, /*quotes=*/true) + "</a>\n";
  }
  return out + "</pre>\n";
}

void Redirect(serving::ApiRequest& request, std::string to) {
  net::HttpHeaders extra;
  extra.Add("location", std::move(to));
  serving::RespondBytes(request, 301, "", SharedBytes(""), std::move(extra));
}

std::string_view LastPart(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

// Text, unless it begins with what no text has.
std::string_view ContentTypeOf(int file) {
  std::array<char, 512> beginning;
  const ssize_t got = pread(file, beginning.data(), beginning.size(), 0);
  const std::string_view text(beginning.data(), got > 0 ? static_cast<size_t>(got) : 0);
  return text.find('\0') == std::string_view::npos ? "text/plain; charset=utf-8"
                                                   : "application/octet-stream";
}

void AnswerFailure(serving::ApiRequest& request, int error) {
  if (error != EACCES && error != EPERM) return serving::RespondUnknownPath(request);
  net::HttpHeaders extra;
  extra.Add("x-content-type-options", "nosniff");
  serving::RespondBytes(request, 403, "text/plain; charset=utf-8", SharedBytes("403 Forbidden\n"),
                        std::move(extra));
}

}  // namespace

bool LogFiles::Answer(serving::ApiRequest& request) const {
  const std::string_view path = request.info.path;
  if (request.info.is_resource || !path.starts_with(kRoot)) return false;
  std::string_view below = path.substr(kRoot.size());
  if (!below.empty() && below[0] != '/') return false;
  if (request.http.method != "GET") {
    serving::RespondText(request, 405, "405: Method Not Allowed");
    return true;
  }
  while (below.starts_with('/')) below.remove_prefix(1);
  const bool names_folder = path.ends_with('/');
  net::UniqueFd file = OpenBelow(root_, std::string(below));
  struct stat about = {};
  if (file.get() < 0 || fstat(file.get(), &about) != 0) {
    AnswerFailure(request, errno);
  } else if (S_ISDIR(about.st_mode)) {
    if (!names_folder) {
      Redirect(request, std::string(LastPart(path)) + "/");
    } else {
      serving::RespondBytes(request, 200, "text/html; charset=utf-8", SharedBytes(ListingOf(file)));
    }
  } else if (!S_ISREG(about.st_mode)) {
    serving::RespondUnknownPath(request);
  } else if (names_folder) {
    Redirect(request, "../" + std::string(LastPart(path)));
  } else {
    const std::string_view type = ContentTypeOf(file.get());
    serving::RespondStream(
        request, 200, type, serving::StreamSize::kLarge,
        std::make_unique<FileSource>(std::move(file), static_cast<uint64_t>(about.st_size)));
  }
  return true;
}

}  // namespace skiff::apiserver
