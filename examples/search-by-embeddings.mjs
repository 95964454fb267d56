// Finds the paragraphs of a folder's markdown files that are nearest in meaning to a question:
//   node search-by-embeddings.mjs FOLDER "QUESTION" [MODEL]
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadModel } from 'llm-host';

const [folder, question, source = 'sentence-transformers/all-MiniLM-L6-v2'] = process.argv.slice(2);
if (folder === undefined || question === undefined) {
  console.error('Usage: node search-by-embeddings.mjs FOLDER "QUESTION" [MODEL]');
  process.exit(2);
}

/** Paragraphs with the file and the line that they begin in. */
const paragraphs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.md'))
  .flatMap(name => {
    let line = 1;
    return readFileSync(join(folder, name), 'utf8')
      .split(/\n{2,}/)
      .map(text => {
        const found = { place: `${name}:${line}`, text: text.trim() };
        line += text.split('\n').length + 1;
        return found;
      })
      .filter(({ text }) => text !== '');
  });

const model = await loadModel(source);
// Vectors of length 1: their product is the cosine. An application would keep them for the next question.
const vectors = await model.embed(paragraphs.map(({ text }) => text));
const [asked] = await model.embed([question]);
/** @param {Float32Array} vector */
const score = vector => vector.reduce((sum, x, i) => sum + x * asked[i], 0);
const best = paragraphs
  .map((paragraph, index) => ({ ...paragraph, score: score(vectors[index]) }))
  .sort((a, b) => b.score - a.score)
  .slice(0, 3);
for (const { place, text, score } of best) console.log(`${score.toFixed(3)} ${place}\n${text}\n`);
await model.close();
