import type { Logger } from '@subluminal/gateway';

/** Whether the policy of the home holds back what a gate marks: no rule does, or its mode only observes. */
export type GateEffect = 'no_rule' | 'observes' | 'withholds';

/** Says in the log that a gate withholds nothing, once each time that it comes to that. */
export class GateNotice {
  readonly #log: Logger;
  #last: GateEffect = 'withholds';

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `effect`: undefined where there is no gate. */
  look(effect: GateEffect | undefined): void {
    const now = effect ?? 'withholds';
    if (now !== this.#last && now !== 'withholds')
      this.#log.warn('`[plane] protected` is `gate`, and it withholds nothing', { why: now });
    this.#last = now;
  }
}
