import { describeModelMath } from './model-math-cases.ts';

// The same without a matrix unit. Read when the first model is loaded.
process.env.LLM_HOST_SIMD = 'avx512';
// All activations in 15 bits, so that more than rounding shows.
process.env.LLM_HOST_INT8 = 'fine';
describeModelMath({ exact: false, tolerance: 1e-2 });
