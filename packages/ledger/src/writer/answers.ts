import { SublError } from '@subluminal/core-types';
import type { Refusal } from '../store/admission.js';
import type { GroupOutcome } from '../store/store.js';
import type { WaitingGroup } from './backlog.js';

/** Tells whoever waits for a group what became of it. */
export function settle(waiting: WaitingGroup, outcome: GroupOutcome | undefined): void {
  if (outcome === undefined) waiting.reject(unavailable('a group got no answer', undefined));
  else if ('refused' in outcome) waiting.reject(refusal(outcome.refused));
  else waiting.resolve(outcome);
}

function refusal(refused: Refusal): SublError {
  switch (refused) {
    case 'run_ended':
      return new SublError('run_ended', 'the run has ended: nothing is added to it');
    case 'too_many_open':
      return new SublError('overloaded', 'too many actions wait for their result');
    case 'bad_ref':
      return new SublError('invalid_request', 'the entry refers to one that it may not refer to');
  }
}

/** The answer to whatever is asked of a ledger that closes. */
export function closing(): SublError {
  return new SublError('shutting_down', 'the ledger is closing');
}

/** The answer to whatever the disk, or what stands on it, kept from being recorded. */
export function unavailable(what: string, cause: unknown): SublError {
  const help = '`sub doctor` checks disk and permissions; the gateway tries again by itself';
  return new SublError('audit_unavailable', `${what}, so nothing is executed`, { cause, help });
}
