#include "engine/distributed/process_group.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <thread>
#include <utility>

#include "common/error.h"
#include "engine/distributed/group_progress.h"
#include "engine/distributed/ring_sockets.h"
#include "kernels/base/cpu_op.h"
#include "mlx/distributed/distributed_impl.h"
#include "mlx/scheduler.h"

namespace llm_host {
namespace {

std::string seconds_text(std::chrono::milliseconds limit) {
  std::string text = std::to_string(static_cast<double>(limit.count()) / 1000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

// MLX waits without a limit for its neighbour to connect, so another thread does; one that waits in
// vain ends with the process.
std::shared_future<mx::distributed::Group> connecting() {
  std::promise<mx::distributed::Group> made;
  std::shared_future<mx::distributed::Group> group = made.get_future().share();
  std::thread([made = std::move(made)]() mutable {
    try {
      made.set_value(mx::distributed::init(true, "ring"));
    } catch (const std::exception& error) {
      made.set_exception(std::make_exception_ptr(
          Error(kEngine, std::string("cannot join the ring; another program may have its port (") +
                             error.what() + ")")));
    }
  }).detach();
  return group;
}

// The state of the process's one ring. Never destroyed: a thread may still wait in it.
struct Ring {
  std::mutex mutex;
  std::shared_ptr<ProcessGroup> joined;
  std::string abandoned;  // why; "" = it is not

  static Ring& get() {
    static auto& ring = *new Ring();
    return ring;
  }
  void check() {
    std::lock_guard lock(mutex);
    if (!abandoned.empty()) throw Error(kEngine, abandoned);
  }
};

constexpr std::chrono::milliseconds kLook{100};

mx::distributed::Group ring(std::chrono::milliseconds limit) {
  // Two at once would share a port.
  static std::shared_future<mx::distributed::Group> group;
  if (!group.valid()) {
    note_ring_addresses();
    group = connecting();
  }
  auto end = std::chrono::steady_clock::now() + limit;
  while (group.wait_until(std::min(end, std::chrono::steady_clock::now() + kLook)) !=
         std::future_status::ready) {
    Ring::get().check();
    if (std::chrono::steady_clock::now() >= end) break;
  }
  if (group.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    return std::exchange(group, {}).get();
  }
  throw Error(kEngine, "the processes of MLX_HOSTFILE had not all connected after " +
                           seconds_text(limit) + "; start them all, each with its MLX_RANK");
}

}  // namespace

std::shared_ptr<ProcessGroup> ProcessGroup::join(const Limits& limits) {
  Ring& known = Ring::get();
  known.check();
  if (!known.joined) {
    mx::distributed::Group group = ring(limits.joining);
    if (group.size() < 2) throw Error(kUsage, "MLX_HOSTFILE must list two processes or more");
    std::lock_guard lock(known.mutex);
    known.joined = std::make_shared<ProcessGroup>(std::move(group), limits.sum);
  }
  known.joined->check();
  return known.joined;
}

void ProcessGroup::abandon(const std::string& why) {
  Ring& known = Ring::get();
  std::shared_ptr<ProcessGroup> joined;
  {
    std::lock_guard lock(known.mutex);
    if (known.abandoned.empty()) known.abandoned = why;
    joined = known.joined;
  }
  if (!joined) return;
  joined->give_up(why);
  shut_ring_sockets();
}

ProcessGroup::ProcessGroup(mx::distributed::Group group, std::chrono::milliseconds limit)
    : group_(std::move(group)),
      limit_(limit),
      stream_(mx::new_thread_unsafe_stream(mx::Device::cpu)) {}

mx::array ProcessGroup::sum(const mx::array& x) {
  auto body = [self = shared_from_this()](const std::vector<mx::array>& inputs, mx::array& out) {
    self->add_up_or_clear(inputs[0], out);
  };
  return cpu_op("SumOverProcesses", x.shape(), {mx::contiguous(x)}, std::move(body), x.dtype());
}

mx::array ProcessGroup::first(const mx::array& x) {
  return sum(rank() == 0 ? x : mx::zeros_like(x));
}

mx::array ProcessGroup::said_first(int count, std::function<std::vector<int32_t>()> say) {
  auto body = [self = shared_from_this(), say = std::move(say)](const std::vector<mx::array>&,
                                                                mx::array& out) {
    auto* numbers = out.data<int32_t>();
    std::fill_n(numbers, out.size(), 0);
    if (self->rank() == 0) std::ranges::copy(say(), numbers);
    self->add_up_or_clear(out, out);
  };
  return cpu_op("SaidFirst", {count}, {}, std::move(body), mx::int32);
}

// Throws nothing: MLX tells a stream's error to whoever uses the stream next, be it in the middle
// of an evaluation, of which it then frees what is still being computed.
void ProcessGroup::add_up_or_clear(const mx::array& x, mx::array& out) {
  try {
    add_up(x, out);
  } catch (const std::exception& error) {
    give_up(error.what());
    std::memset(out.data<char>(), 0, out.nbytes());
  }
}

// On the thread that computes. Behind a collective that failed, MLX's ring waits for ever in the
// next one, which would be queued already if these were MLX's own operations.
void ProcessGroup::add_up(const mx::array& x, mx::array& out) {
  check();
  SumUnderWay under_way(x.nbytes());
  // Memory that a collective still running after the limit may write to.
  auto buffer =
      std::make_shared<mx::array>(mx::allocator::malloc(x.nbytes()), x.shape(), x.dtype());
  std::memcpy(buffer->data<char>(), x.data<char>(), x.nbytes());
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> ended = done->get_future();
  group_.raw_group()->all_sum(*buffer, *buffer, stream_);
  mx::scheduler::enqueue(stream_, [done, buffer] { done->set_value(); });
  bool silent = ended.wait_for(limit_) != std::future_status::ready;
  if (silent) {
    // MLX waits for all streams where it frees memory, so this one must not stay busy.
    shut_ring_sockets();
    ended.wait_for(limit_);
  }
  try {
    mx::scheduler::check_error(stream_);
  } catch (const std::exception& error) {
    if (!silent) lose(std::string("are gone (") + error.what() + ")");
  }
  if (silent) lose("have not answered for " + seconds_text(limit_));
  std::memcpy(out.data<char>(), buffer->data<char>(), x.nbytes());
}

void ProcessGroup::check() {
  std::lock_guard lock(mutex_);
  if (!lost_.empty()) throw Error(kEngine, lost_);
}

void ProcessGroup::give_up(const std::string& why) {
  std::lock_guard lock(mutex_);
  if (lost_.empty()) lost_ = why;
}

void ProcessGroup::lose(const std::string& why) {
  give_up("the other processes that share the model " + why + "; start them all again");
  std::lock_guard lock(mutex_);
  throw Error(kEngine, lost_);
}

}  // namespace llm_host
