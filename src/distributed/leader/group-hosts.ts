import { resolve } from 'node:path';
import { hostsFault, parseHostsFile } from '../../model/distributed/hosts-file.ts';
import type { Address } from '../link/address.ts';
import { readSecretFile } from '../link/secret.ts';

/** A machine that runs a worker. */
export interface WorkerHost {
  readonly name: string;
  /** The address of its control channel. */
  readonly control: Address;
  /** Started by this command before the arguments of `worker`; undefined: it runs already. */
  readonly start: readonly string[] | undefined;
  /** The secret of a worker that is already running. */
  readonly secret: string | undefined;
  /** Where the model is there, if not where it is here. */
  readonly model: string | undefined;
}

export interface GroupHosts {
  /** Addresses of the ring, this machine first. */
  readonly ring: readonly string[];
  readonly workers: readonly WorkerHost[];
}

const SSH = ['ssh', '-T', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=8'];

/** `--hosts FILE` of a program that runs a model. Throws LlmHostError USAGE. */
export function readGroupHosts(file: string, cwd: string): GroupHosts {
  const path = resolve(cwd, file);
  const { hosts, secretFile } = parseHostsFile(path);
  if (hosts.length < 2) throw hostsFault(path, 'has one host: there is nobody to share the model with');
  const byHand = hosts.slice(1).find(host => host.ssh === undefined);
  if (byHand && secretFile === undefined) {
    throw hostsFault(
      path,
      `has no secretFile, which the worker on '${byHand.name}' needs, or ssh, to start one`,
    );
  }
  const secret =
    byHand && secretFile !== undefined
      ? readSecretFile(resolve(path, '..', secretFile), `--hosts: secretFile of ${path}`)
      : undefined;
  return {
    ring: hosts.map(host => host.address),
    workers: hosts.slice(1).map(({ name, address, controlPort, ssh, program, model }) => {
      if (controlPort === undefined)
        throw hostsFault(path, `does not say controlPort of '${name}', where its worker listens`);
      const [host = '', port] = address.split(':');
      if (Number(port) === controlPort) throw hostsFault(path, `has one port twice for '${name}'`);
      return {
        name,
        control: { host, port: controlPort },
        start: ssh === undefined ? undefined : [...SSH, ssh, program ?? 'llm-host'],
        secret: ssh === undefined ? secret : undefined,
        model,
      };
    }),
  };
}
