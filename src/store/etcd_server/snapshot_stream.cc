#include "store/etcd_server/snapshot_stream.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

#include <openssl/evp.h>

#include "base/limits.h"
#include "crypto/openssl.h"
#include "net/unique_fd.h"
#include "store/etcd_server/snapshot.h"

namespace skiff::store {

using etcdserverpb::SnapshotResponse;

namespace {

constexpr int kPiecesAtOnce = 8;

std::atomic<uint64_t> next_file = 0;

}  // namespace

struct SnapshotStream::File {
  File() { EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr); }

  std::atomic<bool> is_ready = false;  // what follows is the call's from then on
  net::UniqueFd fd;
  uint64_t left = 0;
  crypto::openssl::DigestContextPtr hash{EVP_MD_CTX_new()};
};

SnapshotStream::SnapshotStream(EtcdServerCore& core, std::shared_ptr<grpc::GrpcOutput> output)
    : core_(core), output_(std::move(output)), file_(std::make_shared<File>()) {}

void SnapshotStream::OnMessage(std::string_view message) {
  static_cast<void>(message);
  if (std::exchange(is_asked_, true)) return;
  const std::string path = core_.options().scratch_directory + "/snapshot-" +
                           std::to_string(getpid()) + "-" + std::to_string(next_file++);
  const bool taken = core_.jobs().Submit([&core = core_, path, file = file_, output = output_] {
    const Result<uint64_t> size = WriteEtcdSnapshot(core, path);
    net::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    // Once it is open it needs no name.
    unlink(path.c_str());
    if (!size) return output->Finish(FromStore(size.error()));
    if (!fd) return output->Finish({grpc::GrpcCode::kInternal, "etcdserver: the snapshot is gone"});
    file->fd = std::move(fd);
    file->left = *size;
    file->is_ready = true;
    output->Wake();
  });
  if (!taken) output_->Finish(kTooManyRequestsError);
}

void SnapshotStream::OnDrained() {
  if (!file_->is_ready) return;
  for (int i = 0; i < kPiecesAtOnce && file_->fd; ++i) SendPiece();
}

void SnapshotStream::SendPiece() {
  SnapshotResponse response;
  response.set_version(std::string(kEtcdClusterVersion));
  std::string* blob = response.mutable_blob();
  if (file_->left == 0) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_DigestFinal_ex(file_->hash.get(), digest.data(), &size);
    blob->assign(reinterpret_cast<const char*>(digest.data()), size);
    output_->Send(grpc::FrameMessage(response));
    file_->fd.Reset();
    return output_->Finish({});
  }
  blob->resize(std::min<uint64_t>(file_->left, limits::kEtcdServerSnapshotBytes));
  ssize_t got = 0;
  do {
    got = read(file_->fd.get(), blob->data(), blob->size());
  } while (got < 0 && errno == EINTR);
  if (got <= 0) {
    file_->fd.Reset();
    return output_->Finish({grpc::GrpcCode::kInternal, "etcdserver: cannot read the snapshot"});
  }
  blob->resize(static_cast<size_t>(got));
  EVP_DigestUpdate(file_->hash.get(), blob->data(), blob->size());
  file_->left -= static_cast<uint64_t>(got);
  response.set_remaining_bytes(file_->left);
  output_->Send(grpc::FrameMessage(response));
}

}  // namespace skiff::store
