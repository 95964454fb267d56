import { describeEncoders } from './encoder-cases.ts';

// What a GPU would run, by MLX's operations. Read when the first model is loaded.
process.env.LLM_HOST_DEVICE_POLICY = 'gpu';

// Activations have the checkpoint's own type: bfloat16 in some.
describeEncoders({ leastCosine: 0.9995, sameAlone: false });
