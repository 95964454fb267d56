#include "watchdog/watchdog.h"

#include <sys/select.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "watchdog/signal_pipe.h"

namespace llm_host {
namespace {

constexpr int kPatienceMs = 2000;
// After a second signal: JavaScript may have been busy for a moment only.
constexpr int kSecondMs = 250;
// Time is counted in slices that the process was awake for: one that was stopped, or whose machine
// slept, gets its whole time after it wakes.
constexpr int kSliceMs = 50;
// Keys that JavaScript leaves unread for this long are asked about, then taken after as long again.
constexpr int kUnreadMs = 500;
// More is a paste, of which the rest may be under way: order would be lost.
constexpr int kMaxKeys = 256;
constexpr int kForever = -1;
constexpr char kControlC = '\x03';
constexpr int kSignalBase = 128;

const char* name_of(int signal) {
  return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

}  // namespace

Watchdog& Watchdog::get() {
  static Watchdog* watchdog = new Watchdog();
  return *watchdog;
}

void Watchdog::arm(Ask ask) {
  std::call_once(armed_, [&] {
    signals_ = open_signal_pipe();
    if (signals_ < 0) return;
    ask_ = std::move(ask);
    terminal_ = new Terminal();
    NoSignals none;
    std::thread([this] { run(); }).detach();
  });
}

void Watchdog::answer(uint64_t question) { answered_ = question; }

void Watchdog::echo(bool shown) {
  if (terminal_ != nullptr) terminal_->echo(shown);
}

void Watchdog::pause(bool paused) {
  paused_ = paused;
  wake_signal_pipe();
}

void Watchdog::end_within(int code, int ms) {
  limit_code_ = code;
  limit_ms_ = ms;
  wake_signal_pipe();
}

void Watchdog::run() {
  for (;;) {
    const int elapsed_ms = wait(slice());
    check_pending(elapsed_ms);
    check_limit(elapsed_ms);
    check_keys(elapsed_ms);
  }
}

int Watchdog::slice() const {
  if (pending_.signal != 0 || limit_ms_ > 0) return kSliceMs;
  return keys_.seen ? kUnreadMs : kForever;
}

// Until a signal, a key or the limit; the milliseconds it took, at most the limit.
int Watchdog::wait(int limit_ms) {
  const auto begun = std::chrono::steady_clock::now();
  const int keys = paused_ || keys_.seen ? -1 : terminal_->keys();
  fd_set readable;
  FD_ZERO(&readable);
  FD_SET(signals_, &readable);
  if (keys >= 0) FD_SET(keys, &readable);
  timeval limit{limit_ms / 1000, limit_ms % 1000 * 1000};
  const int ready = select(std::max(signals_, keys) + 1, &readable, nullptr, nullptr,
                           limit_ms < 0 ? nullptr : &limit);
  if (ready > 0 && keys >= 0 && FD_ISSET(keys, &readable)) keys_ = {.seen = true};
  uint8_t bytes[64];
  const ssize_t count = read(signals_, bytes, sizeof bytes);
  for (ssize_t i = 0; i < count; i++) {
    if (bytes[i] != 0 && !paused_) on_signal(bytes[i], 0);
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begun;
  return limit_ms < 0 ? 0 : static_cast<int>(std::min<double>(took.count(), limit_ms));
}

void Watchdog::on_signal(int signal, int waited_ms) {
  if (pending_.signal != 0 && !answered(pending_.question)) {
    pending_.left_ms = std::min(pending_.left_ms, kSecondMs);
  } else {
    pending_ = {signal, kPatienceMs - waited_ms, ask({})};
  }
}

void Watchdog::check_pending(int elapsed_ms) {
  if (pending_.signal == 0) return;
  if (paused_ || answered(pending_.question)) {
    pending_ = {};
    return;
  }
  pending_.left_ms -= elapsed_ms;
  if (pending_.left_ms > 0) return;
  end(kSignalBase + pending_.signal, std::string("Error: ") + name_of(pending_.signal) +
                                         " ended the program, which was busy and did not answer");
}

void Watchdog::check_limit(int elapsed_ms) {
  if (limit_ms_ <= 0) return;
  const int left_ms = limit_ms_ -= elapsed_ms;
  if (left_ms <= 0) end(limit_code_, {});
}

void Watchdog::check_keys(int elapsed_ms) {
  if (!keys_.seen) return;
  if (paused_ || !terminal_->raw()) {
    // Typed ahead in line mode, say: Ctrl+C is a signal there.
    keys_.waited_ms = 0;
    keys_.seen = !paused_ && terminal_->has_keys();
    return;
  }
  if (pending_.signal != 0) return take_keys(0);
  keys_.waited_ms += elapsed_ms;
  if (keys_.waited_ms < kUnreadMs) return;
  if (!terminal_->has_keys() || (keys_.question != 0 && answered(keys_.question))) {
    keys_ = {.seen = terminal_->has_keys()};
  } else if (keys_.question == 0) {
    keys_.question = ask({});
  } else if (keys_.waited_ms >= 2 * kUnreadMs) {
    take_keys(keys_.waited_ms);
  }
}

void Watchdog::take_keys(int waited_ms) {
  const std::string keys = terminal_->take_keys(kMaxKeys);
  keys_ = {};
  if (keys.empty()) return;
  ask(keys);
  for (char key : keys) {
    if (key == kControlC) on_signal(SIGINT, waited_ms);
  }
}

uint64_t Watchdog::ask(std::string keys) {
  ask_(++questions_, std::move(keys));
  return questions_;
}

void Watchdog::end(int code, const std::string& message) const {
  const bool fresh = terminal_->restore();
  if (!message.empty()) say_now(message, fresh);
  _exit(code);
}

}  // namespace llm_host
