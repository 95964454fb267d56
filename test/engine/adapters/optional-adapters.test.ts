import { optionalAdapters } from './optional-adapters.ts';

optionalAdapters();
