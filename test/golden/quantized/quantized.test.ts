import { describeQuantized } from './quantized-cases.ts';

describeQuantized();
