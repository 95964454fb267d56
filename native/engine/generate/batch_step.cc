#include "engine/generate/batch_step.h"

#include <vector>

namespace llm_host {
namespace {

// -> [1, N, H]
mx::array hidden_of(const Model& model, std::span<Generation* const> rows) {
  if (rows.size() == 1) return model.body(rows[0]->token(), rows[0]->sequence().cache, 1);
  std::vector<mx::array> tokens;
  std::vector<ModelCache*> caches;
  for (Generation* row : rows) {
    tokens.push_back(row->token());
    caches.push_back(&row->sequence().cache);
  }
  return model.step(mx::concatenate(tokens, 1), caches);
}

}  // namespace

void launch_step(const Model& model, std::span<Generation* const> rows) {
  for (Generation* row : rows) row->meter().start();
  mx::array logits = model.head(hidden_of(model, rows));  // [1, N, V]
  std::vector<mx::array> results;
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    mx::array own = mx::slice(logits, {0, i, 0}, {1, i + 1, logits.shape(2)});
    rows[static_cast<size_t>(i)]->add(mx::flatten(own), results);
  }
  mx::async_eval(results);
  for (Generation* row : rows) row->meter().submitted();
}

}  // namespace llm_host
