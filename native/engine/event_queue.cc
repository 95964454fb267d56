#include "engine/event_queue.h"

#include <iterator>
#include <utility>

namespace llm_host {

EventQueue::EventQueue(size_t capacity, std::function<void(bool)> on_ready)
    : capacity_(capacity), on_ready_(std::move(on_ready)) {}

bool EventQueue::push(Event event) {
  bool was_empty;
  {
    std::unique_lock lock(mutex_);
    space_.wait(lock, [this] { return events_.size() < capacity_ || cancelled(); });
    if (cancelled()) return false;
    was_empty = events_.empty();
    events_.push_back(std::move(event));
  }
  if (was_empty) on_ready_(false);
  return true;
}

void EventQueue::finish(Event event) {
  {
    std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    finished_ = true;
  }
  on_ready_(true);
}

std::vector<Event> EventQueue::take() {
  std::vector<Event> taken;
  {
    std::lock_guard lock(mutex_);
    taken.assign(std::make_move_iterator(events_.begin()), std::make_move_iterator(events_.end()));
    events_.clear();
  }
  space_.notify_all();
  return taken;
}

void EventQueue::cancel() {
  {
    // Under the lock, or a writer between its test and its wait would miss the wake-up.
    std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  space_.notify_all();
}

bool EventQueue::drained() const {
  std::lock_guard lock(mutex_);
  return finished_ && events_.empty();
}

}  // namespace llm_host
