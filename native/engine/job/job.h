#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>

#include "engine/job/event_queue.h"
#include "engine/job/request.h"

namespace llm_host {

// One generation: its request and the queue of its events.
struct Job {
  static constexpr size_t kEventCapacity = 256;

  // `shared`: other processes run it too, in step, so that it cannot rest for a slow reader.
  Job(
      int64_t id, int64_t model, Request request, std::function<void(bool)> on_ready,
      std::function<void()> on_room = [] {}, bool shared = false)
      : id(id),
        model(model),
        request(std::move(request)),
        shared(shared),
        events(shared ? std::numeric_limits<size_t>::max() : kEventCapacity, std::move(on_ready),
               std::move(on_room)) {}

  // Any thread. All processes end a shared job in the same turn: see Decisions.
  void cancel() {
    cancel_asked = true;
    if (!shared) events.cancel();
  }

  const int64_t id;
  const int64_t model;
  const Request request;
  const bool shared;
  std::atomic<bool> cancel_asked{false};
  std::atomic<bool> over{false};  // its last event is out
  EventQueue events;
};

}  // namespace llm_host
