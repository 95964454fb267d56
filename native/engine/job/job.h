#pragma once

#include <cstdint>
#include <functional>

#include "engine/job/event_queue.h"
#include "engine/job/request.h"

namespace llm_host {

// One generation: its request and the queue of its events.
struct Job {
  static constexpr size_t kEventCapacity = 256;

  Job(
      int64_t id, int64_t model, Request request, std::function<void(bool)> on_ready,
      std::function<void()> on_room = [] {})
      : id(id),
        model(model),
        request(std::move(request)),
        events(kEventCapacity, std::move(on_ready), std::move(on_room)) {}

  const int64_t id;
  const int64_t model;
  const Request request;
  EventQueue events;
};

}  // namespace llm_host
