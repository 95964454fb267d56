// Starts servers written with old and new SDKs of the protocol, `protocol: auto`, and prints a table of what works with
// each. Needs dist/ (npm run build). The SDKs are installed in the user's cache folder.
//   node scripts/check/program/dual-era.mjs [id...]
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPython } from '../../lib/python.mjs';
import { runCommand } from '../../lib/run-command.mjs';
import { runMain, SetupError } from '../../lib/setup-error.mjs';
import { folder, SERVERS } from './dual-era/servers.mjs';
import { tryServer } from './dual-era/try-server.mjs';

const COLUMNS = ['start', 'call', 'elicitation', 'progress', 'cancel', 'task'];

async function install({ id, pip, npm }) {
  const place = join(folder, id);
  const done = join(place, '.installed');
  if (existsSync(done)) return;
  mkdirSync(place, { recursive: true });
  if (pip !== undefined) {
    await runCommand((await findPython()).command, ['-m', 'venv', place]);
    await runCommand(join(place, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', ...pip]);
  } else {
    writeFileSync(join(place, 'package.json'), '{ "private": true }\n');
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts'];
    await runCommand('npm', ['install', ...quiet, ...npm], { cwd: place });
  }
  writeFileSync(done, '');
}

await runMain(async () => {
  const wanted = process.argv.slice(2);
  const servers = SERVERS.filter(({ id }) => wanted.length === 0 || wanted.includes(id));
  if (servers.length === 0)
    throw new SetupError('no such server', { hint: `There are: ${SERVERS.map(({ id }) => id).join(', ')}.` });
  console.log(`| server | ${COLUMNS.join(' | ')} |\n| --- |${' --- |'.repeat(COLUMNS.length)}`);
  let faults = 0;
  for (const server of servers) {
    await install(server);
    const row = await tryServer(server);
    if (process.env.DEBUG) console.error(row.log);
    const cells = COLUMNS.map(column => row[column] ?? '');
    if (!cells.every((cell, index) => index === 0 || /^(yes\b|-$)/.test(cell))) faults += 1;
    console.log(`| ${server.label} | ${cells.join(' | ')} |`);
  }
  if (faults > 0) throw new SetupError(`${faults} ${faults === 1 ? 'server has' : 'servers have'} faults`);
});
