import { type Decision, isJsonObject, type JsonValue } from '@subluminal/core-types';

/**
 * Answers the calls that come when their run is over. Where a rule has ended the run, each answer says so.
 */
export class EndedRun {
  #terminated: Decision | undefined;

  /** The decision that ended the run. */
  decided(decision: Decision): void {
    if (decision.action === 'TERMINATE_RUN') this.#terminated = decision;
  }

  /** Learns of a decision on another server's call that ended the run. */
  onPush(event: JsonValue): void {
    if (this.#terminated !== undefined || event === null || !isJsonObject(event)) return;
    const { type, terminate } = event;
    // The operator may end a run as well, by no rule.
    if (type !== 'run_ended' || terminate === undefined) return;
    this.#terminated = terminatedBy(terminate);
  }

  /** `code`: by which the gateway refused the call. */
  answer(code: string): Decision {
    if (code === 'run_terminated') this.#terminated ??= terminatedBy(undefined);
    return (
      this.#terminated ?? {
        ...PLAIN,
        action: 'BLOCK',
        reason_code: 'RUN_ENDED',
        summary: 'the run has ended',
      }
    );
  }
}

const PLAIN = { rule_id: null, severity: 'critical' } as const;

function terminatedBy(told: JsonValue | undefined): Decision {
  const code = told !== undefined && told !== null && isJsonObject(told) ? told['terminate_code'] : undefined;
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
