#pragma once

namespace llm_host::cpu {

// Whether the operations that this thread makes must be reproducible: each row of a result has the
// same bits as if it were computed alone, whatever the number of rows and wherever a chunk of a
// prompt begins. Most kernels always are. Those that are not are faster with many rows: matrix
// units, and float32 products with matrices that are not packed.
bool reproducible();

// Sets it while in scope.
class ReproducibleScope {
 public:
  explicit ReproducibleScope(bool on);
  ~ReproducibleScope();
  ReproducibleScope(const ReproducibleScope&) = delete;
  ReproducibleScope& operator=(const ReproducibleScope&) = delete;

 private:
  bool before_;
};

}  // namespace llm_host::cpu
