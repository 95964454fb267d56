import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StopStrings } from '../../src/tokens/stop-strings.ts';

function run(stops: string[], chunks: string[]): { text: string; stopped: string | undefined } {
  const cutter = new StopStrings(stops);
  let text = '';
  for (const chunk of chunks) {
    const result = cutter.push(chunk);
    text += result.text;
    if (result.stopped !== undefined) return { text, stopped: result.stopped };
  }
  return { text: text + cutter.end(), stopped: undefined };
}

describe('StopStrings', () => {
  it('cuts at a stop string, whatever comes behind it', () => {
    expect(run(['STOP'], ['one STOP two'])).toEqual({ text: 'one ', stopped: 'STOP' });
  });

  it('holds back what may become one, and releases what does not', () => {
    const cutter = new StopStrings(['</end>']);
    expect(cutter.push('a</e')).toEqual({ text: 'a', stopped: undefined });
    expect(cutter.push('x</')).toEqual({ text: '</ex', stopped: undefined });
    expect(cutter.end()).toBe('</');
  });

  it('gives nothing after a stop', () => {
    const cutter = new StopStrings(['x']);
    expect(cutter.push('axb')).toEqual({ text: 'a', stopped: 'x' });
    expect(cutter.push('more')).toEqual({ text: '', stopped: 'x' });
    expect(cutter.end()).toBe('');
  });

  it('passes everything on without stop strings, and ignores empty ones', () => {
    expect(run([], ['abc'])).toEqual({ text: 'abc', stopped: undefined });
    expect(run([''], ['abc'])).toEqual({ text: 'abc', stopped: undefined });
  });

  it('takes the one that is complete first, the longer of two that end together', () => {
    expect(run(['bcd', 'abcde'], ['abcde'])).toEqual({ text: 'a', stopped: 'bcd' });
    expect(run(['cd', 'bcd'], ['abcd'])).toEqual({ text: 'a', stopped: 'bcd' });
  });

  it('does the same for any chunking, and no stop string is in the text', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '<', '😀'), maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 3 }),
        fc.array(letters, { maxLength: 12 }),
        (stops, chunks) => {
          const whole = run(stops, [chunks.join('')]);
          expect(run(stops, chunks)).toEqual(whole);
          for (const stop of stops) if (stop) expect(whole.text).not.toContain(stop);
          if (whole.stopped === undefined) expect(whole.text).toBe(chunks.join(''));
        },
      ),
      { numRuns: 3000, seed: 11 },
    );
  });
});
