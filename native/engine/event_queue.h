#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "engine/events.h"

namespace llm_host {

// The events of one job, from the model thread to the JS thread. A full queue blocks the writer
// until the reader takes the events or `cancel` is called; only the last event is always accepted.
class EventQueue {
 public:
  // Calls `on_ready(false)` on the writer's thread when an empty queue gets an event, and
  // `on_ready(true)` after the last one.
  EventQueue(size_t capacity, std::function<void(bool finished)> on_ready);

  // Returns false, and drops the event, if the job was cancelled.
  bool push(Event event);
  // Adds the last event; nothing may follow.
  void finish(Event event);
  std::vector<Event> take();
  // Wakes a waiting writer; from now on `push` refuses. Any thread, any number of times.
  void cancel();

  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
  // True once the last event has been taken.
  bool drained() const;

 private:
  const size_t capacity_;
  const std::function<void(bool)> on_ready_;
  mutable std::mutex mutex_;
  std::condition_variable space_;
  std::deque<Event> events_;
  std::atomic<bool> cancelled_{false};
  bool finished_ = false;
};

}  // namespace llm_host
