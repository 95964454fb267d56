import { stopCommands } from './run-command.mjs';

const STILL_WORKING_MS = 10_000;

/**
 * One step of set-up.
 * @typedef {object} Step
 * @property {string} id
 * @property {string} title as printed
 * @property {readonly string[]} needs ids of the steps that must be done before
 * @property {() => boolean} isReady quick: nothing is started
 * @property {(report: (progress: string) => void) => Promise<unknown>} run report: how far it is, in a few words
 */

/**
 * Runs the steps that are not ready, in parallel where possible, and prints a line with the time for each. The first
 * failure stops the others and is thrown.
 * @param {readonly Step[]} steps
 * @param {{ quiet?: boolean }} [options] quiet: says nothing of steps that were ready
 */
export async function runSteps(steps, { quiet = false } = {}) {
  const working = new Map();
  let failed = false;
  const reminder = setInterval(() => remind(working), STILL_WORKING_MS);
  const say = (step, what) => {
    working.delete(step);
    reminder.refresh(); // Only a silence is worth breaking.
    process.stderr.write(`[${steps.indexOf(step) + 1}/${steps.length}] ${step.title} ... ${what}\n`);
  };

  const runOne = async step => {
    if (failed) return;
    const started = Date.now();
    try {
      if (step.isReady()) {
        if (!quiet) say(step, 'ready');
        return;
      }
      working.set(step, { started });
      await step.run(progress => working.set(step, { started, progress }));
      if (!failed) say(step, seconds(started));
    } catch (error) {
      if (!failed) say(step, `failed after ${seconds(started)}`);
      failed = true;
      throw error;
    }
  };

  const done = new Map();
  for (const step of steps) {
    const needs = step.needs.map(id => done.get(id));
    done.set(
      step.id,
      Promise.all(needs).then(() => runOne(step)),
    );
  }
  try {
    await Promise.all(done.values());
  } catch (error) {
    stopCommands();
    await Promise.allSettled(done.values()); // So that locks are released and half-done work is cleared.
    throw error;
  } finally {
    clearInterval(reminder);
  }
}

function remind(working) {
  if (working.size === 0) return;
  const names = [...working].map(
    ([{ title }, { started, progress }]) =>
      `${title} (${progress ? `${progress}, ` : ''}${seconds(started)})`,
  );
  process.stderr.write(`      still working: ${names.join(', ')}\n`);
}

const seconds = since => `${((Date.now() - since) / 1000).toFixed(1)} s`;
