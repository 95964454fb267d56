#include "watchdog/signal_pipe.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace llm_host {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> write_end{-1};
struct sigaction previous[NSIG];

void write_byte(uint8_t byte) {
  // A full pipe tells as much already.
  [[maybe_unused]] ssize_t written = write(write_end, &byte, 1);
}

// May call only what is safe in a signal handler.
void on_signal(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  write_byte(static_cast<uint8_t>(signal));
  const struct sigaction& before = previous[signal];
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else {
    before.sa_handler(signal);
  }
  errno = error;
}

bool has_handler(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

}  // namespace

int open_signal_pipe() {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  for (int end : ends) {
    fcntl(end, F_SETFL, O_NONBLOCK);
    fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  if (ends[0] >= FD_SETSIZE) {
    close(ends[0]);
    close(ends[1]);
    return -1;
  }
  write_end = ends[1];
  for (int signal : kSignals) {
    struct sigaction action{};
    if (sigaction(signal, nullptr, &action) != 0 || !has_handler(action)) continue;
    previous[signal] = action;
    action.sa_sigaction = on_signal;
    action.sa_flags |= SA_SIGINFO;
    sigaction(signal, &action, nullptr);
  }
  return ends[0];
}

void wake_signal_pipe() {
  if (write_end >= 0) write_byte(0);
}

NoSignals::NoSignals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

NoSignals::~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace llm_host
