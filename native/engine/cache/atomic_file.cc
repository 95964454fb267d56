#include "engine/cache/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/error.h"

namespace llm_host {

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  // Another model of this process may write the same file, and so may a process that has the same
  // id in a container of its own.
  constexpr int kMostAtOnce = 100;
  for (int i = 0; i < kMostAtOnce; ++i) {
    part_ = path_ + ".part-" + std::to_string(getpid()) + "-" + std::to_string(i);
    // Private: it holds a conversation.
    descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor_ >= 0) return;
    if (errno != EEXIST) break;
  }
  fail();
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(part_.c_str());
}

void AtomicFile::finish(bool durable) {
  if (durable && fsync(descriptor_) != 0) fail();
  if (std::rename(part_.c_str(), path_.c_str()) != 0) fail();
  ::close(descriptor_);
  descriptor_ = -1;
}

size_t AtomicFile::tell() { return static_cast<size_t>(lseek(descriptor_, 0, SEEK_CUR)); }

void AtomicFile::seek(int64_t offset, std::ios_base::seekdir way) {
  int origin = way == std::ios_base::beg   ? SEEK_SET
               : way == std::ios_base::end ? SEEK_END
                                           : SEEK_CUR;
  if (lseek(descriptor_, offset, origin) < 0) fail();
}

void AtomicFile::write(const char* data, size_t size) {
  while (size > 0) {
    ssize_t n = ::write(descriptor_, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail();
    data += n;
    size -= static_cast<size_t>(n);
  }
}

void AtomicFile::fail() const {
  throw Error(kCache, path_ + ": cannot be written: " + std::strerror(errno));
}

}  // namespace llm_host
