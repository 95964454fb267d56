#include <algorithm>
#include <vector>

#include "kernels/attention/block.h"
#include "kernels/base/thread_pool.h"

namespace llm_host::cpu {
namespace {

// Rows computed together: a block of keys is widened once for all of them.
constexpr int kRows = 32;

// Rows [begin, begin + count) of one kv head with their running softmax.
struct Rows {
  int kv_head, begin, count;
  std::vector<float> queries;              // [count, head_dim], rotated
  std::vector<float> outs;                 // [count, head_dim], not normalised yet
  std::vector<float> block_outs;           // [count, head_dim], of the last block of keys
  std::vector<Softmax> totals, softmaxes;  // [count], and of the last block
};

void start(const AttentionTask& task, Rows& rows) {
  size_t count = static_cast<size_t>(rows.count), size = count * task.shape.head_dim;
  rows.queries.resize(size);
  rows.block_outs.resize(size);
  rows.outs.assign(size, 0.0f);
  rows.totals.resize(count);
  rows.softmaxes.resize(count);
  for (int i = 0; i < rows.count; ++i) {
    int row = rows.begin + i, head = task.head_of(rows.kv_head, row);
    rotate_query(task, head, task.query_of(row),
                 rows.queries.data() + static_cast<int64_t>(i) * task.shape.head_dim);
    rows.totals[static_cast<size_t>(i)] = no_keys(task, head);
  }
}

// Adds slots [first, first + n) to the rows' output.
void add_keys(const AttentionTask& task, Rows& rows, int first, int n) {
  int head_dim = task.shape.head_dim;
  attend_block(task, rows.kv_head, rows.begin, rows.count, rows.queries.data(), first, n,
               {rows.softmaxes.data(), rows.block_outs.data(), 1});
  for (size_t i = 0; i < rows.totals.size(); ++i) {
    size_t at = i * static_cast<size_t>(head_dim);
    merge(rows.totals[i], rows.outs.data() + at, rows.softmaxes[i], rows.block_outs.data() + at,
          head_dim);
  }
}

}  // namespace

// Online softmax over blocks of keys, so that scores stay in the CPU cache and widened keys take
// little memory at any context length (Milakov and Gimelshein 2018, arXiv:1805.02867).
void attend_rows(const AttentionTask& task, int kv_head, int begin, int end) {
  static thread_local Rows rows;
  rows.kv_head = kv_head;
  rows.begin = begin;
  rows.count = end - begin;
  start(task, rows);
  int stop = task.shape.slot + task.query_of(end - 1) + 1;
  for (int first = task.first_visible(task.query_of(begin)); first < stop;) {
    int next = std::min(stop, block_end(task, first));
    add_keys(task, rows, first, next - first);
    first = next;
  }
  int head_dim = task.shape.head_dim;
  for (int i = 0; i < rows.count; ++i) {
    normalise(rows.totals[static_cast<size_t>(i)],
              rows.outs.data() + static_cast<int64_t>(i) * head_dim, head_dim,
              task.out_of(kv_head, begin + i));
  }
}

void attend_many(const AttentionTask& task) {
  int heads = task.shape.kv_heads, blocks = (task.rows() + kRows - 1) / kRows;
  parallel_for(heads * blocks, [&](int item) {
    // The last blocks see the most keys. They go first, for an even load at the end.
    int begin = (blocks - 1 - item / heads) * kRows;
    attend_rows(task, item % heads, begin, std::min(task.rows(), begin + kRows));
  });
}

}  // namespace llm_host::cpu
