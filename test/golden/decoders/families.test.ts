import { describeFamilies } from './family-cases.ts';

describeFamilies();
