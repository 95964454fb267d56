#include "engine/distributed/process_group.h"

#include <cstring>
#include <future>
#include <thread>
#include <utility>

#include "common/error.h"
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
    } catch (...) {
      made.set_exception(std::current_exception());
    }
  }).detach();
  return group;
}

mx::distributed::Group ring(std::chrono::milliseconds limit) {
  // Two at once would share a port.
  static std::shared_future<mx::distributed::Group> group;
  if (!group.valid()) group = connecting();
  if (group.wait_for(limit) == std::future_status::ready) {
    return std::exchange(group, {}).get();
  }
  throw Error(kEngine, "the processes of MLX_HOSTFILE had not all connected after " +
                           seconds_text(limit) + "; start them all, each with its MLX_RANK");
}

}  // namespace

std::shared_ptr<ProcessGroup> ProcessGroup::join(std::chrono::milliseconds limit) {
  // The ring is one for the process, and so is what is known of it. Never destroyed: a thread may
  // still wait in it.
  static auto& joined = *new std::shared_ptr<ProcessGroup>();
  if (!joined) {
    mx::distributed::Group group = ring(limit);
    if (group.size() < 2) throw Error(kUsage, "MLX_HOSTFILE must list two processes or more");
    joined = std::shared_ptr<ProcessGroup>(new ProcessGroup(std::move(group), limit));
  }
  joined->check();
  return joined;
}

ProcessGroup::ProcessGroup(mx::distributed::Group group, std::chrono::milliseconds limit)
    : group_(std::move(group)),
      limit_(limit),
      stream_(mx::new_thread_unsafe_stream(mx::Device::cpu)) {}

mx::array ProcessGroup::sum(const mx::array& x) {
  auto body = [self = shared_from_this()](const std::vector<mx::array>& inputs, mx::array& out) {
    self->add_up(inputs[0], out);
  };
  return cpu_op("SumOverProcesses", x.shape(), {mx::contiguous(x)}, std::move(body), x.dtype());
}

// On the thread that computes. Behind a collective that failed, MLX's ring waits for ever in the
// next one, which would be queued already if these were MLX's own operations.
void ProcessGroup::add_up(const mx::array& x, mx::array& out) {
  check();
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

void ProcessGroup::lose(const std::string& why) {
  std::lock_guard lock(mutex_);
  lost_ = "the other processes that share the model " + why + "; start them all again";
  throw Error(kEngine, lost_);
}

}  // namespace llm_host
