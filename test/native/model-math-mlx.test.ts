import { describeModelMath } from './model-math-cases.ts';

// MLX's own operations, which a GPU runs. Read when the first model is loaded.
process.env.LLM_HOST_DEVICE_POLICY = 'gpu';
describeModelMath();
