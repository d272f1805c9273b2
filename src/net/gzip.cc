#include "net/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/limits.h"

namespace skiff::net {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib's way of asking for the gzip format
constexpr int kMemoryLevel = 8;
// What is asked of the inner source at once, and how often in one Read(): what compresses well
// would else keep the loop for long before there is enough of it.
constexpr size_t kInnerBytes = 64 * 1024;
// What zlib takes for one stream at its default settings.
constexpr size_t kDeflaterBytes = 268 * 1024;
constexpr int kInnerReads = 4;
// Compressors that a thread keeps for the next body, of about 256 KB each.
constexpr size_t kKeptDeflaters = 2;

class Deflater {
 public:
  Deflater() {
    // Fails only without memory, and then so does all else.
    deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY);
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&stream_); }

  void Reset() { deflateReset(&stream_); }

  void Add(std::string_view bytes, int flush, ByteBuffer& out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      const size_t room = deflateBound(&stream_, stream_.avail_in) + 64;
      char* to = out.Reserve(room);
      stream_.next_out = reinterpret_cast<Bytef*>(to);
      stream_.avail_out = static_cast<uInt>(room);
      deflate(&stream_, flush);
      out.CommitTo(to + (room - stream_.avail_out));
    } while (stream_.avail_out == 0);
  }

 private:
  z_stream stream_{};
};

thread_local std::vector<std::unique_ptr<Deflater>> kept_deflaters;

std::unique_ptr<Deflater> TakeDeflater() {
  if (kept_deflaters.empty()) return std::make_unique<Deflater>();
  auto deflater = std::move(kept_deflaters.back());
  kept_deflaters.pop_back();
  deflater->Reset();
  return deflater;
}

void GiveBack(std::unique_ptr<Deflater> deflater) {
  if (deflater != nullptr && kept_deflaters.size() < kKeptDeflaters)
    kept_deflaters.push_back(std::move(deflater));
}

class GzipSource final : public BodySource {
 public:
  explicit GzipSource(std::unique_ptr<BodySource> inner) : inner_(std::move(inner)) {}
  ~GzipSource() override { GiveBack(std::move(deflater_)); }

  void OnStart(std::function<void()> wake) override { inner_->OnStart(std::move(wake)); }
  Duration Deadline() const override { return inner_->Deadline(); }

  Result<State> Read(ByteBuffer& out, size_t room) override {
    if (deflater_ == nullptr) deflater_ = TakeDeflater();
    const size_t enough = out.size() + room;
    for (int i = 0; i < kInnerReads && out.size() < enough; ++i) {
      plain_.Clear();
      SKIFF_ASSIGN_OR_RETURN(const State state, inner_->Read(plain_, kInnerBytes));
      unsent_ |= !plain_.empty();
      const bool ends = state == State::kEnd;
      const bool waits = state == State::kWaiting;
      if (!plain_.empty() || ends || (waits && unsent_))
        deflater_->Add(plain_.view(), ends ? Z_FINISH : waits ? Z_SYNC_FLUSH : Z_NO_FLUSH, out);
      if (waits) {
        unsent_ = false;
        plain_ = ByteBuffer();  // it may wait for long
      }
      if (ends || waits) return state;
      if (plain_.empty()) break;  // it has more, but not now
    }
    if (plain_.size() > kInnerBytes) plain_ = ByteBuffer();
    return State::kMore;
  }
  size_t HeldBytes() const override {
    return inner_->HeldBytes() + (deflater_ != nullptr ? kDeflaterBytes : 0);
  }

 private:
  std::unique_ptr<BodySource> inner_;
  std::unique_ptr<Deflater> deflater_;
  ByteBuffer plain_;
  bool unsent_ = false;
};

}  // namespace

SharedBytes GzipBytes(std::string_view bytes) {
  auto deflater = TakeDeflater();
  ByteBuffer out;
  deflater->Add(bytes, Z_FINISH, out);
  GiveBack(std::move(deflater));
  return SharedBytes(out.view());
}

std::unique_ptr<BodySource> MakeGzipSource(std::unique_ptr<BodySource> inner) {
  return std::make_unique<GzipSource>(std::move(inner));
}

struct GzipReader::State {
  z_stream stream{};
  std::vector<char> out = std::vector<char>(limits::kInflateBytes);
};

GzipReader::GzipReader() : state_(std::make_unique<State>()) {
  inflateInit2(&state_->stream, kGzipWindow);
}

GzipReader::~GzipReader() { inflateEnd(&state_->stream); }

Result<void> GzipReader::Add(std::string_view bytes,
                             const std::function<bool(std::string_view)>& take) {
  z_stream& stream = state_->stream;
  std::vector<char>& out = state_->out;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  bool is_full = false;
  while (stream.avail_in > 0 || is_full) {
    // What follows an end is another member of the same whole.
    if (std::exchange(at_end_, false)) inflateReset(&stream);
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int done = inflate(&stream, Z_NO_FLUSH);
    // Full to the brim by chance, it had nothing more to give.
    if (done == Z_BUF_ERROR && stream.avail_in == 0) break;
    if (done != Z_OK && done != Z_STREAM_END)
      return Fail(StatusReason::kInternalError, "what is said to be gzip is not");
    at_end_ = done == Z_STREAM_END;
    is_full = stream.avail_out == 0 && !at_end_;
    const size_t size = out.size() - stream.avail_out;
    if (size > 0 && !take({out.data(), size})) return {};
  }
  return {};
}

Result<std::string> GunzipBytes(std::string_view bytes, size_t max_bytes) {
  GzipReader reader;
  std::string out;
  bool too_large = false;
  const Result<void> read = reader.Add(bytes, [&](std::string_view piece) {
    too_large = piece.size() > max_bytes - out.size();
    if (!too_large) out.append(piece);
    return !too_large;
  });
  if (too_large) {
    return Fail(StatusReason::kRequestEntityTooLarge,
                "it has more than " + std::to_string(max_bytes) + " bytes");
  }
  if (!read || bytes.empty() || !reader.at_end()) return BadRequest("it is not gzip");
  return out;
}

}  // namespace skiff::net
