#include "weights/files/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/error.h"

namespace llm_host {
namespace {

// Small enough to cancel a load soon, large enough to keep reads cheap.
constexpr uint64_t kReadChunk = 8 << 20;

}  // namespace

File::File(std::string path) : path_(std::move(path)) {
  // O_NONBLOCK: if it is a pipe, opening must not wait for a writer.
  descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) throw Error(kModelBroken, path_ + ": cannot open: " + std::strerror(errno));
  struct stat status;
  if (fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor_);
    throw Error(kModelBroken, path_ + ": is not a regular file");
  }
  size_ = static_cast<uint64_t>(status.st_size);
}

File::File(File&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_) {}

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

void File::check_range(uint64_t bytes, uint64_t offset, const std::string& what) const {
  if (offset <= size_ && bytes <= size_ - offset) return;
  throw Error(kModelBroken, path_ + ": " + what + " ends at byte " +
                                std::to_string(offset + bytes) + ", the file has only " +
                                std::to_string(size_) + " (an incomplete download?)");
}

void File::read(void* data, uint64_t bytes, uint64_t offset, const std::string& what,
                const std::function<void(uint64_t)>& on_chunk) const {
  check_range(bytes, offset, what);
  uint64_t done = 0;
  while (done < bytes) {
    ssize_t n = pread(descriptor_, static_cast<char*>(data) + done,
                      std::min(kReadChunk, bytes - done), static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw Error(kModelBroken, path_ + ": reading " + what + ": " + std::strerror(errno));
    if (n == 0) {
      throw Error(kModelBroken, path_ + ": ended while reading " + what + " (was it cut short?)");
    }
    done += static_cast<uint64_t>(n);
    on_chunk(static_cast<uint64_t>(n));
  }
}

}  // namespace llm_host
