#pragma once

#include <type_traits>

namespace llm_host {

// Calls body(context, i) for every i in [0, count) on all cores, and returns when all are done. One
// caller at a time: the CPU stream's thread. Threads start with the first call and live as long as
// the process; between calls they watch for work for a moment, then sleep.
void parallel_for(int count, void (*body)(void* context, int index), void* context);

// The number of threads that share the work, the caller's included: one per physical core, or what
// LLM_HOST_THREADS says.
int thread_count();

template <typename F>
void parallel_for(int count, F&& body) {
  using Body = std::remove_reference_t<F>;
  auto call = [](void* context, int index) { (*static_cast<Body*>(context))(index); };
  parallel_for(count, call, static_cast<void*>(&body));
}

}  // namespace llm_host
