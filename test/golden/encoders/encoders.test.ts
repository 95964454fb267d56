import { describeEncoders } from './encoder-cases.ts';

describeEncoders({ leastCosine: 0.9998, sameAlone: true });
