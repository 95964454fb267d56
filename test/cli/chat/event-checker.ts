import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { ROOT } from '../../e2e/program.ts';

/** Checks an event against the schema of the package: '' or what is wrong. */
export function eventChecker(): (event: unknown) => string {
  const schema = JSON.parse(readFileSync(join(ROOT, 'events.schema.json'), 'utf8'));
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  const validate = ajv.compile(schema);
  return event => (validate(event) ? '' : ajv.errorsText(validate.errors));
}

/** The events of a run in JSON mode, each checked against the schema. */
export function eventsOf(stdout: string) {
  const check = eventChecker();
  return stdout
    .trimEnd()
    .split('\n')
    .map(line => {
      const event = JSON.parse(line) as { type: string; [field: string]: unknown };
      expect(check(event), line).toBe('');
      return event;
    });
}
