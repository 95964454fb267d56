#include "weights/weight_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <random>

#include "check.h"
#include "checkpoint.h"
#include "common/error.h"
#include "kernels/packed/linear.h"
#include "weights/files/file.h"
#include "weights/join.h"
#include "weights/unpermute.h"

namespace llm_host::weight_store_test {

static const check::Suite suite("weight_store", [] { mx::set_default_device(mx::Device::cpu); });

namespace {

bool same(const mx::array& a, const mx::array& b) {
  return a.shape() == b.shape() && mx::array_equal(a, b).item<bool>();
}

}  // namespace

TEST(a_tensor_larger_than_its_file_is_refused_before_memory_is_taken) {
  for (const char* dtype : {"F32", "Q4_0"}) {
    Checkpoint checkpoint;
    checkpoint.spec().gguf = true;
    const bool floats = dtype[0] == 'F';
    const int64_t side = int64_t{1} << 19;
    const uint64_t bytes = static_cast<uint64_t>(side * side) / 32 * (floats ? 128 : 18);
    checkpoint.spec().weights.tensors.push_back({"a.weight", dtype, {side, side}, 0, 0, bytes});
    WeightStore store = checkpoint.store();
    const int size = static_cast<int>(side);
    CHECK_ERROR("MODEL_BROKEN", "the file has only 0", store.matrix("a", size, size));
  }
}

// Blocks of Q4_0 whose scales are of ordinary size.
std::vector<uint8_t> random_q4_0(int rows, int cols) {
  std::mt19937 random_bits(5);
  std::vector<uint8_t> blocks(static_cast<size_t>(rows) * cols / 32 * 18);
  for (uint8_t& byte : blocks) byte = static_cast<uint8_t>(random_bits());
  for (size_t at = 1; at < blocks.size(); at += 18) blocks[at] = (blocks[at] & 0x83) | 0x2c;
  return blocks;
}

TEST(blocks_are_packed_while_they_are_read) {
  // More than one part for a thread; the last block of rows is not full.
  constexpr int kRows = 7 * 120, kCols = 1024;
  Checkpoint checkpoint;
  checkpoint.spec().gguf = true;
  checkpoint.add_bytes("a.weight", "Q4_0", {kRows, kCols}, random_q4_0(kRows, kCols));
  Matrix stored = checkpoint.store().matrix("a", kRows, kCols);
  for (int head_dim : {0, 2, 24, 120}) {
    uint64_t read = 0;
    WeightStore store = checkpoint.store([&](uint64_t done, uint64_t) { read = done; });
    if (!store.packed()) return check::skip("this CPU has no kernels for packed weights");
    std::optional<cpu::Packed> packed = store.packed_matrix("a", kRows, kCols, head_dim);
    CHECK(packed.has_value());
    CHECK(read == checkpoint.spec().weights.tensors[0].bytes);
    CHECK(store.parameters() == uint64_t{kRows} * kCols);
    Matrix m = head_dim == 0 ? stored : unpermute(stored, kRows / head_dim, head_dim);
    mx::array expected = m.dequantize();
    expected.eval();
    std::vector<float> row(kCols);
    bool equal = true;
    for (int r = 0; r < kRows; ++r) {
      unpack_row(packed->layout(), r, row.data());
      for (int c = 0; c < kCols; ++c) {
        float value = expected.data<float>()[r * kCols + c];
        equal = equal && std::abs(row[static_cast<size_t>(c)] - value) <= 1e-6f;
      }
    }
    CHECK(equal);
  }
}

void check_refused(const std::vector<uint8_t>& blocks, uint64_t bytes, const char* text) {
  static const char* message;  // CHECK_ERROR captures nothing
  message = text;
  Checkpoint checkpoint;
  checkpoint.add_bytes("a.weight", "Q4_0", {64, 64}, blocks);
  checkpoint.spec().weights.tensors[0].bytes = bytes;
  WeightStore store = checkpoint.store();
  if (!store.packed()) return check::skip("this CPU has no kernels for packed weights");
  CHECK_ERROR(kModelBroken, message, store.packed_matrix("a", 64, 64));
}

TEST(packing_ends_at_a_bad_scale_a_short_file_and_a_cancelled_load) {
  std::vector<uint8_t> blocks = random_q4_0(64, 64), bad = blocks, cut = blocks;
  bad[18 * 5 + 1] = 0x7c;
  check_refused(bad, bad.size(), "infinite or not a number at element 160");
  cut.resize(cut.size() / 2);
  check_refused(cut, blocks.size(), "the file has only 1152");
  Checkpoint checkpoint;
  checkpoint.add_bytes("a.weight", "Q4_0", {64, 64}, blocks);
  WeightStore store = checkpoint.store([](uint64_t, uint64_t) { throw Error("STOP", "stopped"); });
  if (!store.packed()) return check::skip("this CPU has no kernels for packed weights");
  CHECK_ERROR(kModelBroken, "config.json asks for [64, 96]", store.packed_matrix("a", 64, 96));
  CHECK_ERROR("STOP", "stopped", store.packed_matrix("a", 64, 64));
}

TEST(experts_come_in_every_form) {
  struct Form {
    int group, bits;
    const char* mode;
  };
  mx::array w = random({3, 8, 64});
  for (Form form : {Form{64, 3, "affine"}, Form{32, 4, "mxfp4"}, Form{16, 4, "nvfp4"}}) {
    Checkpoint checkpoint;
    checkpoint.add_quantized("experts", w, form.group, form.bits, form.mode);
    WeightStore store = checkpoint.store();
    Matrix matrix = store.experts("experts", 3, 8, 64, false);
    CHECK(matrix.mode == form.mode && matrix.bits == form.bits && matrix.group_size == form.group);
    auto parts = mx::quantize(w, form.group, form.bits, form.mode);
    mx::array expected = mx::dequantize(
        parts[0], parts[1], parts.size() > 2 ? std::optional(parts[2]) : std::nullopt, form.group,
        form.bits, form.mode, std::nullopt, mx::float32);
    CHECK(same(matrix.dequantize(), expected));
    CHECK(store.parameters() == 3 * 8 * 64);
  }
}

TEST(experts_in_blocks_are_those_of_each_matrix) {
  // Two stacks of 3 experts with 16 rows of 64, and the same as one matrix.
  Checkpoint checkpoint;
  std::vector<uint8_t> blocks = random_q4_0(96, 64);
  size_t half = blocks.size() / 2;
  std::vector<uint8_t> gate(blocks.begin(), blocks.begin() + static_cast<int64_t>(half));
  std::vector<uint8_t> up(blocks.begin() + static_cast<int64_t>(half), blocks.end());
  checkpoint.add_bytes("gate.weight", "Q4_0", {3, 16, 64}, gate);
  checkpoint.add_bytes("up.weight", "Q4_0", {3, 16, 64}, up);
  checkpoint.add_bytes("all.weight", "Q4_0", {96, 64}, blocks);
  WeightStore store = checkpoint.store();
  mx::array all = store.matrix("all", 96, 64).dequantize();
  mx::array expected = mx::slice(all, {0, 0}, {48, 64});
  CHECK(
      same(mx::reshape(store.experts("gate", 3, 16, 64, false).dequantize(), {48, 64}), expected));
  CHECK_ERROR(kModelBroken, "config.json asks for [3, 16, 32]",
              store.experts("gate", 3, 16, 32, false));
  if (!store.packed()) return check::skip("this CPU has no kernels for packed weights");
  auto packed = store.packed_experts({"gate", "up"}, 3, 16, 64);
  CHECK(packed.has_value());
  std::vector<float> row(64);
  PackedMatrix layout = packed->layout();
  layout.data = packed->memory();
  for (int r = 0; r < 96; ++r) {
    unpack_row(layout, r, row.data());
    // First the rows of each expert's gate, then those of up.
    int from = r % 32 / 16 * 48 + r / 32 * 16 + r % 16;
    mx::array whole = mx::contiguous(mx::slice(all, {from, 0}, {from + 1, 64}));
    whole.eval();
    for (int c = 0; c < 64; ++c)
      CHECK_NEAR(row[static_cast<size_t>(c)], whole.data<float>()[c], 1e-4);
  }
}

TEST(experts_need_no_ending) {
  Checkpoint checkpoint;
  mx::array w = random({2, 4, 6});
  checkpoint.add("experts.gate_up_proj", w);
  CHECK(same(checkpoint.store().experts("experts.gate_up_proj", 2, 4, 6, false).weight, w));
  CHECK_ERROR(kModelBroken, "config.json asks for [2, 4, 8]",
              checkpoint.store().experts("experts.gate_up_proj", 2, 4, 8, false));
}

TEST(transposed_experts_are_transposed_back) {
  Checkpoint checkpoint;
  mx::array w = random({2, 6, 4});
  checkpoint.add("experts.down_proj", w);
  CHECK(same(checkpoint.store().transposed_experts("experts.down_proj", 2, 4, 6, false).weight,
             mx::swapaxes(w, 1, 2)));
}

TEST(blocks_of_mxfp4_are_what_mlx_packs) {
  mx::array w = random({2, 4, 64});
  auto parts = mx::quantize(w, 32, 4, "mxfp4");
  Checkpoint checkpoint;
  checkpoint.add("down_proj_blocks", mx::reshape(mx::view(parts[0], mx::uint8), {2, 4, 2, 16}));
  checkpoint.add("down_proj_scales", parts[1]);
  Matrix matrix = checkpoint.store().mxfp4_experts("down_proj", 2, 4, 64);
  CHECK(same(matrix.weight, parts[0]));
  CHECK(same(*matrix.scales, parts[1]));
}

TEST(joined_matrices_keep_their_rows) {
  Checkpoint checkpoint;
  mx::array a = random({4, 64}, 1), b = random({8, 64}, 2);
  checkpoint.add_quantized("a", a, 64, 5, "affine");
  checkpoint.add_quantized("b", b, 64, 5, "affine");
  WeightStore store = checkpoint.store();
  Matrix first = store.matrix("a", 4, 64), second = store.matrix("b", 8, 64);
  Matrix joined = concatenate("a and b", {first, second}, store.where());
  CHECK(same(joined.rows(0, 4).dequantize(), first.dequantize()));
  CHECK(same(joined.rows(4, 12).dequantize(), second.dequantize()));
  Matrix stacked = stack("a", {first, first}, store.where());
  CHECK(stacked.weight.shape() == mx::Shape({2, 4, 10}));
  mx::array odd = mx::take(first.dequantize(), mx::array({1, 3}), 0);
  CHECK(same(first.rows(1, 4, 2).dequantize(), odd));
  Matrix dense = first;
  dense.bits = 0;
  CHECK_ERROR(kModelUnsupported, "a and c are quantized differently",
              concatenate("a and c", {first, dense}, store.where()));
}

TEST(scales_that_are_not_numbers_are_refused) {
  for (const char* mode : {"mxfp4", "nvfp4"}) {
    int group = std::string(mode) == "mxfp4" ? 32 : 16;
    Checkpoint checkpoint;
    checkpoint.add("w.weight", mx::zeros({2, 64 / 8}, mx::uint32));
    checkpoint.add("w.scales", mx::full({2, 64 / group}, 255, mx::uint8));
    Value::Object q, config;
    q.emplace("mode", Value(std::string(mode)));
    config.emplace("quantization", Value(std::move(q)));
    checkpoint.spec().config = Value(std::move(config));
    CHECK_ERROR(kModelBroken, "tensor w.scales (/tmp/llm-host-weights-",
                checkpoint.store().matrix("w", 2, 64));
  }
}

TEST(sizes_that_overflow_or_lie_are_refused_before_any_memory_is_taken) {
  Checkpoint checkpoint;
  std::vector<TensorEntry>& tensors = checkpoint.spec().weights.tensors;
  tensors.push_back({"blocks.weight", "Q4_0", {1 << 20, 1 << 20}, 0, 0, 18});
  CHECK_ERROR(kModelBroken, "has 18 bytes, its shape and type need 618475290624",
              checkpoint.store().matrix("blocks", 1 << 20, 1 << 20));
  // 2^67 weights, whose bytes are 0 in 64 bits.
  tensors.push_back({"experts", "BF16", {1 << 23, 1 << 22, 1 << 22}, 0, 0, 0});
  checkpoint.spec().quantize = QuantizeSpec{"affine", 4, 32};
  CHECK_ERROR(kModelBroken, "tensor experts has shape [8388608, 4194304, 4194304]",
              checkpoint.store().experts("experts", 1 << 23, 1 << 22, 1 << 22, false));
}

// A pipe in place of the file: waiting for a writer would never end.
TEST(what_is_not_a_file_is_refused) {
  std::string path = "/tmp/llm-host-pipe-" + std::to_string(getpid());
  CHECK(mkfifo(path.c_str(), 0600) == 0);
  CHECK_ERROR(kModelBroken, "is not a regular file", File{path});
  std::remove(path.c_str());
  CHECK_ERROR(kModelBroken, "is not a regular file", File{"/tmp"});
  CHECK_ERROR(kModelBroken, "cannot open", File{path});
}

}  // namespace llm_host::weight_store_test
