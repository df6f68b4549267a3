import type { Stored } from '@subluminal/mcp';
import type { EventFields } from './reader.js';

const END = Buffer.from('\n\n');
/** What keeps a connection alive and says nothing. */
export const COMMENT = Buffer.from(':\n\n');

/**
 * An event as it is written: one reading for every client, the fields that it had, and the bytes of its
 * message.
 */
export function eventFrame(fields: EventFields, data: Buffer | undefined): Buffer {
  const head = headOf(fields);
  if (data === undefined) return Buffer.from(`${head}\n`);
  const text = Buffer.from(head);
  if (!data.includes(0x0a)) return Buffer.concat([text, Buffer.from('data: '), data, END]);
  // Each byte stands for itself: UTF-8 is not looked into.
  const lines = data.toString('latin1').replaceAll('\n', '\ndata: ');
  return Buffer.concat([text, Buffer.from(`data: ${lines}\n\n`, 'latin1')]);
}

/** The same for a message that waits outside of memory, which has no line feed in it. */
export class StoredFrame implements Stored {
  readonly #head: Buffer;
  readonly #data: Stored;

  constructor(fields: EventFields, data: Stored) {
    this.#head = Buffer.from(`${headOf(fields)}data: `);
    this.#data = data;
  }

  get length(): number {
    return this.#head.length + this.#data.length + END.length;
  }

  read(position: number, size: number): Buffer {
    const dataEnd = this.#head.length + this.#data.length;
    if (position < this.#head.length) return this.#head.subarray(position, position + size);
    if (position >= dataEnd) return END.subarray(position - dataEnd, position - dataEnd + size);
    return this.#data.read(position - this.#head.length, Math.min(size, dataEnd - position));
  }

  close(): void {
    this.#data.close();
  }
}

function headOf({ event, id, retry }: EventFields): string {
  return (
    (event === undefined ? '' : `event: ${event}\n`) +
    (id === undefined ? '' : `id: ${id}\n`) +
    (retry === undefined ? '' : `retry: ${retry}\n`)
  );
}
