#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mlx/distributed/distributed.h"
#include "mlx/mlx.h"

namespace llm_host {

namespace mx = mlx::core;

// The processes that share one model, on MLX's ring over TCP. All of them compute the same things
// in the same order.
class ProcessGroup : public std::enable_shared_from_this<ProcessGroup> {
 public:
  struct Limits {
    std::chrono::milliseconds sum;
    std::chrono::milliseconds joining;  // until all are there
  };

  // The group of MLX's variables MLX_HOSTFILE and MLX_RANK. A process has one, whose limits are
  // those of its first model. Throws ENGINE if it has not formed in time, or has lost a process.
  static std::shared_ptr<ProcessGroup> join(const Limits& limits);
  // Any thread: from now on whoever waits for the others, or joins them, fails for this reason.
  static void abandon(const std::string& why);

  // `group` has formed already.
  ProcessGroup(mx::distributed::Group group, std::chrono::milliseconds limit);

  int rank() const { return group_.rank(); }
  int size() const { return group_.size(); }

  // Throws ENGINE if the others are gone.
  void check();
  // x [...] of all processes added up; lazy. Zeros if the others have not answered after the limit
  // or are gone, and from then on at once: whoever has evaluated it asks `check`.
  mx::array sum(const mx::array& x);
  // The first process' x, in all of them; lazy, and fails as a sum does.
  mx::array first(const mx::array& x);
  // The numbers, `count` of them, that `say` gives in the first process where this is computed;
  // lazy, and fails as a sum does. `say` is called on the thread that computes.
  mx::array said_first(int count, std::function<std::vector<int32_t>()> say);

 private:
  void add_up_or_clear(const mx::array& x, mx::array& out);
  void add_up(const mx::array& x, mx::array& out);
  [[noreturn]] void lose(const std::string& why);
  // The first reason counts.
  void give_up(const std::string& why);

  mx::distributed::Group group_;
  std::chrono::milliseconds limit_;
  // A stream for collectives alone: one that never ends holds up nothing else.
  mx::Stream stream_;
  std::mutex mutex_;
  std::string lost_;  // why; "" = it is there
};

}  // namespace llm_host
