#include "engine/event_queue.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "check.h"

using namespace llm_host;
using namespace std::chrono_literals;

namespace {

TokenEvent token(int id) { return {id, std::nullopt}; }

// Waits for a thread to reach a state, long enough for a busy machine.
template <typename F>
bool eventually(F&& condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(5ms);
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

TEST(a_full_queue_makes_the_writer_wait_for_the_reader) {
  EventQueue queue(4, [](bool) {});
  std::atomic<int> written{0};
  std::thread writer([&] {
    for (int i = 0; i < 100; ++i) {
      queue.push(token(i));
      ++written;
    }
    queue.finish(EndEvent{});
  });
  CHECK(eventually([&] { return written == 4; }));
  std::this_thread::sleep_for(20ms);
  CHECK(written == 4);
  size_t taken = 0;
  CHECK(eventually([&] {
    size_t count = queue.take().size();
    CHECK(count <= 5);  // four, and the last event which is always accepted
    taken += count;
    return taken == 101;
  }));
  writer.join();
  CHECK(queue.drained());
}

TEST(cancel_wakes_a_waiting_writer_and_refuses_more) {
  EventQueue queue(1, [](bool) {});
  CHECK(queue.push(token(1)));
  std::atomic<bool> accepted{true};
  std::thread writer([&] { accepted = queue.push(token(2)); });
  std::this_thread::sleep_for(10ms);
  queue.cancel();
  queue.cancel();
  writer.join();
  CHECK(!accepted);
  CHECK(!queue.push(token(3)));
  queue.finish(EndEvent{});
  CHECK(queue.take().size() == 2);
  CHECK(queue.drained());
}

int main() { return check::run("event_queue"); }
