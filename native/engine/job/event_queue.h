#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "engine/job/events.h"

namespace llm_host {

// The events of one job, from the model thread to the JS thread. Writing never waits: the writer
// asks `has_room` first, and lets a job with a full queue rest until `on_room`.
class EventQueue {
 public:
  // Calls `on_ready(false)` on the writer's thread when an empty queue gets an event, and
  // `on_ready(true)` after the last one. Calls `on_room` on the reader's thread when a full queue
  // was emptied, and after `cancel`.
  EventQueue(
      size_t capacity, std::function<void(bool finished)> on_ready,
      std::function<void()> on_room = [] {});

  bool has_room() const;
  // Returns false, and drops the event, if the job was cancelled.
  bool push(Event event);
  // Adds the last event; nothing may follow.
  void finish(Event event);
  std::vector<Event> take();
  // From now on `push` refuses. Any thread, any number of times.
  void cancel();

  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // True once the last event has been taken.
  bool drained() const;

 private:
  const size_t capacity_;
  const std::function<void(bool)> on_ready_;
  const std::function<void()> on_room_;
  mutable std::mutex mutex_;
  std::deque<Event> events_;
  std::atomic<bool> cancelled_{false};
  bool finished_ = false;
};

}  // namespace llm_host
