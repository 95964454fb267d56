#include "engine/job/event_queue.h"

#include <iterator>
#include <utility>

namespace llm_host {

EventQueue::EventQueue(size_t capacity, std::function<void(bool)> on_ready,
                       std::function<void()> on_room)
    : capacity_(capacity), on_ready_(std::move(on_ready)), on_room_(std::move(on_room)) {}

bool EventQueue::has_room() const {
  std::lock_guard lock(mutex_);
  return events_.size() < capacity_;
}

bool EventQueue::push(Event event) {
  bool was_empty;
  {
    std::lock_guard lock(mutex_);
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
  if (taken.size() >= capacity_) on_room_();
  return taken;
}

void EventQueue::cancel() {
  cancelled_ = true;
  on_room_();
}

bool EventQueue::drained() const {
  std::lock_guard lock(mutex_);
  return finished_ && events_.empty();
}

}  // namespace llm_host
