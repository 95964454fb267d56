// Chats with a folder of random weights.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { distDir } from '../../lib/project.mjs';

const fromDist = path => import(pathToFileURL(join(distDir, path)).href);

/**
 * A folder without a tokenizer, opened with the demo's tokenizer and template; undefined if `source` is something else.
 * Ids beyond the demo's vocabulary add no text to a reply.
 */
export async function openShape(source, options) {
  const here = name => existsSync(join(source, name));
  if (!here('config.json') || here('tokenizer.json')) return undefined;
  const [{ loadEngine }, { loadTokenizer }, { readModel }, { LocalChatModel }, templates, { probeTemplate }] =
    await Promise.all(
      [
        'engine/load-engine.js',
        'model/load-tokenizer.js',
        'model/load-model.js',
        'agent/model/local-model.js',
        'chat/template.js',
        'chat/capability.js',
      ].map(fromDist),
    );
  const { chatTemplate } = readModel({ kind: 'demo', text: 'demo' }, { ...options, contextLength: 0 });
  const compiled = templates.compileTemplate(chatTemplate);
  const engine = await loadEngine(source, options);
  const model = new LocalChatModel({
    engine,
    tokenizer: loadTokenizer('demo'),
    template: { compiled, source: chatTemplate, capability: probeTemplate(compiled) },
    now: new Date(),
  });
  return { model, close: () => engine.close() };
}
