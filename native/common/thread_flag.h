#pragma once

namespace llm_host {

// Yes or no for all that this thread does while one is in scope; `initially` where none is. `Name`
// tells flags apart.
template <typename Name, bool initially>
class ThreadFlag {
 public:
  static bool on() { return current(); }

  explicit ThreadFlag(bool on) : before_(current()) { current() = on; }
  ~ThreadFlag() { current() = before_; }
  ThreadFlag(const ThreadFlag&) = delete;
  ThreadFlag& operator=(const ThreadFlag&) = delete;

 private:
  static bool& current() {
    thread_local bool value = initially;
    return value;
  }

  bool before_;
};

}  // namespace llm_host
