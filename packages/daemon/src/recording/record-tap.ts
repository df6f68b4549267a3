import type { AppendGroup, AppendResult, EntryInput, Ledger } from '@subluminal/ledger';

/** An entry that is durable, and where it stands. */
export interface Recorded {
  readonly seq: number;
  readonly entry: EntryInput;
}

type Listener = (recorded: readonly Recorded[]) => void;

/**
 * A ledger whose durable entries are told to one listener, in their order. The listener holds up whoever
 * appends, so it only takes note. It must not throw.
 */
export class RecordTap implements Pick<Ledger, 'append'> {
  readonly #ledger: Pick<Ledger, 'append'>;
  #listener: Listener | undefined;

  constructor(ledger: Pick<Ledger, 'append'>) {
    this.#ledger = ledger;
  }

  append(group: AppendGroup, mayWaitMs?: number): Promise<AppendResult> {
    const appended = this.#ledger.append(group, mayWaitMs);
    const listener = this.#listener;
    if (listener !== undefined)
      appended.then(
        (result) => listener(recordedOf(group.entries, result)),
        () => undefined,
      );
    return appended;
  }

  /** Begins to tell, or ends it. */
  tell(listener: Listener | undefined): void {
    this.#listener = listener;
  }
}

function recordedOf(entries: readonly EntryInput[], result: AppendResult): readonly Recorded[] {
  if (!result.ok) return [];
  return entries.flatMap((entry, at) => {
    const seq = result.entries[at]?.seq;
    return seq === undefined ? [] : [{ seq, entry }];
  });
}
