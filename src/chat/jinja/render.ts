import { LlmHostError, messageOf } from '../../errors.ts';
import { TimeLimitError, withinWork } from '../../text/time-limit.ts';
import type { Node } from './ast.ts';
import { print } from './print.ts';
import { type Budget, Scope } from './scope.ts';
import { capture } from './statements.ts';
import { strftime } from './strftime.ts';
import { Text } from './text.ts';
import {
  Attributes,
  argument,
  Callable,
  Dict,
  iterate,
  List,
  Namespace,
  numberOf,
  templateError,
  textArgument,
  type Value,
} from './values.ts';

/** CPU time of this thread; a long conversation with many tools takes less than a second. */
const LIMIT_MS = 5000;
const MAX_RANGE = 100_000;

/** Renders parsed template nodes with `variables`; `now` is the fixed clock of `strftime_now`. */
export function renderNodes(nodes: readonly Node[], variables: ReadonlyMap<string, Value>, now: Date): Text {
  // Anew in each attempt: see withinWork.
  const render = () => {
    const scope = new Scope();
    for (const [name, value] of globals(now, scope.budget)) scope.set(name, value);
    const inner = new Scope(scope);
    for (const [name, value] of variables) inner.set(name, value);
    return capture(nodes, inner);
  };
  try {
    return withinWork(LIMIT_MS, render);
  } catch (error) {
    if (error instanceof LlmHostError) throw error;
    if (error instanceof TimeLimitError) throw templateError(`it did not finish within ${LIMIT_MS / 1000} s`);
    // A macro with endless recursion overflows the stack.
    throw new LlmHostError('TEMPLATE', `The chat template failed: ${messageOf(error)}`, { cause: error });
  }
}

function globals(now: Date, budget: Budget): [string, Value][] {
  const functions = [
    new Callable('raise_exception', args => {
      throw new LlmHostError(
        'TEMPLATE',
        `The chat template refuses this conversation: ${print(args.positional[0] ?? null).value}`,
      );
    }),
    new Callable('strftime_now', args => Text.of(strftime(now, textArgument(args, 0, 'format').value))),
    new Callable('range', args => {
      const numbers = range(args.positional.map(value => numberOf(value) ?? 0));
      budget.spend(numbers.items.length);
      return numbers;
    }),
    new Callable('namespace', args => new Namespace(dictEntries(args.positional[0] ?? null, args.named))),
    new Callable('dict', args =>
      Dict.of(
        [...dictEntries(args.positional[0] ?? null, args.named)].map(
          ([name, value]) => [Text.of(name), value] as const,
        ),
      ),
    ),
    new Callable('joiner', args => joiner(argument(args, 0, 'sep') ?? Text.of(', '))),
    new Callable('cycler', args => cycler(args.positional)),
  ];
  const constants: [string, Value][] = [
    ['true', true],
    ['True', true],
    ['false', false],
    ['False', false],
    ['none', null],
    ['None', null],
  ];
  return [...functions.map(callable => [callable.label, callable] as [string, Value]), ...constants];
}

function* dictEntries(source: Value, named: ReadonlyMap<string, Value>): Iterable<readonly [string, Value]> {
  if (source instanceof Dict) for (const [key, value] of source.entries()) yield [print(key).value, value];
  else if (source !== null) {
    for (const pair of iterate(source)) {
      const [key = null, value = null] = iterate(pair);
      yield [print(key).value, value];
    }
  }
  yield* named;
}

function range(bounds: readonly number[]): List {
  const [start, stop, step] =
    bounds.length < 2 ? [0, bounds[0] ?? 0, 1] : [bounds[0] ?? 0, bounds[1] ?? 0, bounds[2] ?? 1];
  if (step === 0) throw templateError('range() step must not be zero');
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > MAX_RANGE) throw templateError(`range() is too long (${length}, at most ${MAX_RANGE})`);
  return new List(Array.from({ length }, (_, index) => start + index * step));
}

function joiner(separator: Value): Callable {
  let used = false;
  return new Callable('joiner', () => {
    if (used) return separator;
    used = true;
    return Text.of('');
  });
}

function cycler(items: readonly Value[]): Attributes {
  let at = 0;
  const current = () => items[at % items.length] ?? null;
  const next = new Callable('next', () => {
    const value = current();
    at += 1;
    return value;
  });
  return new Attributes('cycler', name =>
    name === 'next' ? next : name === 'current' ? current() : undefined,
  );
}
