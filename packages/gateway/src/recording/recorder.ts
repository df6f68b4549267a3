import { isSublError, SublError, type ErrorCode } from '@subluminal/core-types';
import type { AppendGroup, AppendResult, EntryInput, EntryPosition, Ledger } from '@subluminal/ledger';
import { BudgetGate } from './budget-gate.js';
import { type Logger, errorText } from '../base/logger.js';
import { ShownNames } from './shown-names.js';

/** Errors of the ledger that say what to do; all others mean that nothing can be recorded. */
const TELLING: readonly ErrorCode[] = ['overloaded', 'run_ended', 'shutting_down'];

/** Takes the secrets of servers out of an entry. */
export interface SecretFilter {
  hide(entry: EntryInput): EntryInput;
}

/** The filter of a recorder that writes nothing of any run. */
const HIDES_NOTHING: SecretFilter = { hide: (entry) => entry };

/**
 * Writes to the ledger. Whatever goes wrong there is one of a few documented errors here, and never a
 * success.
 */
export class Recorder {
  readonly #ledger: Pick<Ledger, 'append'>;
  readonly #log: Logger;
  readonly #names = new ShownNames();
  readonly #gate: BudgetGate;
  readonly #secrets: SecretFilter;

  constructor(
    ledger: Pick<Ledger, 'append'>,
    log: Logger,
    gate = new BudgetGate(),
    secrets: SecretFilter = HIDES_NOTHING,
  ) {
    this.#ledger = ledger;
    this.#secrets = secrets;
    this.#gate = gate;
    this.#log = log;
  }

  /**
   * Resolves once the group is durable, or with the conflict that kept it out. `mayWaitMs`: as the ledger's.
   *
   * @throws SublError `audit_unavailable`, `overloaded`, `run_ended`, `shutting_down`.
   */
  async append(group: AppendGroup, mayWaitMs?: number): Promise<AppendResult> {
    const admitted = this.#gate.admit(group);
    try {
      return await this.#ledger.append(this.#shown(admitted), mayWaitMs);
    } catch (error) {
      if (isSublError(error, ...TELLING)) throw error;
      this.#log.error('the ledger did not take an entry', {
        type: group.entries[0]?.type,
        error: errorText(error),
      });
      throw new SublError('audit_unavailable', 'the ledger cannot record the action, so it is not executed', {
        cause: error,
      });
    }
  }

  /** The group without credentials in names, and without the secrets of servers. */
  #shown(group: AppendGroup): AppendGroup {
    const entries = group.entries.map((entry) => this.#secrets.hide(this.#withShownNames(entry)));
    return entries.every((entry, at) => entry === group.entries[at]) ? group : { ...group, entries };
  }

  /** The entry without what looks like a credential in the names of its server and tool. */
  #withShownNames(entry: EntryInput): EntryInput {
    const { tool } = entry;
    if (tool === undefined || tool === null || typeof tool === 'string') return entry;
    const [server, name] = tool;
    const shown = [this.#names.of(server), this.#names.of(name)] as const;
    return shown[0] === server && shown[1] === name ? entry : { ...entry, tool: shown };
  }

  /** Appends entries that nothing waits for. A failure is logged and has no other effect. */
  note(group: AppendGroup): void {
    this.append(group).then(
      (result) => {
        if (!result.ok)
          this.#log.warn('an entry was refused', { type: group.entries[0]?.type, conflict: result.conflict });
      },
      (error: unknown) => {
        this.#log.warn('an entry was lost', { type: group.entries[0]?.type, error: errorText(error) });
      },
    );
  }
}

/** `<seq>.<leaf>`: how answers refer to an entry. Empty for none. */
export function auditRef(position: EntryPosition | undefined): string {
  return position === undefined ? '' : `${position.seq}.${position.leaf}`;
}
