import { resolve } from 'node:path';
import { z } from 'zod';
import { LlmHostError, messageOf } from '../../errors.ts';
import { readTextFile } from '../../text/files/read-text-file.ts';
import { parseJsonWithComments } from '../../text/json/json-with-comments.ts';
import type { Host, Hosts, Link } from './hosts.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_HOSTS = 64;

const positive = z.number().positive().max(1e6);

const host = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'a name has 1 to 64 letters, digits, . _ -'),
  address: z
    .string()
    .regex(/^\d{1,3}(\.\d{1,3}){3}:\d{1,5}$/, "an address is an IPv4 one with a port: '10.0.0.1:9000'"),
  memoryGB: positive.optional(),
  bandwidthGBs: positive.optional(),
  controlPort: z.number().int().min(1).max(65_535).optional(),
  ssh: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9._@-]{0,255}$/, "ssh is what ssh takes: 'user@laptop'")
    .optional(),
  program: z
    .string()
    .regex(/^[A-Za-z0-9._~/-]{1,1024}$/, "a program's path has letters, digits, . _ - ~ /")
    .optional(),
  model: z.string().min(1).max(4096).optional(),
});

const hostsFile = z.strictObject({
  hosts: z.array(host).min(1).max(MAX_HOSTS),
  link: z
    .strictObject({
      bandwidthGbits: positive,
      latencyMicroseconds: z.number().min(0).max(1e6),
      mesh: z.boolean().optional(),
    })
    .optional(),
  secretFile: z.string().min(1).max(4096).optional(),
});

/** The file as it stands. */
export type HostsFile = z.infer<typeof hostsFile>;
type Given = z.infer<typeof host>;

/** This machine's figures, for a first host that does not give its own. */
export type OwnMachine = Pick<Host, 'memoryBytes' | 'bytesPerSecond'>;

/** The link of a single machine, which sends nothing, and the one assumed until it is measured. */
const NO_LINK: Link = { bytesPerSecond: Number.POSITIVE_INFINITY, latency: 0, mesh: false };

/**
 * `--hosts FILE` for a plan, as docs/distributed.md describes it. Throws LlmHostError USAGE.
 * @param measured `link` is going to be: the file need not have it
 */
export function readHostsFile(file: string, own: OwnMachine, measured = false): Hosts {
  const { hosts, link } = parseHostsFile(file);
  const fault = (what: string) => hostsFault(file, what);
  if (!link && hosts.length > 1 && !measured)
    throw fault('has several hosts and no link: what connects them? --probe measures it');
  return {
    hosts: hosts.map((one, index) => complete(one, index === 0 ? own : undefined, fault)),
    link: link
      ? {
          bytesPerSecond: (link.bandwidthGbits * 1e9) / 8,
          latency: link.latencyMicroseconds / 1e6,
          mesh: link.mesh ?? false,
        }
      : NO_LINK,
  };
}

export function hostsFault(file: string, what: string): LlmHostError {
  return new LlmHostError('USAGE', `--hosts: ${resolve(file)} ${what}`);
}

/** Throws LlmHostError USAGE. */
export function parseHostsFile(file: string): HostsFile {
  const fault = (what: string) => hostsFault(file, what);
  let text: string;
  try {
    text = readTextFile(resolve(file), MAX_BYTES, { pipes: true });
  } catch (error) {
    throw fault(`cannot be read (${messageOf(error)})`);
  }
  const parsed = parseJsonWithComments(text);
  if (!parsed.ok) throw fault(`is not valid JSON: ${parsed.detail}`);
  const read = hostsFile.safeParse(parsed.value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = issue?.path.map(String).join('.') || 'the file';
    throw fault(`is not as docs/distributed.md says: ${where}: ${issue?.message}`);
  }
  const { hosts } = read.data;
  for (const key of ['name', 'address'] as const) {
    const twice = hosts.find((one, index) => hosts.findIndex(other => other[key] === one[key]) !== index);
    if (twice) throw fault(`has two hosts with the ${key} '${twice[key]}'`);
  }
  return read.data;
}

function complete(given: Given, own: OwnMachine | undefined, fault: (what: string) => LlmHostError): Host {
  const { name, address, memoryGB, bandwidthGBs } = given;
  const memoryBytes = memoryGB === undefined ? own?.memoryBytes : memoryGB * 1e9;
  const bytesPerSecond = bandwidthGBs === undefined ? own?.bytesPerSecond : bandwidthGBs * 1e9;
  if (memoryBytes !== undefined && bytesPerSecond !== undefined)
    return { name, address, memoryBytes, bytesPerSecond };
  const missing = memoryBytes === undefined ? 'memoryGB' : 'bandwidthGBs';
  throw fault(`does not say ${missing} of '${name}': only that of the first host, this machine, is known`);
}
