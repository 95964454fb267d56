#pragma once

#include <csignal>

namespace llm_host {

// From now on each SIGINT, SIGTERM and SIGHUP writes its number into a pipe, then calls the handler
// that was there before; a signal without one is left alone. Returns the pipe's end to read, which
// never waits; -1 if there is no pipe. Call it once.
int open_signal_pipe();

// Wakes the pipe's reader with a 0.
void wake_signal_pipe();

// Blocks all signals in this thread while it lives: threads it starts get none.
class NoSignals {
 public:
  NoSignals();
  ~NoSignals();
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace llm_host
