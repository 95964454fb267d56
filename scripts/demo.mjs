import { join } from 'node:path';
import { bootstrap } from './bootstrap.mjs';
import { distDir, root } from './lib/project.mjs';
import { runMain } from './lib/setup-error.mjs';
import { talk } from './lib/talk.mjs';

// Sets up what is missing, then talks to the demo model: interactive on a terminal, else with the prompts piped in,
// or with the conversation of models/demo when there are none.
await runMain(async () => {
  await bootstrap({ quiet: true });
  process.exitCode = await talk({
    main: join(distDir, 'cli', 'main.js'),
    args: ['demo', ...process.argv.slice(2)],
    conversation: join(root, 'models', 'demo', 'conversation.txt'),
  });
});
