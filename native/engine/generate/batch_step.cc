#include "engine/generate/batch_step.h"

#include <vector>

#include "layers/adapter_scope.h"

namespace llm_host {
namespace {

// -> [1, N, H]
mx::array hidden_of(const Model& model, std::span<Generation* const> sequences, int rows) {
  if (rows == 1) return model.body(sequences[0]->input(), sequences[0]->sequence().cache, 1);
  std::vector<mx::array> tokens;
  std::vector<ModelCache*> caches;
  for (Generation* one : sequences) {
    tokens.push_back(one->input());
    caches.insert(caches.end(), static_cast<size_t>(one->rows()), &one->sequence().cache);
  }
  return model.step(tokens.size() == 1 ? tokens[0] : mx::concatenate(tokens, 1), caches);
}

}  // namespace

Pass launch_step(const Model& model, std::span<Generation* const> sequences, Decisions* decisions) {
  Pass pass{static_cast<int>(sequences.size()), 0};
  for (Generation* one : sequences) {
    one->meter().start();
    pass.rows += one->rows();
  }
  AdapterScope scope(sequences[0]->job().request.adapted);
  mx::array logits = model.head(hidden_of(model, sequences, pass.rows));  // [1, N, V]
  int first = 0, vocab = logits.shape(2);
  logits = mx::astype(mx::reshape(logits, {pass.rows, vocab}), mx::float32);
  std::vector<LazySampler::Draw> draws;
  for (Generation* one : sequences) draws.push_back(one->draw());
  mx::array tokens = LazySampler::draw(logits, draws);
  if (decisions != nullptr) tokens = decisions->first(tokens);
  std::vector<mx::array> results;
  for (Generation* one : sequences) {
    int end = first + one->rows();
    one->add(mx::slice(logits, {first, 0}, {end, vocab}), mx::slice(tokens, {first}, {end}),
             pass.sequences, results);
    first = end;
  }
  mx::async_eval(results);
  for (Generation* one : sequences) one->meter().submitted();
  return pass;
}

}  // namespace llm_host
