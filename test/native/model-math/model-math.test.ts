import { describeModelMath } from './model-math-cases.ts';

describeModelMath();
