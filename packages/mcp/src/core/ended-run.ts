import { type Decision, isJsonObject, type JsonValue } from '@subluminal/core-types';

/** What a call is answered that comes when its run is over: a run that a rule has ended says so to each of them. */
export class EndedRun {
  #terminated: Decision | undefined;

  /** The decision that ended the run. */
  decided(decision: Decision): void {
    if (decision.action === 'TERMINATE_RUN') this.#terminated = decision;
  }

  /** Who ended the run otherwise is told of the decision on another server's call. */
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
