#include "kernels/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>

namespace llm_host {
namespace {

constexpr int kMaxThreads = 64;
// About 50 µs: within a step, the next operation arrives sooner than a sleeping thread can wake.
constexpr int kSpins = 2000;

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

int choose_thread_count() {
  if (const char* text = std::getenv("LLM_HOST_THREADS")) {
    int wanted = std::atoi(text);
    if (wanted >= 1) return std::min(wanted, kMaxThreads);
  }
  int count = static_cast<int>(std::thread::hardware_concurrency());
  // Two hardware threads share one core's vector units, so a second one only slows the first.
  int smt = 0;
  if (std::ifstream("/sys/devices/system/cpu/smt/active") >> smt && smt == 1) count /= 2;
  return std::clamp(count, 1, kMaxThreads);
}

// Distributes the indices of one call at a time. `state` holds the call's number in its upper 32
// bits and the next index in its lower ones, so that a late thread cannot take an index of a later
// call.
class Pool {
 public:
  void run(int count, void (*body)(void*, int), void* context) {
    if (count <= 0) return;
    std::lock_guard turn(callers_);
    start_threads();
    uint32_t last = call_of(state_.load(std::memory_order_relaxed));
    // Wraps around after 2^32 calls, which a busy process makes within a day.
    uint32_t call = last + 1;
    // Close the last call first: a thread still in it must not see the fields below change.
    state_.store(uint64_t{last} << 32 | kClosed, std::memory_order_seq_cst);
    body_.store(body, std::memory_order_release);
    context_.store(context, std::memory_order_release);
    count_.store(static_cast<uint32_t>(count), std::memory_order_release);
    done_.store(0, std::memory_order_relaxed);
    {
      std::lock_guard lock(mutex_);
      state_.store(uint64_t{call} << 32, std::memory_order_seq_cst);
    }
    if (sleepers_.load(std::memory_order_seq_cst) > 0) wake_.notify_all();
    work(call);
    for (int spins = 0; done_.load(std::memory_order_acquire) < count; ++spins) {
      if (spins < kSpins) {
        pause_cpu();
      } else {
        std::this_thread::yield();
      }
    }
  }

 private:
  static constexpr uint64_t kClosed = 0xffffffff;

  static uint32_t call_of(uint64_t state) { return static_cast<uint32_t>(state >> 32); }

  void start_threads() {
    if (started_) return;
    started_ = true;
    try {
      for (int i = 1; i < thread_count(); ++i) std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
      // The system refuses more threads: those that started, or the caller alone, do all the work.
    }
  }

  void work(uint32_t call) {
    for (;;) {
      uint64_t state = state_.load(std::memory_order_acquire);
      uint32_t index = static_cast<uint32_t>(state);
      if (call_of(state) != call || index >= count_.load(std::memory_order_acquire)) return;
      auto body = body_.load(std::memory_order_acquire);
      void* context = context_.load(std::memory_order_acquire);
      if (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel)) continue;
      body(context, static_cast<int>(index));
      done_.fetch_add(1, std::memory_order_acq_rel);
    }
  }

  void serve() {
    uint32_t seen = 0;
    for (;;) {
      uint32_t call = next_call(seen);
      work(call);
      seen = call;
    }
  }

  uint32_t next_call(uint32_t seen) {
    for (int spins = 0; spins < kSpins; ++spins) {
      uint32_t call = call_of(state_.load(std::memory_order_acquire));
      if (call != seen) return call;
      pause_cpu();
    }
    std::unique_lock lock(mutex_);
    sleepers_.fetch_add(1, std::memory_order_seq_cst);
    wake_.wait(lock, [&] { return call_of(state_.load(std::memory_order_seq_cst)) != seen; });
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    return call_of(state_.load(std::memory_order_acquire));
  }

  std::atomic<uint64_t> state_{0};
  std::atomic<int> done_{0};
  std::atomic<uint32_t> count_{0};
  std::atomic<void (*)(void*, int)> body_{nullptr};
  std::atomic<void*> context_{nullptr};
  std::atomic<int> sleepers_{0};
  std::mutex callers_, mutex_;
  std::condition_variable wake_;
  bool started_ = false;
};

}  // namespace

int thread_count() {
  static const int count = choose_thread_count();
  return count;
}

void parallel_for(int count, void (*body)(void*, int), void* context) {
  // Never destroyed: its threads outlive main.
  static Pool* pool = new Pool;
  pool->run(count, body, context);
}

}  // namespace llm_host
