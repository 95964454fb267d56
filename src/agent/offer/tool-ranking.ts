import MiniSearch from 'minisearch';
import type { HostTool } from '../../mcp/tool-host.ts';
import { questionSignals, toolSignals } from './argument-signals.ts';
import { relatedTerms } from './related-terms.ts';
import { termsOf } from './tool-terms.ts';

/** A tool that fits a text, and how well. */
export interface RankedTool {
  readonly tool: HostTool;
  readonly score: number;
}

/** Characters of a description that count. */
const MAX_DESCRIPTION = 600;
/** A related word counts less than the word itself. */
const RELATED_WEIGHT = 0.4;
const BOOST = { name: 3, server: 2.5, description: 1.2, arguments: 0.6, signals: 2 };

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

  constructor(tools: readonly HostTool[]) {
    this.#tools = tools;
    this.#index = new MiniSearch<Entry>({
      fields: Object.keys(BOOST),
      storeFields: [],
      tokenize: (text, field) => (field === 'signals' ? text.split(' ').filter(Boolean) : termsOf(text)),
      processTerm: term => term,
    });
    this.#index.addAll(tools.map(entryOf));
  }

  /** Best first; tools that share nothing with the text are left out. */
  rank(text: string): RankedTool[] {
    const own = new Set(termsOf(text));
    const related = new Set([...own].flatMap(relatedTerms).filter(term => !own.has(term)));
    const terms = [...own, ...related, ...questionSignals(text)];
    if (terms.length === 0) return [];
    const found = this.#index.search(terms.join(' '), {
      tokenize: query => query.split(' '),
      boost: BOOST,
      boostTerm: term => (related.has(term) ? RELATED_WEIGHT : 1),
      prefix: term => term.length > 4 && !term.startsWith('#'),
      weights: { fuzzy: 0.4, prefix: 0.3 },
    });
    return found.map(({ id, score }) => ({ tool: this.#tools[id as number] as HostTool, score }));
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
