#include "engine/job/event_queue.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "check.h"

namespace llm_host::event_queue_test {

static const check::Suite suite("event_queue");
using namespace std::chrono_literals;

namespace {

TokenEvent token(int id) { return {id, std::nullopt}; }

// Waits for a thread to reach a state, long enough for a busy machine.
template <typename F>
bool eventually(F&& condition) {
  for (int i = 0; i < 20000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

}  // namespace

TEST(events_come_out_in_order) {
  EventQueue queue(8, [](bool) {});
  for (int i = 0; i < 5; ++i) CHECK(queue.push(token(i)));
  std::vector<Event> events = queue.take();
  CHECK(events.size() == 5);
  for (int i = 0; i < 5; ++i) CHECK(std::get<TokenEvent>(events[static_cast<size_t>(i)]).id == i);
  CHECK(queue.take().empty());
}

TEST(ready_is_announced_once_per_filling_and_at_the_end) {
  std::vector<bool> calls;
  EventQueue queue(8, [&](bool finished) { calls.push_back(finished); });
  queue.push(token(1));
  queue.push(token(2));
  CHECK(calls == std::vector<bool>{false});
  queue.take();
  queue.push(token(3));
  CHECK(calls == (std::vector<bool>{false, false}));
  queue.finish(EndEvent{});
  CHECK(calls == (std::vector<bool>{false, false, true}));
  CHECK(!queue.drained());
  queue.take();
  CHECK(queue.drained());
}

TEST(a_full_queue_tells_the_writer_when_it_has_room) {
  int told = 0;
  EventQueue queue(2, [](bool) {}, [&] { ++told; });
  queue.push(token(1));
  CHECK(queue.has_room());
  CHECK(queue.take().size() == 1 && told == 0);
  queue.push(token(2));
  queue.push(token(3));
  CHECK(!queue.has_room());
  // The last event is always accepted.
  queue.finish(EndEvent{});
  CHECK(queue.take().size() == 3 && told == 1);
  CHECK(queue.has_room() && queue.drained());
}

TEST(cancel_tells_the_writer_and_refuses_more) {
  int told = 0;
  EventQueue queue(1, [](bool) {}, [&] { ++told; });
  CHECK(queue.push(token(1)));
  queue.cancel();
  queue.cancel();
  CHECK(told == 2 && queue.cancelled());
  CHECK(!queue.push(token(3)));
  queue.finish(EndEvent{});
  CHECK(queue.take().size() == 2);
  CHECK(queue.drained());
}

TEST(one_thread_writes_while_another_reads) {
  std::atomic<bool> room{true};
  EventQueue queue(4, [](bool) {}, [&] { room = true; });
  std::thread writer([&] {
    for (int i = 0; i < 1000;) {
      if (!queue.has_room()) {
        CHECK(eventually([&] { return room.exchange(false) || queue.has_room(); }));
        continue;
      }
      queue.push(token(i++));
    }
    queue.finish(EndEvent{});
  });
  size_t taken = 0;
  CHECK(eventually([&] {
    for (size_t count = 1; count > 0;) {
      count = queue.take().size();
      CHECK(count <= 5);
      taken += count;
    }
    return queue.drained();
  }));
  writer.join();
  CHECK(taken == 1001);
}

}  // namespace llm_host::event_queue_test
