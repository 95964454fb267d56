import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { BFCL, bfclFolder } from '../../bench/tools/bfcl/fetch-bfcl.ts';
import { readBfcl } from '../../bench/tools/bfcl/read-bfcl.ts';
import { readConversations } from '../../bench/tools/bfcl/read-conversations.ts';
import { missingServices, type Services } from '../../bench/tools/bfcl/services.ts';
import { readFolder } from '../../bench/tools/cases/folder-cases.ts';
import type { ToolCase } from '../../bench/tools/cases/tool-case.ts';
import type { LeftOut } from '../../bench/tools/tools-report.ts';
import { bfclCategories, type ChosenCategories, named, type ToolsArguments } from './tools-arguments.ts';

export interface Benchmark {
  readonly title: string;
  /** Changes when any question does. */
  readonly key: string;
  readonly cases: readonly ToolCase[];
  /** Those that cannot be asked here. */
  readonly leftOut: readonly LeftOut[];
  /** Of its conversations. */
  readonly services?: Services;
}

/** The questions of a folder, or those of BFCL. Throws LlmHostError. */
export async function benchmarkOf(
  args: ToolsArguments,
  onProgress: (text: string) => void,
  signal: AbortSignal,
): Promise<Benchmark> {
  if (args.tools !== '') return folderBenchmark(args);
  const chosen = bfclCategories(args);
  const { env } = process;
  const cache = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'llm-host');
  const conversations = chosen.conversations.length > 0;
  const folder = await bfclFolder({ cache, env, signal, onProgress, conversations });
  const single = {
    title: `BFCL v4, ${kindOf(chosen)} (${BFCL.name} ${BFCL.version})`,
    // Conversations come with the same wheel.
    key: BFCL.dataSha256,
    cases: chosen.single.flatMap(category => readBfcl(folder, category)),
  };
  if (!conversations) return { ...single, leftOut: [] };
  const services: Services = { folder, env };
  const all = chosen.conversations.flatMap(category => readConversations(folder, category));
  const { cases, leftOut } = await runnable(all, services, signal);
  return { ...single, cases: [...single.cases, ...cases], leftOut, services };
}

function folderBenchmark({ tools, categories }: ToolsArguments): Benchmark {
  const folder = resolve(tools);
  const { cases, sha256 } = readFolder(folder);
  const known = [...new Set(cases.map(one => one.category))];
  const wanted = categories === undefined ? known : named('categories', categories, known);
  const own = cases.filter(one => wanted.includes(one.category));
  return { title: folder, key: sha256, cases: own, leftOut: [] };
}

function kindOf({ single, conversations }: ChosenCategories): string {
  if (conversations.length === 0) return 'single turn';
  return single.length === 0 ? 'several turns' : 'single and several turns';
}

/** Parts the cases whose services run here from the others. */
async function runnable(
  all: readonly ToolCase[],
  services: Services,
  signal: AbortSignal,
): Promise<Pick<Benchmark, 'cases' | 'leftOut'>> {
  const names = [...new Set(all.flatMap(({ conversation }) => conversation?.services ?? []))];
  const missing = await missingServices(services, names, signal);
  const why = ({ conversation }: ToolCase) => {
    const name = conversation?.services.find(one => missing.has(one));
    return name === undefined ? undefined : `${name} ${missing.get(name)}`;
  };
  const leftOut = new Map<string, LeftOut>();
  for (const one of all) {
    const reason = why(one);
    if (reason === undefined) continue;
    const key = `${one.category} ${reason}`;
    const cases = (leftOut.get(key)?.cases ?? 0) + 1;
    leftOut.set(key, { category: one.category, cases, why: reason });
  }
  return { cases: all.filter(one => why(one) === undefined), leftOut: [...leftOut.values()] };
}
