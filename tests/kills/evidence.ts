import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { argsHash, isJsonObject, type JsonObject } from '@subluminal/core-types';
import { openLedgerReader, type CodeName, type LedgerRow } from '@subluminal/ledger';

/** A line that the client wrote down when it was answered. */
interface Answer {
  readonly args: JsonObject;
  readonly told: string;
  readonly ref?: string;
}

interface Call {
  readonly start: number;
  decision?: CodeName | null;
}

/**
 * Holds what the client was told and what the server did against what the ledger says, bit by bit as all
 * three grow. Read in the order from the last to the first to know: what the client was told the server has
 * done, and what the server has done is in the ledger.
 */
export class Evidence {
  readonly #ledger: string;
  readonly #executedFile: Lines;
  readonly #answersFile: Lines;
  readonly #calls = new Map<string, Call>();
  readonly #starts = new Map<number, Call>();
  readonly #executed = new Set<string>();
  readonly #refused = new Set<string>();
  #cursor: number | null = null;
  #rows = 0;
  #answered = 0;

  constructor(ledger: string, executed: string, answers: string) {
    this.#ledger = ledger;
    this.#executedFile = new Lines(executed);
    this.#answersFile = new Lines(answers);
  }

  /** What was looked at so far. */
  get counts(): { executed: number; answered: number; rows: number } {
    return { executed: this.#executed.size, answered: this.#answered, rows: this.#rows };
  }

  /** Everything that contradicts itself; empty when all is well. */
  check(): string[] {
    const wrong: string[] = [];
    const answers = this.#answersFile.read().map((line) => JSON.parse(line) as Answer);
    const executed = this.#executedFile.read().map((line) => argsHash(JSON.parse(line) as JsonObject));
    const leaves = this.#readLedger(answers);
    for (const hash of executed) {
      if (this.#executed.has(hash)) wrong.push(`${hash} was executed twice`);
      if (this.#refused.has(hash)) wrong.push(`${hash} was executed after it was refused`);
      if (this.#calls.get(hash)?.decision !== 'ALLOW')
        wrong.push(`${hash} was executed without an ALLOW on the disk`);
      this.#executed.add(hash);
    }
    for (const answer of answers) {
      const fault = this.#fault(answer, leaves);
      if (fault !== null) wrong.push(`${JSON.stringify(answer)}: ${fault}`);
      this.#answered += 1;
    }
    return wrong;
  }

  #fault({ args, told, ref }: Answer, leaves: ReadonlyMap<string, LedgerRow | undefined>): string | null {
    const hash = argsHash(args);
    const decision = this.#calls.get(hash)?.decision;
    if (told === 'result') {
      if (decision !== 'ALLOW') return 'no ALLOW in the ledger';
      return this.#executed.has(hash) ? null : 'a result of a call that was never executed';
    }
    this.#refused.add(hash);
    if (this.#executed.has(hash)) return 'refused, and executed nevertheless';
    if (ref === undefined) return told === 'DENYLIST_MATCH' ? 'a refusal without an audit reference' : null;
    return leaves.get(ref) === undefined ? 'its audit reference is not in the ledger' : null;
  }

  /** Reads the rows that came since; gives the rows that the answers refer to. */
  #readLedger(answers: readonly Answer[]): Map<string, LedgerRow | undefined> {
    const reader = openLedgerReader(this.#ledger);
    try {
      for (;;) {
        const { rows } = reader.all({ order: 'asc', limit: 1000, cursor: this.#cursor });
        for (const row of rows) this.#note(row);
        if (rows.length === 0) break;
        this.#cursor = rows.at(-1)?.seq ?? this.#cursor;
      }
      const refs = answers.flatMap(({ ref }) => (ref === undefined ? [] : [ref]));
      return new Map(
        refs.map((ref) => {
          const [seq, leaf] = ref.split('.');
          const row = reader.entry(Number(seq));
          return [ref, row?.leaf === leaf ? row : undefined];
        }),
      );
    } finally {
      reader.close();
    }
  }

  #note(row: LedgerRow): void {
    this.#rows += 1;
    if (row.type === 'tool_call_start') {
      const { call } = row.data;
      const hash = call !== undefined && isJsonObject(call) ? call['args_hash'] : undefined;
      if (typeof hash !== 'string') return;
      const known = { start: row.seq };
      this.#calls.set(hash, known);
      this.#starts.set(row.seq, known);
    }
    if (row.type !== 'tool_call_decision' || row.ref === null) return;
    const call = this.#starts.get(row.ref);
    if (call !== undefined) call.decision = row.code;
    this.#starts.delete(row.ref);
  }
}

/** Whole lines of a file that grows. */
class Lines {
  readonly #path: string;
  #at = 0;

  constructor(path: string) {
    this.#path = path;
  }

  read(): string[] {
    const fd = openSync(this.#path, 'a+');
    try {
      const bytes = Buffer.alloc(fstatSync(fd).size - this.#at);
      readSync(fd, bytes, 0, bytes.length, this.#at);
      const end = bytes.lastIndexOf(10) + 1;
      this.#at += end;
      return bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
    } finally {
      closeSync(fd);
    }
  }
}
