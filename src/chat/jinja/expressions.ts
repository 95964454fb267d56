import type { CallNode, Identifier, MemberNode, Node } from './ast.ts';
import { attributeOf, slice, subscript } from './attributes.ts';
import { applyFilter } from './filters.ts';
import { binary, negate } from './operators.ts';
import { print } from './print.ts';
import type { Scope } from './scope.ts';
import { applyTest } from './tests.ts';
import { Text } from './text.ts';
import {
  type Args,
  Callable,
  Dict,
  Float,
  iterate,
  List,
  templateError,
  truthy,
  typeName,
  Undefined,
  type Value,
} from './values.ts';

/** Nodes whose value is new, and may be large. */
const MAKES: ReadonlySet<string> = new Set(['BinaryExpression', 'CallExpression', 'FilterExpression']);

export function evaluate(node: Node, scope: Scope): Value {
  scope.budget.spend();
  const value = evaluateNode(node, scope);
  if (MAKES.has(node.type)) scope.budget.made(value);
  return value;
}

function evaluateNode(node: Node, scope: Scope): Value {
  switch (node.type) {
    case 'StringLiteral':
      return Text.of(node.value);
    case 'IntegerLiteral':
      return node.value;
    case 'FloatLiteral':
      return new Float(node.value);
    case 'ArrayLiteral':
      return new List(node.value.map(item => evaluate(item, scope)));
    case 'TupleLiteral':
      return new List(
        node.value.map(item => evaluate(item, scope)),
        'tuple',
      );
    case 'ObjectLiteral':
      return Dict.of(
        [...node.value].map(([key, value]) => [evaluate(key, scope), evaluate(value, scope)] as const),
      );
    case 'Identifier':
      return scope.get(node.value);
    case 'MemberExpression':
      return member(node, scope);
    case 'CallExpression':
      return callValue(evaluate(node.callee, scope), argumentsOf(node.args, scope));
    case 'FilterExpression':
      return filtered(evaluate(node.operand, scope), node.filter, scope);
    case 'TestExpression':
      return applyTest(node.test.value, evaluate(node.operand, scope)) !== node.negate;
    case 'UnaryExpression': {
      const value = evaluate(node.argument, scope);
      return node.operator.value === 'not' ? !truthy(value) : negate(node.operator.value, value);
    }
    case 'BinaryExpression':
      return binaryExpression(node.operator.value, node.left, node.right, scope);
    case 'Ternary':
      return evaluate(truthy(evaluate(node.condition, scope)) ? node.trueExpr : node.falseExpr, scope);
    case 'SelectExpression':
      return truthy(evaluate(node.test, scope))
        ? evaluate(node.lhs, scope)
        : new Undefined('the inline if-expression evaluated to false and no else section was defined');
    default:
      throw templateError(`'${node.type}' cannot stand in an expression`);
  }
}

/** Applies `| name` or `| name(...)`. */
export function filtered(value: Value, filter: Identifier | CallNode, scope: Scope): Value {
  if (filter.type === 'Identifier')
    return applyFilter(filter.value, value, { positional: [], named: new Map() });
  if (filter.callee.type !== 'Identifier') throw templateError('a filter must be a plain name');
  return applyFilter(filter.callee.value, value, argumentsOf(filter.args, scope));
}

export function callValue(callee: Value, args: Args): Value {
  if (callee instanceof Callable) return callee.call(args);
  throw templateError(
    callee instanceof Undefined ? callee.what : `'${typeName(callee)}' object is not callable`,
  );
}

export function argumentsOf(nodes: readonly Node[], scope: Scope): Args {
  const positional: Value[] = [];
  const named = new Map<string, Value>();
  for (const node of nodes) {
    if (node.type === 'KeywordArgumentExpression') {
      named.set(node.key.value, evaluate(node.value, scope));
    } else if (node.type === 'SpreadExpression') {
      positional.push(...iterate(evaluate(node.argument, scope)));
    } else if (node.type === 'KeywordSpreadExpression') {
      const value = evaluate(node.argument, scope);
      if (!(value instanceof Dict)) throw templateError('the argument after ** must be a mapping');
      for (const [key, item] of value.entries()) named.set(print(key).value, item);
    } else {
      positional.push(evaluate(node, scope));
    }
  }
  return { positional, named };
}

function member(node: MemberNode, scope: Scope): Value {
  const object = evaluate(node.object, scope);
  const { property } = node;
  if (!node.computed && property.type === 'Identifier') return attributeOf(object, property.value);
  if (property.type !== 'SliceExpression') return subscript(object, evaluate(property, scope));
  const edge = (part: Node | undefined) => (part ? evaluate(part, scope) : null);
  return slice(object, edge(property.start), edge(property.stop), edge(property.step));
}

function binaryExpression(operator: string, leftNode: Node, rightNode: Node, scope: Scope): Value {
  if (operator === 'and' || operator === 'or') {
    const left = evaluate(leftNode, scope);
    return truthy(left) === (operator === 'and') ? evaluate(rightNode, scope) : left;
  }
  // In Jinja ~ binds tighter than +, but the parser reads both from left to right: `a + b ~ c` arrives as `(a + b) ~
  // c`.
  if (operator === '~' && leftNode.type === 'BinaryExpression' && leftNode.operator.value === '+') {
    const first = evaluate(leftNode.left, scope);
    const second = evaluate(leftNode.right, scope);
    const right = evaluate(rightNode, scope);
    if (first instanceof Text) return binary('+', first, binary('~', second, right));
    return binary('~', binary('+', first, second), right);
  }
  return binary(operator, evaluate(leftNode, scope), evaluate(rightNode, scope));
}
