import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

test('a command beside another is shown when it has ended, all of it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'llm-host-command-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = `
    import { showCommand } from '${new URL('scripts/lib/show-command.mjs', ROOT).href}';
    const ends = \`const timer = setInterval(() => {
      if (!require('fs').existsSync('ended')) return;
      clearInterval(timer);
      console.error('later ends');
    }, 20)\`;
    const run = (code, options) => showCommand(process.execPath, ['-e', \`process.chdir('${folder}'); \${code}\`], {}, options);
    console.log(await Promise.all([
      run('console.log("later begins");' + ends, { later: true }),
      run('console.log("shown"); require("fs").writeFileSync("ended", ""); process.exit(1)'),
    ]));
  `;
  const shown = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(shown.split('\n')).toEqual(['shown', 'later begins', 'later ends', '[ true, false ]', '']);
});
