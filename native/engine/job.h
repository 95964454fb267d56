#pragma once

#include <cstdint>
#include <functional>

#include "engine/event_queue.h"
#include "engine/request.h"

namespace llm_host {

// One generation: its request and the queue of its events.
struct Job {
  static constexpr size_t kEventCapacity = 256;

  Job(int64_t id, int64_t model, Request request, std::function<void(bool)> on_ready)
      : id(id),
        model(model),
        request(std::move(request)),
        events(kEventCapacity, std::move(on_ready)) {}

  const int64_t id;
  const int64_t model;
  const Request request;
  EventQueue events;
};

}  // namespace llm_host
