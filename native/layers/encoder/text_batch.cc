#include "layers/encoder/text_batch.h"

#include <algorithm>

#include "kernels/base/cpu_op.h"

namespace llm_host {
namespace {

struct Columns {
  std::vector<int32_t> ids, types, positions;
  std::vector<uint8_t> mask;

  void add(const TextTokens& text) {
    ids.insert(ids.end(), text.ids.begin(), text.ids.end());
    types.insert(types.end(), text.types.begin(), text.types.end());
    for (size_t i = 0; i < text.ids.size(); ++i) positions.push_back(static_cast<int32_t>(i));
    mask.insert(mask.end(), text.ids.size(), 1);
  }
  void pad_to(size_t count) {
    for (std::vector<int32_t>* values : {&ids, &types, &positions}) values->resize(count, 0);
    mask.resize(count, 0);
  }
};

mx::array int32s(const std::vector<int32_t>& values, int rows) {
  int columns = static_cast<int>(values.size()) / rows;
  return mx::array(values.begin(), {rows, columns}, mx::int32);
}

}  // namespace

TextBatch make_text_batch(std::span<const TextTokens> texts) {
  std::vector<int> lengths;
  for (const TextTokens& text : texts) lengths.push_back(static_cast<int>(text.ids.size()));
  auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  bool padded = *shortest != *longest && !cpu::usable();
  int rows = cpu::usable() ? 1 : static_cast<int>(texts.size());
  Columns columns;
  size_t end = 0;
  for (const TextTokens& text : texts) {
    columns.add(text);
    end += static_cast<size_t>(*longest);
    if (padded) columns.pad_to(end);
  }
  TextBatch batch{int32s(columns.ids, rows), int32s(columns.types, rows),
                  int32s(columns.positions, rows), lengths, std::nullopt};
  if (padded) {
    batch.mask = mx::array(columns.mask.begin(), {rows, 1, 1, *longest}, mx::bool_);
  }
  return batch;
}

}  // namespace llm_host
