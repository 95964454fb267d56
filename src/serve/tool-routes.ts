import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readBody } from './http/body-fields.ts';
import { clientOf } from './http/clients.ts';
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

const answerBody = z.looseObject({
  approve: z.boolean(),
  arguments: z.record(z.string(), z.unknown()).optional(),
});

/** Answers to the questions that streams ask about calls (`x-llm-host-approval`). */
export function approvalRoutes(app: FastifyInstance, { approvals }: ServeContext): void {
  app.post<{ Params: { id: string } }>('/v1/approvals/:id', request => {
    const answer = readBody(answerBody, request.body);
    const { id } = request.params;
    approvals.answer(id, clientOf(request), answer);
    return { id, object: 'approval', approved: answer.approve };
  });
}
