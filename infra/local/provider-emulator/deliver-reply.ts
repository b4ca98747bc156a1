import type { ServerResponse } from 'node:http';
import type { EpochMs } from '#core/brand.ts';
import { type Answer, cutAnswer, dropConnection, sendAnswer } from '../emulator-server.ts';
import { retryAfterHeaders } from '../retry-after-form.ts';
import type { ProviderReply } from './provider-reply.ts';
import type { ProviderRequest, SurfaceAnswers } from './provider-surface.ts';

/** Writes a reply to the socket in the vendor's form, or breaks or leaves the connection. */
export function deliverReply(
  reply: ProviderReply,
  answers: SurfaceAnswers,
  request: ProviderRequest,
  response: ServerResponse,
  now: EpochMs,
): void {
  if (reply.kind === 'hang') return;
  if (reply.kind === 'reset') dropConnection(response);
  else if (reply.kind === 'cut') {
    cutAnswer(response, answers.accepted(reply.receipt, false, request));
  } else sendAnswer(response, answerOf(reply, answers, request, now));
}

function answerOf(
  reply: Exclude<ProviderReply, { kind: 'hang' | 'reset' | 'cut' }>,
  answers: SurfaceAnswers,
  request: ProviderRequest,
  now: EpochMs,
): Answer {
  switch (reply.kind) {
    case 'accepted':
      return answers.accepted(reply.receipt, reply.replayed, request);
    case 'no-receipt':
      return answers.noReceipt(request);
    case 'conflict':
      return answers.conflict();
    case 'in-progress':
      return answers.inProgress();
    case 'rejected':
      return answers.refused(reply.status, reply.code);
    case 'auth-failed':
      return answers.refused(reply.status, 'unauthorized');
    case 'deferred': {
      const answer = answers.refused(reply.status, 'try_later');
      return {
        ...answer,
        headers: { ...answer.headers, ...retryAfterHeaders(reply.retryAfter, now) },
      };
    }
    case 'server-error':
      return {
        status: reply.status,
        headers: { 'content-type': 'text/html' },
        body: `<html><body><h1>${reply.status}</h1></body></html>`,
      };
  }
}
