import { optionalAdapters } from './optional-adapters.ts';

// Dense adapters are merged there while loading, unless a request may go without. Read when the first model is loaded.
process.env.LLM_HOST_DEVICE_POLICY = 'gpu';

optionalAdapters();
