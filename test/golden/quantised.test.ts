import { describeQuantised } from './quantised-cases.ts';

describeQuantised();
