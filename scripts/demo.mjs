import { join } from 'node:path';
import { isatty } from 'node:tty';
import { bootstrap } from './bootstrap.mjs';
import { runMainUnderNewerNode } from './lib/newer-node.mjs';
import { distDir, root } from './lib/project.mjs';
import { talk } from './lib/talk.mjs';

// Sets up what is missing, then talks to the demo model: interactively on a terminal, otherwise with the piped
// prompts, or with models/demo/conversation.txt if there are none. npm writes to stdout too, so without a terminal the
// whole transcript is shown, not the answers alone.
await runMainUnderNewerNode(async () => {
  await bootstrap({ quiet: true });
  const onTerminal = isatty(0) && isatty(1);
  process.exitCode = await talk({
    main: join(distDir, 'cli', 'main.js'),
    args: ['demo', ...(onTerminal ? [] : ['--plain']), ...process.argv.slice(2)],
    conversation: join(root, 'models', 'demo', 'conversation.txt'),
  });
});
