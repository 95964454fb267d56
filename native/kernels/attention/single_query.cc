#include <algorithm>
#include <vector>

#include "kernels/attention/block.h"
#include "kernels/base/parallel_in_order.h"
#include "kernels/base/thread_pool.h"

namespace llm_host::cpu {
namespace {

// So many kv heads of all tasks for each thread are work enough without splitting their keys.
constexpr int kHeadsPerThread = 4;

// The last query of one task.
struct Parts {
  std::vector<int> firsts;         // the first visible slot of each block of keys, and the end
  std::vector<float> queries;      // [heads, head_dim], rotated
  std::vector<Softmax> softmaxes;  // [heads, blocks]
  std::vector<float> outs;         // [heads, blocks, head_dim]
  int begin = 0, end = 0;          // of its items among those of all tasks

  int count() const { return static_cast<int>(firsts.size()) - 1; }
};

void split_keys(const AttentionTask& task, int query, std::vector<int>& firsts) {
  int last = task.shape.slot + query + 1;
  firsts.clear();
  for (int first = task.first_visible(query); first < last; first = block_end(task, first)) {
    firsts.push_back(first);
  }
  firsts.push_back(last);
}

void prepare(const AttentionTask& task, Parts& parts) {
  const AttentionShape& s = task.shape;
  int query = task.length - 1;
  split_keys(task, query, parts.firsts);
  size_t blocks = static_cast<size_t>(s.heads) * parts.count();
  parts.queries.resize(static_cast<size_t>(s.heads) * s.head_dim);
  parts.softmaxes.resize(blocks);
  parts.outs.resize(blocks * s.head_dim);
  for (int head = 0; head < s.heads; ++head) {
    rotate_query(task, head, query, parts.queries.data() + static_cast<int64_t>(head) * s.head_dim);
  }
}

// One block of keys of a kv head, for all query heads that share it, so that each key is read once.
void attend_part(const AttentionTask& task, Parts& parts, int kv_head, int part) {
  int group = task.group(), size = task.shape.head_dim;
  int64_t head = static_cast<int64_t>(kv_head) * group, at = head * parts.count() + part;
  int first = parts.firsts[static_cast<size_t>(part)];
  int n = parts.firsts[static_cast<size_t>(part) + 1] - first;
  attend_block(task, kv_head, 0, group, parts.queries.data() + head * size, first, n,
               {parts.softmaxes.data() + at, parts.outs.data() + at * size, parts.count()});
}

void merge_parts(const AttentionTask& task, Parts& parts, int head) {
  int size = task.shape.head_dim;
  const Softmax* softmaxes = parts.softmaxes.data() + static_cast<int64_t>(head) * parts.count();
  float* outs = parts.outs.data() + static_cast<int64_t>(head) * parts.count() * size;
  float* out = task.out + static_cast<int64_t>(head) * size;
  Softmax total = no_keys(task, head);
  std::fill(out, out + size, 0.0f);
  for (int i = 0; i < parts.count(); ++i) {
    merge(total, out, softmaxes[i], outs + static_cast<int64_t>(i) * size, size);
  }
  normalise(total, out, size, out);
}

template <typename F>
void for_each_task(std::span<const AttentionTask> tasks, F&& body) {
  if (tasks.size() == 1) return body(0);
  parallel_for(static_cast<int>(tasks.size()), body);
}

// Each task split over its keys.
void attend_split(std::span<const AttentionTask> tasks) {
  static thread_local std::vector<Parts> kept;
  if (kept.size() < tasks.size()) kept.resize(tasks.size());
  std::span<Parts> all(kept.data(), tasks.size());
  for_each_task(tasks, [&](int i) {
    auto at = static_cast<size_t>(i);
    prepare(tasks[at], all[at]);
  });
  int items = 0;
  for (size_t i = 0; i < tasks.size(); ++i) {
    all[i].begin = items;
    all[i].end = items += tasks[i].shape.kv_heads * all[i].count();
  }
  parallel_in_order(items, [&](int item) {
    auto parts = std::upper_bound(all.begin(), all.end(), item,
                                  [](int at, const Parts& one) { return at < one.end; });
    const AttentionTask& task = tasks[static_cast<size_t>(parts - all.begin())];
    int index = item - parts->begin;
    attend_part(task, *parts, index / parts->count(), index % parts->count());
  });
  for_each_task(tasks, [&](int i) {
    auto at = static_cast<size_t>(i);
    for (int head = 0; head < tasks[at].shape.heads; ++head) {
      merge_parts(tasks[at], all[at], head);
    }
  });
}

}  // namespace

void attend_last(std::span<const AttentionTask> tasks) {
  int kv_heads = tasks.front().shape.kv_heads, all = static_cast<int>(tasks.size()) * kv_heads;
  if (tasks.size() == 1 || all < kHeadsPerThread * thread_count()) return attend_split(tasks);
  parallel_for(all, [&](int i) {
    const AttentionTask& task = tasks[static_cast<size_t>(i / kv_heads)];
    attend_rows(task, i % kv_heads, 0, task.group());
  });
}

}  // namespace llm_host::cpu
