#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "engine/job/event_queue.h"
#include "engine/job/request.h"

namespace llm_host {

// One generation: its request and the queue of its events.
struct Job {
  static constexpr size_t kEventCapacity = 256;

  // `shared`: other processes run it too, in step, and the first one decides when it rests.
  Job(
      int64_t id, int64_t model, Request request, std::function<void(bool)> on_ready,
      std::function<void()> on_room = [] {}, bool shared = false)
      : id(id),
        model(model),
        request(std::move(request)),
        shared(shared),
        events(kEventCapacity, std::move(on_ready), std::move(on_room)) {}

  // Whether its reader can take more. For the model thread.
  bool has_room() const { return shared ? !rests : events.has_room(); }

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
  // Set on a shared job in all processes at once, until the first one's reader has caught up.
  std::atomic<bool> rests{false};
  EventQueue events;
};

}  // namespace llm_host
