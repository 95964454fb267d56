import { describeModelMath } from './model-math-cases.ts';

// What a chat runs by default: activations rounded on the way, to bfloat16 at the coarsest.
describeModelMath({ exact: false, tolerance: 0.3 });
