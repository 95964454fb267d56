#include "kernels/base/parallel_in_order.h"

#include <atomic>
#include <cstdint>
#include <memory>

#include "kernels/base/thread_pool.h"

namespace llm_host {
namespace {

// Indices [begin, end) that nobody has taken.
class Part {
 public:
  void set(int begin, int end) { range_.store(both(begin, end), std::memory_order_relaxed); }

  // -1 if none is left.
  int take_first() {
    return take([](uint32_t& begin, uint32_t&) { return begin++; });
  }
  int take_last() {
    return take([](uint32_t&, uint32_t& end) { return --end; });
  }

 private:
  static uint64_t both(uint32_t begin, uint32_t end) { return uint64_t{begin} << 32 | end; }

  template <typename F>
  int take(F&& from) {
    uint64_t range = range_.load(std::memory_order_relaxed);
    for (;;) {
      auto begin = static_cast<uint32_t>(range >> 32), end = static_cast<uint32_t>(range);
      if (begin >= end) return -1;
      auto taken = static_cast<int>(from(begin, end));
      // Relaxed: an index tells nothing about memory, and parallel_for orders the bodies.
      if (range_.compare_exchange_weak(range, both(begin, end), std::memory_order_relaxed)) {
        return taken;
      }
    }
  }

  // A cache line each: a thread takes from its own thousands of times before it looks at another.
  alignas(64) std::atomic<uint64_t> range_{0};
};

}  // namespace

void parallel_in_order(int count, const std::function<void(int)>& body) {
  int threads = thread_count();
  static thread_local auto own_parts = std::make_unique<Part[]>(static_cast<size_t>(threads));
  Part* parts = own_parts.get();
  for (int64_t i = 0; i < threads; ++i) {
    parts[i].set(static_cast<int>(i * count / threads),
                 static_cast<int>((i + 1) * count / threads));
  }
  parallel_for(threads, [&](int own) {
    for (int i; (i = parts[own].take_first()) >= 0;) body(i);
    for (int other = 1; other < threads; ++other) {
      Part& part = parts[(own + other) % threads];
      for (int i; (i = part.take_last()) >= 0;) body(i);
    }
  });
}

}  // namespace llm_host
