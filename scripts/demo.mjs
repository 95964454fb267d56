import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { distDir, root } from './lib/project.mjs';
import { runMain } from './lib/setup-error.mjs';
import { talk } from './lib/talk.mjs';

// Sets up what is missing, then talks to the demo model: interactively on a terminal, otherwise with the piped
// prompts, or with models/demo/conversation.txt if there are none.
await runMain(async () => {
  await bootstrap({ quiet: true });
  process.exitCode = await talk({
    main: join(distDir, 'cli', 'main.js'),
    args: ['demo', ...process.argv.slice(2)],
    conversation: join(root, 'models', 'demo', 'conversation.txt'),
  });
});
