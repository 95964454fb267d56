import { join } from 'node:path';
import type { Message } from '../../../chat/message.ts';
import { messageOf } from '../../../errors.ts';
import type { Expected, ExpectedCall, ToolCase } from '../cases/tool-case.ts';
import { damaged, readLines } from './bfcl-lines.ts';
import { BFCL_CATEGORIES, type BfclCategory, filesOf } from './categories.ts';
import { type BfclFunction, offeredName, offeredTool, signatureOf } from './offered-tool.ts';

interface Question {
  readonly id: string;
  /** One list of messages for each turn; here there is one turn. */
  readonly question: readonly (readonly Message[])[];
  readonly function: readonly BfclFunction[];
}

interface Answers {
  readonly id: string;
  readonly ground_truth: readonly Readonly<Record<string, ExpectedCall['arguments']>>[];
}

/** The cases of a category, in the order of its file. @throws LlmHostError CONFIG for data that cannot be read */
export function readBfcl(folder: string, category: BfclCategory): ToolCase[] {
  const [questions, answers] = filesOf(category).map(file => join(folder, file)) as [string, string?];
  const accepted = new Map(
    answers === undefined ? [] : readLines<Answers>(answers).map(entry => [entry.id, entry]),
  );
  return readLines<Question>(questions).map(entry => {
    try {
      return toolCase(entry, category, accepted.get(entry.id));
    } catch (error) {
      throw damaged(questions, `${entry.id}: ${messageOf(error)}`, error);
    }
  });
}

function toolCase(
  { id, question, function: described }: Question,
  category: BfclCategory,
  answers?: Answers,
): ToolCase {
  const { language } = BFCL_CATEGORIES[category];
  return {
    id,
    category,
    messages: (question[0] ?? []).map(({ role, content }) => ({ role, content }) as Message),
    tools: described.map(one => offeredTool(one, language)),
    expected: expectedOf(category, described, answers),
  };
}

function expectedOf(category: BfclCategory, described: readonly BfclFunction[], answers?: Answers): Expected {
  const { expects, language } = BFCL_CATEGORIES[category];
  if (expects !== 'calls') return { kind: expects };
  if (!answers) throw new Error('it has no accepted calls');
  // Of two of the same name the first counts.
  const signatures = new Map(described.toReversed().map(one => [offeredName(one.name), signatureOf(one)]));
  const calls = answers.ground_truth.flatMap(call =>
    Object.entries(call).map(([name, args]) => ({ name: offeredName(name), arguments: args })),
  );
  return { kind: 'calls', language, signatures, calls };
}
