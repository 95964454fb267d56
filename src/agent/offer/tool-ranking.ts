import MiniSearch from 'minisearch';
import type { HostTool } from '../../mcp/tool-host.ts';
import { toolSignals } from './argument-signals.ts';
import { type QuestionTerm, questionTerms } from './question-terms.ts';
import { termsOf } from './tool-terms.ts';

/** A tool that fits a text, and how well. */
export interface RankedTool {
  readonly tool: HostTool;
  readonly score: number;
  /** Words of the text that it shares; an implied one counts less than 1. */
  readonly words: number;
}

/** Characters of a description that count. */
const MAX_DESCRIPTION = 600;
/** A related word counts less than the word itself. */
const RELATED_WEIGHT = 0.4;
/** A tool that shares several words with a question fits it better than their sum: for each word after the first. */
const MORE_WORDS = 0.3;
/**
 * The share of its server's mean score that a tool gets too: where all tools of a server fit a little, one of them is
 * meant.
 */
const SERVER_SHARE = 1;
const BOOST = { name: 3, server: 2.5, description: 1.2, arguments: 0.6, signals: 3.5 };
/** A server is named by its name alone. */
const { server: _, ...RELATED_BOOST } = BOOST;

interface Entry {
  readonly id: number;
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly arguments: string;
  readonly signals: string;
}

/** Finds the tools that fit a text: BM25 over their names, servers, descriptions and arguments. */
class ToolRanking {
  readonly #tools: readonly HostTool[];
  readonly #index: MiniSearch<Entry>;
  readonly #serverSizes = new Map<string, number>();

  constructor(tools: readonly HostTool[]) {
    this.#tools = tools;
    this.#index = new MiniSearch<Entry>({
      fields: Object.keys(BOOST),
      storeFields: [],
      tokenize: (text, field) => (field === 'signals' ? text.split(' ').filter(Boolean) : termsOf(text)),
      processTerm: term => term,
    });
    this.#index.addAll(tools.map(entryOf));
    for (const { server } of tools) this.#serverSizes.set(server, (this.#serverSizes.get(server) ?? 0) + 1);
  }

  /** Best first; tools that share nothing with the text are left out. */
  rank(text: string): RankedTool[] {
    const sums = new Map<number, { score: number; words: number }>();
    for (const word of questionTerms(text)) {
      for (const [id, score] of this.#scores(word)) {
        const sum = sums.get(id) ?? { score: 0, words: 0 };
        sums.set(id, { score: sum.score + score, words: sum.words + (word.isKind ? 0 : word.weight) });
      }
    }
    const ranked = [...sums].map(([id, { score, words }]) => ({
      tool: this.#tools[id] as HostTool,
      score: score * (1 + MORE_WORDS * Math.max(0, words - 1)),
      words,
    }));
    const means = this.#serverMeans(ranked);
    return ranked
      .map(one => ({ ...one, score: one.score + SERVER_SHARE * (means.get(one.tool.server) ?? 0) }))
      .sort((a, b) => b.score - a.score);
  }

  /** Scores the tools that have the word, or one that is related to it; each counts it once. */
  #scores({ term, related, weight }: QuestionTerm): Map<number, number> {
    const scores = new Map(this.#find(term, BOOST, weight));
    for (const other of related) {
      for (const [id, score] of this.#find(other, RELATED_BOOST, weight * RELATED_WEIGHT))
        scores.set(id, Math.max(scores.get(id) ?? 0, score));
    }
    return scores;
  }

  #find(
    term: string,
    boost: Readonly<Record<string, number>>,
    weight: number,
  ): (readonly [number, number])[] {
    const found = this.#index.search(term, {
      tokenize: query => [query],
      fields: Object.keys(boost),
      boost,
    });
    return found.map(({ id, score }) => [id as number, weight * score] as const);
  }

  #serverMeans(ranked: readonly RankedTool[]): Map<string, number> {
    const means = new Map<string, number>();
    for (const { tool, score } of ranked) {
      const tools = this.#serverSizes.get(tool.server) ?? 1;
      means.set(tool.server, (means.get(tool.server) ?? 0) + score / tools);
    }
    return means;
  }
}

function entryOf({ definition, server, tool }: HostTool, id: number): Entry {
  const { description = '', parameters } = definition.function;
  const properties = Object.entries(
    (parameters.properties ?? {}) as Record<string, { description?: unknown }>,
  );
  return {
    id,
    name: tool,
    server,
    description: description.slice(0, MAX_DESCRIPTION),
    arguments: properties
      .map(([name, schema]) => `${name} ${typeof schema?.description === 'string' ? schema.description : ''}`)
      .join(' '),
    signals: toolSignals(parameters).join(' '),
  };
}

/** The ranking of the latest list of tools, made once for all conversations. */
export class Rankings {
  #latest: { readonly tools: readonly HostTool[]; readonly ranking: ToolRanking } | undefined;

  of(tools: readonly HostTool[]): ToolRanking {
    const known = this.#latest;
    if (known?.tools.length === tools.length && known.tools.every((tool, index) => tool === tools[index]))
      return known.ranking;
    const ranking = new ToolRanking(tools);
    this.#latest = { tools, ranking };
    return ranking;
  }
}
