import { cleanDescription, cleanTitle } from '../server/incoming-text.ts';
import type { ManagedServer } from '../server/managed-server.ts';
import type { HostPrompt, HostResource } from '../tool-host.ts';

type Listing = Pick<ManagedServer, 'config' | 'extras'>;

/** The prompts of all servers. */
export function hostPrompts(servers: readonly Listing[]): HostPrompt[] {
  return servers.flatMap(({ config, extras }) =>
    extras.prompts.map(({ name, title, description, arguments: args }) => ({
      server: config.name,
      name,
      ...titled(title),
      ...described(description),
      arguments: (args ?? []).map(argument => ({
        name: argument.name,
        required: argument.required === true,
        ...described(argument.description),
      })),
    })),
  );
}

function titled(text: string | undefined): { readonly title?: string } {
  const title = cleanTitle(text);
  return title === '' ? {} : { title };
}

function described(text: string | undefined): { readonly description?: string } {
  return text === undefined ? {} : { description: cleanDescription(text) };
}

/** The resources of all servers; of each, templates come last. */
export function hostResources(servers: readonly Listing[]): HostResource[] {
  return servers.flatMap(({ config, extras }) => {
    const all = [
      ...extras.resources.map(resource => ({ ...resource, template: false })),
      ...extras.templates.map(template => ({ ...template, uri: template.uriTemplate, template: true })),
    ];
    return all.map(({ uri, name, title, description, template }) => ({
      server: config.name,
      ...titled(title),
      uri,
      template,
      ...(name === undefined ? {} : { name: cleanTitle(name) }),
      ...described(description),
    }));
  });
}
