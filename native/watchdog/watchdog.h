#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "watchdog/terminal.h"

namespace llm_host {

// Ends the process by SIGINT, SIGTERM or SIGHUP when JavaScript is blocked and cannot: 2 s after
// the signal, or 0.25 s after a second one. A handler in front of Node's tells a thread of every
// signal; the thread asks JavaScript for a sign of life, and does nothing if one comes in time. On
// a raw terminal Ctrl+C is a key: keys that wait while JavaScript is blocked are read here, and
// given to it if it comes back. One per process, never destroyed.
class Watchdog {
 public:
  // Called on the watchdog's thread; JavaScript shall call `answer(question)` and take the keys.
  using Ask = std::function<void(uint64_t question, std::string keys)>;

  static Watchdog& get();

  // Node must listen for the signals already: its handlers are called after this one's. The
  // terminal must be as the program found it. A second call has no effect.
  void arm(Ask ask);
  void answer(uint64_t question);
  // Whether the terminal shows what is typed. Nothing before `arm`.
  void echo(bool shown);
  // While JavaScript waits for another program on purpose.
  void pause(bool paused);
  // Ends the process with `code` unless it has ended by itself.
  void end_within(int code, int ms);

 private:
  Watchdog() = default;
  ~Watchdog() = delete;

  // An unanswered signal. Only the thread has it, and what follows.
  struct Pending {
    int signal = 0;  // 0: none
    int left_ms = 0;
    uint64_t question = 0;
  };
  struct Keys {
    bool seen = false;  // some wait to be read
    int waited_ms = 0;
    uint64_t question = 0;  // 0: not asked yet
  };

  [[noreturn]] void run();
  int wait(int limit_ms);
  int slice() const;
  void on_signal(int signal, int waited_ms);
  void check_pending(int elapsed_ms);
  void check_limit(int elapsed_ms);
  void check_keys(int elapsed_ms);
  void take_keys(int waited_ms);
  uint64_t ask(std::string keys);
  bool answered(uint64_t question) const { return answered_ >= question; }
  [[noreturn]] void end(int code, const std::string& message) const;

  Ask ask_;
  Terminal* terminal_ = nullptr;
  int signals_ = -1;  // the pipe they arrive by
  uint64_t questions_ = 0;
  Pending pending_;
  Keys keys_;
  std::once_flag armed_;
  std::atomic<uint64_t> answered_{0};
  std::atomic<bool> paused_{false};
  std::atomic<int> limit_ms_{0};  // 0: none
  std::atomic<int> limit_code_{0};
};

}  // namespace llm_host
