import { parse, tokenize } from '@huggingface/jinja';
import { LlmHostError, messageOf } from '../../errors.ts';

interface Operator {
  readonly value: string;
}

export interface Identifier {
  readonly type: 'Identifier';
  readonly value: string;
}
export interface CallNode {
  readonly type: 'CallExpression';
  readonly callee: Node;
  readonly args: readonly Node[];
}
export interface KeywordArgument {
  readonly type: 'KeywordArgumentExpression';
  readonly key: Identifier;
  readonly value: Node;
}
export interface SliceNode {
  readonly type: 'SliceExpression';
  readonly start?: Node;
  readonly stop?: Node;
  readonly step?: Node;
}
export interface MemberNode {
  readonly type: 'MemberExpression';
  readonly object: Node;
  readonly property: Node | SliceNode;
  readonly computed: boolean;
}
export interface BinaryNode {
  readonly type: 'BinaryExpression';
  readonly operator: Operator;
  readonly left: Node;
  readonly right: Node;
}
export interface FilterNode {
  readonly type: 'FilterExpression';
  readonly operand: Node;
  readonly filter: Identifier | CallNode;
}
export interface TupleNode {
  readonly type: 'TupleLiteral';
  readonly value: readonly Node[];
}
export interface SelectNode {
  readonly type: 'SelectExpression';
  readonly lhs: Node;
  readonly test: Node;
}
export interface ForNode {
  readonly type: 'For';
  readonly loopvar: Identifier | TupleNode;
  readonly iterable: Node;
  readonly body: readonly Node[];
  readonly defaultBlock: readonly Node[];
}
export interface SetNode {
  readonly type: 'Set';
  readonly assignee: Node;
  readonly value: Node | null;
  readonly body: readonly Node[];
}
export interface MacroNode {
  readonly type: 'Macro';
  readonly name: Identifier;
  readonly args: readonly (Identifier | KeywordArgument)[];
  readonly body: readonly Node[];
}
export interface CallBlockNode {
  readonly type: 'CallStatement';
  readonly call: CallNode;
  readonly callerArgs: readonly (Identifier | KeywordArgument)[] | null;
  readonly body: readonly Node[];
}

/** The nodes that @huggingface/jinja's parser makes; the package does not export their types. */
export type Node =
  | Identifier
  | CallNode
  | KeywordArgument
  | SliceNode
  | MemberNode
  | BinaryNode
  | FilterNode
  | TupleNode
  | SelectNode
  | ForNode
  | SetNode
  | MacroNode
  | CallBlockNode
  | {
      readonly type: 'If';
      readonly test: Node;
      readonly body: readonly Node[];
      readonly alternate: readonly Node[];
    }
  | {
      readonly type: 'FilterStatement';
      readonly filter: Identifier | CallNode;
      readonly body: readonly Node[];
    }
  | { readonly type: 'Break' | 'Continue' }
  | { readonly type: 'Comment' }
  | { readonly type: 'IntegerLiteral' | 'FloatLiteral'; readonly value: number }
  | { readonly type: 'StringLiteral'; readonly value: string }
  | { readonly type: 'ArrayLiteral'; readonly value: readonly Node[] }
  | { readonly type: 'ObjectLiteral'; readonly value: ReadonlyMap<Node, Node> }
  | { readonly type: 'UnaryExpression'; readonly operator: Operator; readonly argument: Node }
  | {
      readonly type: 'TestExpression';
      readonly operand: Node;
      readonly negate: boolean;
      readonly test: Identifier;
    }
  | { readonly type: 'Ternary'; readonly condition: Node; readonly trueExpr: Node; readonly falseExpr: Node }
  | { readonly type: 'SpreadExpression' | 'KeywordSpreadExpression'; readonly argument: Node };

/**
 * Parses with Hugging Face's settings: `trim_blocks`, `lstrip_blocks`, loop controls, the `generation` tag. What the
 * package's parser does not read is refused: tests with arguments, tuples of none or one, `raw`, `do`, `include`,
 * `recursive` loops, exponents in numbers.
 */
export function parseTemplate(source: string): readonly Node[] {
  // Jinja reads every newline as \n first.
  const text = source.replace(/\r\n?/g, '\n');
  try {
    const program = parse(tokenize(text, { trim_blocks: true, lstrip_blocks: true }));
    return program.body as unknown as readonly Node[];
  } catch (error) {
    throw new LlmHostError('TEMPLATE', `The chat template cannot be parsed: ${messageOf(error)}`, {
      hint: 'Check chat_template.jinja (or chat_template in tokenizer_config.json) of the model.',
      cause: error,
    });
  }
}
