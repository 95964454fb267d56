import type {
  CallBlockNode,
  ForNode,
  Identifier,
  KeywordArgument,
  MacroNode,
  Node,
  SetNode,
  TupleNode,
} from './ast.ts';
import { argumentsOf, callValue, evaluate, filtered } from './expressions.ts';
import { print } from './print.ts';
import { Scope } from './scope.ts';
import { Text } from './text.ts';
import {
  type Args,
  Attributes,
  argument,
  Callable,
  Dict,
  equal,
  iterate,
  List,
  Namespace,
  templateError,
  truthy,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

type Signal = 'break' | 'continue' | undefined;

/** Runs statements, writing to `out`; returns whether to break out of or continue a loop. */
function run(nodes: readonly Node[], scope: Scope, out: Text[]): Signal {
  for (const node of nodes) {
    const signal = runOne(node, scope, out);
    if (signal) return signal;
  }
  return undefined;
}

/** The text that statements write. */
export function capture(nodes: readonly Node[], scope: Scope): Text {
  const out: Text[] = [];
  run(nodes, scope, out);
  return Text.concat(out);
}

function runOne(node: Node, scope: Scope, out: Text[]): Signal {
  switch (node.type) {
    case 'Comment':
      return undefined;
    case 'Break':
      return 'break';
    case 'Continue':
      return 'continue';
    case 'If':
      return run(truthy(evaluate(node.test, scope)) ? node.body : node.alternate, scope, out);
    case 'For':
      runFor(node, scope, out);
      return undefined;
    case 'Set':
      runSet(node, scope);
      return undefined;
    case 'Macro':
      scope.set(node.name.value, macro(node.name.value, node, scope));
      return undefined;
    case 'CallStatement':
      write(runCallBlock(node, scope), scope, out);
      return undefined;
    case 'FilterStatement':
      write(filtered(capture(node.body, new Scope(scope)), node.filter, scope), scope, out);
      return undefined;
    default:
      write(evaluate(node, scope), scope, out);
      return undefined;
  }
}

function write(value: Value, scope: Scope, out: Text[]): void {
  const text = print(value);
  scope.budget.write(text.value.length);
  out.push(text);
}

function runFor(node: ForNode, scope: Scope, out: Text[]): void {
  const source = node.iterable.type === 'SelectExpression' ? node.iterable : undefined;
  let items = iterate(evaluate(source ? source.lhs : node.iterable, scope));
  if (source) {
    items = items.filter(item => {
      const inner = new Scope(scope);
      assign(node.loopvar, item, inner);
      return truthy(evaluate(source.test, inner));
    });
  }
  if (items.length === 0) {
    run(node.defaultBlock, new Scope(scope), out);
    return;
  }
  const changed: Changed = { last: undefined };
  for (const [index, item] of items.entries()) {
    scope.budget.spend();
    // In Jinja every round starts with fresh names: the next one does not see what one sets.
    const inner = new Scope(scope);
    inner.set('loop', loopOf(items, index, changed));
    assign(node.loopvar, item, inner);
    if (run(node.body, inner, out) === 'break') break;
  }
}

type Changed = { last: Value | undefined };

function loopOf(items: readonly Value[], index: number, changed: Changed): Attributes {
  return new Attributes('loop', name => {
    const attribute = Object.hasOwn(LOOP, name) ? LOOP[name] : undefined;
    return attribute?.(items, index, changed);
  });
}

const BEYOND = new Undefined('there is no such item around the loop');

const LOOP: Readonly<Record<string, (items: readonly Value[], index: number, changed: Changed) => Value>> = {
  index: (_, index) => index + 1,
  index0: (_, index) => index,
  revindex: (items, index) => items.length - index,
  revindex0: (items, index) => items.length - index - 1,
  first: (_, index) => index === 0,
  last: (items, index) => index === items.length - 1,
  length: items => items.length,
  depth: () => 1,
  depth0: () => 0,
  previtem: (items, index) => (index > 0 ? (items[index - 1] as Value) : BEYOND),
  nextitem: (items, index) => (index + 1 < items.length ? (items[index + 1] as Value) : BEYOND),
  cycle: (_, index) => new Callable('cycle', args => args.positional[index % args.positional.length] ?? null),
  changed: (_items, _index, changed) =>
    new Callable('changed', args => {
      const value = new List(args.positional, 'tuple');
      const differs = changed.last === undefined || !equal(changed.last, value);
      changed.last = value;
      return differs;
    }),
};

function assign(target: Identifier | TupleNode, value: Value, scope: Scope): void {
  if (target.type === 'Identifier') {
    scope.set(target.value, value);
    return;
  }
  const items = iterate(value);
  if (items.length !== target.value.length) {
    throw templateError(`cannot unpack ${items.length} values into ${target.value.length} names`);
  }
  target.value.forEach((name, index) => {
    if (name.type !== 'Identifier' && name.type !== 'TupleLiteral')
      throw templateError('cannot assign to an expression');
    assign(name, items[index] as Value, scope);
  });
}

function runSet(node: SetNode, scope: Scope): void {
  let target = node.assignee;
  let value = node.value ? evaluate(node.value, scope) : capture(node.body, new Scope(scope));
  if (!node.value) {
    const filters = [];
    for (; target.type === 'FilterExpression'; target = target.operand) filters.unshift(target.filter);
    for (const filter of filters) value = filtered(value, filter, scope);
  }
  if (target.type === 'Identifier' || target.type === 'TupleLiteral') {
    assign(target, value, scope);
    return;
  }
  const object = target.type === 'MemberExpression' ? evaluate(target.object, scope) : null;
  const name = target.type === 'MemberExpression' ? target.property : undefined;
  if (!(object instanceof Namespace) || name?.type !== 'Identifier') {
    throw templateError(`cannot assign attribute on ${typeName(object)}, only on a namespace`);
  }
  object.set(name.value, value);
}

type Parameters = readonly (Identifier | KeywordArgument)[];

function macro(label: string, node: Pick<MacroNode, 'args' | 'body'>, scope: Scope): Callable {
  return new Callable(label, args => {
    const inner = new Scope(scope);
    bindParameters(node.args, args, inner);
    return capture(node.body, inner);
  });
}

function bindParameters(parameters: Parameters, args: Args, inner: Scope): void {
  const named = new Map(args.named);
  parameters.forEach((parameter, index) => {
    const name = parameter.type === 'Identifier' ? parameter.value : parameter.key.value;
    const given = argument(args, index, name);
    named.delete(name);
    if (given !== undefined) inner.set(name, given);
    else if (parameter.type === 'Identifier')
      inner.set(name, new Undefined(`parameter '${name}' was not provided`));
    else inner.set(name, evaluate(parameter.value, inner));
  });
  const caller = named.get('caller');
  if (caller !== undefined) inner.set('caller', caller);
  named.delete('caller');
  inner.set('varargs', new List(args.positional.slice(parameters.length), 'tuple'));
  inner.set('kwargs', Dict.of([...named].map(([name, value]) => [Text.of(name), value] as const)));
}

function runCallBlock(node: CallBlockNode, scope: Scope): Value {
  const caller = macro('caller', { args: node.callerArgs ?? [], body: node.body }, scope);
  const args = argumentsOf(node.call.args, scope);
  return callValue(evaluate(node.call.callee, scope), {
    positional: args.positional,
    named: new Map([...args.named, ['caller', caller]]),
  });
}
