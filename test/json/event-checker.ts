import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ROOT } from '../e2e/program.ts';

/** Checks an event against the schema of the package: '' or what is wrong. */
export function eventChecker(): (event: unknown) => string {
  const schema = JSON.parse(readFileSync(join(ROOT, 'events.schema.json'), 'utf8'));
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  const validate = ajv.compile(schema);
  return event => (validate(event) ? '' : ajv.errorsText(validate.errors));
}
