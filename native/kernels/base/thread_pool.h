#pragma once

#include <type_traits>

namespace llm_host {

// Calls body(context, i) for every i in [0, count) on all threads, and returns when all are done.
// If two threads call it, such as MLX's CPU stream and one that packs the weights of another model,
// the second one waits; a body must not call it. The pool's threads start with the first call and
// live as long as the process; between calls they spin briefly, then sleep.
void parallel_for(int count, void (*body)(void* context, int index), void* context);

// Threads that share the work, the caller included: one per physical core, or LLM_HOST_THREADS.
int thread_count();

template <typename F>
void parallel_for(int count, F&& body) {
  using Body = std::remove_reference_t<F>;
  auto call = [](void* context, int index) { (*static_cast<Body*>(context))(index); };
  parallel_for(count, call, static_cast<void*>(&body));
}

}  // namespace llm_host
