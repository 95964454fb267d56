import { postJson } from './request.ts';

/** Answers a question about a call. Throws ApiFailure: 404 if it does not wait any more, 400 for arguments that do not fit. */
export async function answerApproval(
  approval: string,
  answer: { readonly approve: boolean; readonly arguments?: Readonly<Record<string, unknown>> },
): Promise<void> {
  await postJson(`v1/approvals/${encodeURIComponent(approval)}`, answer);
}
