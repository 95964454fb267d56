import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { clientOf } from './http/clients.ts';
import { readBody } from './http/read-body.ts';
import type { ServeContext } from './http/serve-context.ts';

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
