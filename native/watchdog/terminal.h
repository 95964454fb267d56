#pragma once

#include <termios.h>

#include <string>

namespace llm_host {

// The terminal that the process was started on, as it was then. Every method does nothing without
// one, or while another job has the terminal.
class Terminal {
 public:
  // Looks at stdin, stdout and stderr.
  Terminal();

  // Keys can be waited for on this file (select); -1: there are none.
  int keys() const { return keys_; }
  // Ctrl+C is a key instead of a signal.
  bool raw() const;
  // Some have not been read.
  bool has_keys() const { return waiting() > 0; }
  // Keys that nobody has read; `limit` or more are a paste, and left alone.
  std::string take_keys(int limit) const;
  // Whether what is typed is shown; only on a terminal that showed it at the start.
  void echo(bool shown) const;
  // Gives the terminal back: its modes; if it was raw, the cursor and the lines below it too. False
  // if it was not raw.
  bool restore() const;

 private:
  bool ours() const;
  int waiting() const;

  int file_ = -1;
  int keys_ = -1;
  termios modes_{};
};

// Writes a line to stderr unless that would have to wait. `fresh`: a terminal's cursor is on an
// empty line.
void say_now(const std::string& line, bool fresh);

}  // namespace llm_host
