import { readFileSync } from 'node:fs';

/** One thing that a process did to its disk, or sent; in the order in which it happened. */
export interface Recorded {
  readonly op: 'create' | 'write' | 'sync' | 'truncate' | 'rename' | 'link' | 'unlink' | 'mkdir' | 'sent';
  readonly path: string;
  /** The second name of a rename or a link. */
  readonly other: string;
  /** Offset of a write, length after a truncate. */
  readonly at: number;
  readonly bytes: Buffer;
}

/** Reads what the library wrote to FAULT_RECORD: a line for each operation, followed by its bytes. */
export function readRecording(path: string): Recorded[] {
  const all = readFileSync(path);
  const found: Recorded[] = [];
  for (let from = 0; from < all.length;) {
    const end = all.indexOf(0x0a, from);
    const [op = '', file = '', other = '', at = '', length = ''] = all
      .toString('utf8', from, end)
      .split('\t');
    const bytes = all.subarray(end + 1, end + 1 + Number(length));
    found.push({ op: op as Recorded['op'], path: file, other, at: Number(at), bytes });
    from = end + 1 + bytes.length;
  }
  return found;
}

/**
 * What others were told or given before some operation: on a power cut there, exactly this must not be taken
 * back.
 */
export interface Promises {
  /** `<seq>.<leaf>` of every answer. */
  readonly acknowledged: readonly string[];
  /** Ids of requests that a service has received. */
  readonly effects: readonly string[];
}

/** What was promised by one message. A body that a service receives reads `effect:<request id>`. */
export function promisesOf({ op, bytes }: Recorded): Promises {
  if (op !== 'sent') return { acknowledged: [], effects: [] };
  const text = bytes.toString('latin1');
  return {
    acknowledged: [...text.matchAll(/"auditRef":"(\d+\.[0-9a-f]{64})"/g)].map(([, ref = '']) => ref),
    effects: [...text.matchAll(/effect:([\w-]+)/g)].map(([, id = '']) => id),
  };
}
