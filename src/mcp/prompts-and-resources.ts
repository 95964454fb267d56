import type { ManagedServer } from './server/managed-server.ts';
import type { HostPrompt, HostResource } from './tool-host.ts';

type Listing = Pick<ManagedServer, 'config' | 'extras'>;

/** The prompts of all servers. */
export function hostPrompts(servers: readonly Listing[]): HostPrompt[] {
  return servers.flatMap(({ config, extras }) =>
    extras.prompts.map(({ name, description, arguments: args }) => ({
      server: config.name,
      name,
      ...(description === undefined ? {} : { description }),
      arguments: (args ?? []).map(argument => ({
        name: argument.name,
        required: argument.required === true,
        ...(argument.description === undefined ? {} : { description: argument.description }),
      })),
    })),
  );
}

/** The resources of all servers; of each, templates come last. */
export function hostResources(servers: readonly Listing[]): HostResource[] {
  return servers.flatMap(({ config, extras }) => {
    const all = [
      ...extras.resources.map(resource => ({ ...resource, template: false })),
      ...extras.templates.map(template => ({ ...template, uri: template.uriTemplate, template: true })),
    ];
    return all.map(({ uri, name, description, template }) => ({
      server: config.name,
      uri,
      template,
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
    }));
  });
}
