import type { FastifyInstance } from 'fastify';
import type { ServeContext } from './http/serve-context.ts';

/** The tools of mcp.json, for clients that show them. */
export function toolRoutes(app: FastifyInstance, { turns }: ServeContext): void {
  app.get('/v1/tools', () => ({
    object: 'list',
    data: turns.tools().map(({ server, readOnly, title, definition: { function: tool } }) => ({
      name: tool.name,
      object: 'tool',
      server,
      read_only: readOnly,
      ...(title !== undefined && { title }),
      description: tool.description ?? '',
    })),
  }));
}
