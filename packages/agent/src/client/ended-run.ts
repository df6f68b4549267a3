import { type Decision, isJsonObject, type JsonValue, STOPPED_BY_OPERATOR } from '@subluminal/core-types';

/**
 * Answers the calls that come when their run is over. Where a rule has ended the run, or the operator has
 * stopped everything, each answer says so.
 */
export class EndedRun {
  #terminated: Decision | undefined;
  #isStopped = false;

  /** The decision that ended the run. */
  decided(decision: Decision): void {
    if (decision.action === 'TERMINATE_RUN') this.#terminated = decision;
  }

  /** Learns of a decision on another server's call that ended the run. */
  onPush(event: JsonValue): void {
    if (this.#terminated !== undefined || !isJsonObject(event)) return;
    const { type, terminate, cause } = event;
    if (type !== 'run_ended') return;
    if (terminate !== undefined) this.#terminated = terminatedBy(terminate);
    else if (cause === 'panic') this.#isStopped = true;
  }

  /** `code`: by which the gateway refused the call. */
  answer(code: string): Decision {
    if (code === 'run_terminated') this.#terminated ??= terminatedBy(undefined);
    return this.#terminated ?? (this.#isStopped || code === 'panicked' ? STOPPED : ENDED);
  }
}

const PLAIN = { rule_id: null, severity: 'critical' } as const;
const ENDED: Decision = {
  ...PLAIN,
  action: 'BLOCK',
  reason_code: 'RUN_ENDED',
  summary: 'the run has ended',
};
const STOPPED: Decision = {
  ...PLAIN,
  action: 'BLOCK',
  reason_code: 'PANICKED',
  summary: STOPPED_BY_OPERATOR,
};

function terminatedBy(told: JsonValue | undefined): Decision {
  const code = isJsonObject(told) ? told['terminate_code'] : undefined;
  const terminate =
    typeof code === 'string'
      ? { terminate_code: code, terminate_message: 'a rule has ended the run' }
      : undefined;
  return {
    ...PLAIN,
    action: 'TERMINATE_RUN',
    reason_code: 'RUN_TERMINATED',
    summary: 'a rule has ended the run',
    ...(terminate === undefined ? {} : { terminate }),
  };
}
