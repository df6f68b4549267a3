import type { ActionResponse } from '../schema/request.js';
import { isErrorCode } from './codes.js';
import { SublError } from './subl-error.js';

/**
 * The error that an answer other than `success` stands for. A code that is not one of ours is `failed`, or
 * the status itself where that is a code: a newer gateway may know more of them.
 */
export function errorOf(answer: Pick<ActionResponse, 'error' | 'status'>): SublError {
  const code = answer.error?.code ?? '';
  const fallback = answer.status === 'success' || answer.status === 'error' ? 'failed' : answer.status;
  return new SublError(
    isErrorCode(code) ? code : fallback,
    answer.error?.message ?? `the gateway answered \`${answer.status}\``,
    {
      ...(answer.error?.help === undefined ? {} : { help: answer.error.help }),
      ...(answer.error?.details === undefined ? {} : { details: answer.error.details }),
    },
  );
}
