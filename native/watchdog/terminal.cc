#include "watchdog/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <unistd.h>

#include <initializer_list>

namespace llm_host {
namespace {

// Switches off what the screen (src/tui/screen.ts) switches on: bracketed paste, the hidden cursor,
// styles. Then a line of its own for the shell, with nothing of ours below.
constexpr char kLeave[] = "\x1b[?2004l\x1b[?25h\x1b[0m\r\n\x1b[J";
constexpr int kWriteMs = 100;

void write_now(int file, const std::string& text) {
  pollfd writable{file, POLLOUT, 0};
  if (poll(&writable, 1, kWriteMs) != 1 || (writable.revents & POLLOUT) == 0) return;
  // Nobody is left to hear of a failure.
  [[maybe_unused]] ssize_t written = write(file, text.data(), text.size());
}

// A file of its own: Node's may be closed, or waits for each read.
int open_keys() {
  char name[256];
  if (isatty(STDIN_FILENO) == 0 || ttyname_r(STDIN_FILENO, name, sizeof name) != 0) return -1;
  int file = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < FD_SETSIZE) return file;
  close(file);
  return -1;
}

}  // namespace

Terminal::Terminal() {
  for (int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (isatty(file) == 0 || tcgetattr(file, &modes_) != 0) continue;
    file_ = file;
    break;
  }
  keys_ = open_keys();
}

bool Terminal::ours() const { return file_ >= 0 && tcgetpgrp(file_) == getpgrp(); }

bool Terminal::raw() const {
  termios now{};
  return ours() && tcgetattr(file_, &now) == 0 && (now.c_lflag & ISIG) == 0;
}

int Terminal::waiting() const {
  int count = 0;
  return keys_ >= 0 && ioctl(keys_, FIONREAD, &count) == 0 ? count : 0;
}

std::string Terminal::take_keys(int limit) const {
  const int count = waiting();
  if (count <= 0 || count >= limit) return {};
  std::string taken(static_cast<size_t>(count), '\0');
  ssize_t got = read(keys_, taken.data(), taken.size());
  taken.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return taken;
}

void Terminal::echo(bool shown) const {
  termios now{};
  if (!ours() || (modes_.c_lflag & ECHO) == 0 || tcgetattr(file_, &now) != 0) return;
  now.c_lflag = shown ? now.c_lflag | ECHO : now.c_lflag & ~static_cast<tcflag_t>(ECHO);
  tcsetattr(file_, TCSANOW, &now);
}

bool Terminal::restore() const {
  if (!ours()) return false;
  const bool was_raw = raw();
  tcsetattr(file_, TCSANOW, &modes_);
  if (!was_raw) return false;
  // stdin may be open for reading only.
  write_now(isatty(STDOUT_FILENO) != 0 ? STDOUT_FILENO : file_, kLeave);
  return true;
}

void say_now(const std::string& line, bool fresh) {
  const bool apart = !fresh && isatty(STDERR_FILENO) != 0;
  write_now(STDERR_FILENO, (apart ? "\n" : "") + line + "\n");
}

}  // namespace llm_host
