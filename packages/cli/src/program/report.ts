import { isSublError, SublError, type ErrorCode } from '@subluminal/core-types';
import { exitCodeOf, type ExitCode } from './exit/codes.js';
import { escapeText } from '../output/escape.js';
import type { Output } from '../output/output.js';
import { whyOf } from '../output/system-error.js';

/**
 * Tells a person (stderr: `error[code]: message`, then `help: …`) or a program (stdout: one JSON object) what
 * went wrong. Messages may quote agents and servers, so they are escaped. Returns the exit code that belongs
 * to the error.
 */
export function report(error: SublError, output: Output): ExitCode {
  if (output.json) {
    const help = error.help === undefined ? {} : { help: error.help };
    const facts = Object.entries(error.details ?? {}).filter(([, value]) => isScalar(value));
    const details = facts.length === 0 ? {} : { details: Object.fromEntries(facts) };
    output.value({ error: { code: error.code, message: error.message, ...help, ...details } });
  } else {
    output.note(`${output.paintError('bad', `error[${error.code}]`)}: ${escapeText(error.message)}`);
    if (error.help !== undefined) {
      output.note(`${output.paintError('bold', 'help')}: ${escapeText(error.help)}`);
    }
  }
  return exitCodeOf(error.code);
}

/** A value that every JSON text can hold: the report of an error must not fail itself. */
function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

/**
 * Any thrown value as a coded error; what is not one already is a fault of `sub` or of the system under it.
 */
export function asSublError(thrown: unknown): SublError {
  if (isSublError(thrown)) return thrown;
  if (!(thrown instanceof Error)) return new SublError('failed', String(thrown));
  const code: ErrorCode = 'failed';
  return isSystemError(thrown)
    ? new SublError(code, describeSystemError(thrown), { cause: thrown })
    : new SublError(code, thrown.message, {
        cause: thrown,
        help: 'this is a mistake in `sub`: report it with the command that you ran',
      });
}

interface SystemError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
}

function isSystemError(error: Error): error is SystemError {
  return 'code' in error && typeof error.code === 'string' && 'syscall' in error;
}

function describeSystemError(error: SystemError): string {
  const where = error.path === undefined ? '' : ` \`${error.path}\``;
  return `the system refused ${error.syscall}${where}: ${whyOf(error)}`;
}
