import { LlmHostError } from '../../errors.ts';
import { PROTOCOL } from '../link/messages.ts';
import type { WorkerHost } from './group-hosts.ts';
import { Machine } from './machine.ts';

/** The measured connection between this machine and another. */
export interface ProbedLink {
  /** `laptop (10.0.0.2:9001)` */
  readonly title: string;
  /** Seconds: half the shortest round trip of a small message. */
  readonly latency: number;
  /** From here to there. */
  readonly bytesPerSecond: number;
}

const ROUND_TRIPS = 100;
/** On a slow connection this many seconds of them are enough. */
const MOST_SECONDS = 2;
const PART_BYTES = 64 * 1024;
const FIRST_PARTS = 4;
/** 64 MB. */
const MOST_PARTS = 1024;
/** Long enough for TCP to have found its speed. */
const ENOUGH_SECONDS = 0.25;
const REPEATED = 2;

/**
 * Measures the connection to each worker over the control channel, one after the other, so that they do not share a cable.
 * The figures include the time of TLS and of both programs. Throws LlmHostError that names the machine.
 */
export async function probeWorkers(workers: readonly WorkerHost[]): Promise<ProbedLink[]> {
  const links: ProbedLink[] = [];
  for (const worker of workers) {
    const machine = await Machine.connect(worker);
    try {
      links.push(await probe(machine));
    } finally {
      await machine.close();
    }
  }
  return links;
}

/** The slowest values of all connections. */
export function slowest(links: readonly ProbedLink[]): Pick<ProbedLink, 'latency' | 'bytesPerSecond'> {
  return {
    latency: Math.max(...links.map(link => link.latency)),
    bytesPerSecond: Math.min(...links.map(link => link.bytesPerSecond)),
  };
}

async function probe(machine: Machine): Promise<ProbedLink> {
  const { protocol, version } = await machine.hear('hello');
  if (protocol !== PROTOCOL)
    throw new LlmHostError('ENGINE', `${machine.title} has llm-host ${version}, which cannot be probed`, {
      hint: 'Install the same version on all machines.',
    });
  const roundTrip = await shortestRoundTrip(machine);
  return {
    title: machine.title,
    latency: roundTrip / 2,
    bytesPerSecond: await bandwidth(machine, roundTrip),
  };
}

async function shortestRoundTrip(machine: Machine): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  const began = now();
  for (let count = 0; count < ROUND_TRIPS && now() - began < MOST_SECONDS; count++)
    shortest = Math.min(shortest, await send(machine, 0));
  return shortest;
}

/** Twice as much each time, until it takes long enough; then as much again, in case something came between. */
async function bandwidth(machine: Machine, roundTrip: number): Promise<number> {
  let parts = FIRST_PARTS;
  let seconds = await send(machine, parts);
  while (seconds < ENOUGH_SECONDS && parts < MOST_PARTS) {
    parts *= 2;
    seconds = await send(machine, parts);
  }
  for (let more = 0; more < REPEATED; more++) seconds = Math.min(seconds, await send(machine, parts));
  return (parts * PART_BYTES) / Math.max(seconds - roundTrip, seconds / 2);
}

const PART = 'x'.repeat(PART_BYTES);

/** -> seconds until the other machine has said that all is there */
async function send(machine: Machine, parts: number): Promise<number> {
  const began = now();
  for (let part = 0; part < parts; part++) machine.tell({ type: 'probe', data: PART, answer: false });
  machine.tell({ type: 'probe', data: '', answer: true });
  await machine.hear('probed');
  return now() - began;
}

const now = () => performance.now() / 1000;
