#include "common/heap.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace llm_host {
namespace {

// The limits are the process's.
std::mutex& limits() {
  static std::mutex mutex;
  return mutex;
}

// Blocks of this size and more get pages of their own.
void set_own_pages_from(int bytes) {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, bytes);
#endif
}

// The C library sets this itself once a block of 32 MB has been freed.
constexpr int kUsually = 32 << 20;
// A few pages, so that little of the last one is lost.
constexpr int kWhileAsked = 64 << 10;

}  // namespace

void keep_freed_memory() {
  std::lock_guard<std::mutex> alone(limits());
  set_own_pages_from(kUsually);
#if defined(__GLIBC__)
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

OwnPages::OwnPages() : alone_(limits()) { set_own_pages_from(kWhileAsked); }
OwnPages::~OwnPages() { set_own_pages_from(kUsually); }

}  // namespace llm_host
