import { type ActionResponse, isErrorCode, SublError } from '@subluminal/core-types';

/** The error that an answer other than success stands for. */
export function errorOf(answer: Pick<ActionResponse, 'error'>): SublError {
  const code = answer.error?.code ?? '';
  const help = answer.error?.help;
  return new SublError(
    isErrorCode(code) ? code : 'failed',
    answer.error?.message ?? 'the gateway refused',
    help === undefined ? {} : { help },
  );
}
