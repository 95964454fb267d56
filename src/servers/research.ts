import { ArxivClient, type ArxivOptions, PaperCache } from './arxiv-client.ts';
import type { Paper } from './atom.ts';
import { type ServerTool, serveTools, ToolError } from './tool-server.ts';

const BASE_URL = 'https://export.arxiv.org/api';
const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 50;
const MAX_TOPIC_CHARS = 300;
/** The new and the old form, with or without a version. */
const PAPER_ID = /^(\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?\/\d{7})(v\d{1,3})?$/;

export interface ResearchOptions extends Partial<ArxivOptions> {
  /** Where answers are kept. */
  readonly cacheFolder: string;
}

/** Two tools over the arXiv API. */
export function researchTools({ cacheFolder, ...options }: ResearchOptions): readonly ServerTool[] {
  const cache = new PaperCache(cacheFolder);
  const client = new ArxivClient({ baseUrl: BASE_URL, ...options });
  const find = async (
    params: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<readonly Paper[]> => {
    const key = new URLSearchParams(params).toString();
    const known = await cache.get(key);
    if (known !== undefined) return known;
    const papers = await client.query(params, signal);
    await cache.set(key, papers);
    return papers;
  };
  return [
    {
      name: 'search_papers',
      description: 'Search for papers on arXiv by topic.',
      parameters: { topic: 'string', 'max_results?': 'number' },
      annotations: { readOnlyHint: true },
      run: async ({ topic, max_results: limit }, signal) => {
        const papers = await find(searchParams(String(topic), limit), signal);
        if (papers.length === 0) return 'No papers found.';
        return papers.map(paper => `${paper.id}: ${paper.title} (${paper.published})`).join('\n');
      },
    },
    {
      name: 'extract_info',
      description: 'Title, authors, date and abstract of a paper, by its arXiv id.',
      parameters: { paper_id: 'string' },
      annotations: { readOnlyHint: true },
      run: async ({ paper_id: given }, signal) => {
        const id = String(given)
          .trim()
          .replace(/^arxiv:/i, '');
        if (!PAPER_ID.test(id))
          throw new ToolError(`${id.slice(0, 100)} is not an arXiv id such as 2301.01234.`);
        const [paper] = await find({ id_list: id }, signal);
        if (paper === undefined) throw new ToolError(`There is no paper ${id}.`);
        return describe(paper);
      },
    },
  ];
}

/** The `research` MCP server on stdio; resolves when its client is gone. */
export function runResearchServer(options: ResearchOptions, version = '0'): Promise<void> {
  return serveTools('research', version, researchTools(options));
}

function searchParams(topic: string, limit: unknown): Record<string, string> {
  // The query language's operators would change the query.
  const words = topic
    .replace(/["():]/g, ' ')
    .trim()
    .split(/\s+/);
  if (words[0] === '') throw new ToolError('The topic is empty.');
  if (topic.length > MAX_TOPIC_CHARS)
    throw new ToolError(`The topic is longer than ${MAX_TOPIC_CHARS} characters.`);
  const count = limit ?? DEFAULT_RESULTS;
  if (!Number.isInteger(count) || (count as number) < 1 || (count as number) > MAX_RESULTS) {
    throw new ToolError(`max_results must be a whole number from 1 to ${MAX_RESULTS}.`);
  }
  return {
    search_query: words.map(word => `all:${word}`).join(' AND '),
    start: '0',
    max_results: String(count),
    sortBy: 'relevance',
  };
}

function describe(paper: Paper): string {
  return [
    `Title: ${paper.title}`,
    `Authors: ${paper.authors.join(', ')}`,
    `Published: ${paper.published}`,
    `Categories: ${paper.categories.join(', ')}`,
    `PDF: ${paper.pdf}`,
    `Abstract: ${paper.summary}`,
  ].join('\n');
}
