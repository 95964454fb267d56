#include <algorithm>
#include <vector>

#include "kernels/attention/block.h"
#include "kernels/base/thread_pool.h"

namespace llm_host::cpu {
namespace {

struct Parts {
  std::vector<int> firsts;         // the first visible slot of each block of keys, and the end
  std::vector<float> queries;      // [heads, head_dim], rotated
  std::vector<Softmax> softmaxes;  // [heads, blocks]
  std::vector<float> outs;         // [heads, blocks, head_dim]

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

}  // namespace

void attend_one(const AttentionTask& task) {
  static thread_local Parts parts;
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
  Parts& shared = parts;
  parallel_for(s.kv_heads * parts.count(), [&](int item) {
    attend_part(task, shared, item / shared.count(), item % shared.count());
  });
  for (int head = 0; head < s.heads; ++head) merge_parts(task, parts, head);
}

}  // namespace llm_host::cpu
