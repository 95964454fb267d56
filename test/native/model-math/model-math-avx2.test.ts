import { describeModelMath } from './model-math-cases.ts';

// The kernels of an older CPU. Read when the first model is loaded.
process.env.LLM_HOST_SIMD = 'avx2';
describeModelMath();
