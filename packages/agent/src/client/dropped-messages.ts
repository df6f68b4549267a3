import { startOf } from '@subluminal/core-types';
import type { DroppedMessage } from './contract.js';
import type { Reports } from './reports.js';

const MAX_REPORTED = 32;

interface Counted {
  readonly message: DroppedMessage;
  readonly count: number;
}

/**
 * Reports messages that went no further, at most so many at once. The others are counted by what they were,
 * and each count is one report: there are as many as there are reasons.
 */
export class DroppedMessages {
  readonly #reports: Reports;
  readonly #names: { readonly shim_id: string; readonly server_name: string };
  readonly #counted = new Map<string, Counted>();
  #reported = 0;

  constructor(reports: Reports, shimId: string, serverName: string) {
    this.#reports = reports;
    this.#names = { shim_id: shimId, server_name: serverName };
  }

  add(message: DroppedMessage): void {
    if (this.#reported < MAX_REPORTED) {
      this.#report({ message, count: 1 });
      return;
    }
    const { direction, reason, bytes } = message;
    const key = `${direction} ${reason}`;
    const { count = 0, message: first } = this.#counted.get(key) ?? {};
    const all = { direction, reason, bytes: (first?.bytes ?? 0) + bytes };
    this.#counted.set(key, {
      message: { ...all, method: undefined, streamHash: undefined },
      count: count + 1,
    });
  }

  #report({ message, count }: Counted, isCount = false): void {
    this.#reported += 1;
    const { direction, reason, bytes, method, streamHash } = message;
    const payload = {
      ...this.#names,
      direction,
      reason,
      bytes,
      ...(method === undefined ? {} : { method: startOf(method, 256) }),
      ...(streamHash === undefined ? {} : { stream_hash: streamHash }),
      ...(isCount ? { count } : {}),
    };
    this.#reports.add('message.dropped', payload, { onDone: () => this.#reportNext() });
  }

  #reportNext(): void {
    this.#reported -= 1;
    const [next] = this.#counted;
    if (next === undefined) return;
    const [key, counted] = next;
    this.#counted.delete(key);
    this.#report(counted, true);
  }
}
