import { describeEncoders } from './encoder-cases.ts';

describeEncoders();
