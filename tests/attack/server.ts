import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Wire } from '../shim/wire.js';
import type { Smuggled } from './smuggled.js';

const LENIENT = fileURLToPath(new URL('fixtures/lenient-server.mjs', import.meta.url));

/** Three real servers that read one text in three ways. */
export const READINGS = ['first', 'last', 'folded'] as const;
export type Reading = (typeof READINGS)[number];

/** The argv of a lenient server that writes what it runs to `log`. */
export function lenientServer(reading: Reading, log: string): string[] {
  return [process.execPath, LENIENT, reading, log];
}

/**
 * What came of a message: what the server ran, the honest call behind it, and everything that was answered.
 */
export interface Outcome {
  readonly log: string;
  readonly honest: string;
  readonly said: readonly Buffer[];
}

/** A lenient server, behind something or bare. */
export class Server {
  readonly #log: string;
  readonly #wire: Wire;
  #calls = 0;

  constructor(log: string, argv: readonly string[]) {
    this.#log = log;
    this.#wire = new Wire(argv);
  }

  /** Sends a message and an honest call behind it, and waits for the answer to the latter. */
  async ran(smuggled: Smuggled): Promise<Outcome> {
    writeFileSync(this.#log, '');
    this.#wire.child.stdin.write(smuggled.bytes());
    this.#calls += 1;
    const honest = `honest-${this.#calls}`;
    const params = { name: 'echo', arguments: { path: honest } };
    this.#wire.send(`\n${JSON.stringify({ jsonrpc: '2.0', id: honest, method: 'tools/call', params })}`);
    const last = await this.#wire.answer(honest);
    const said = [...this.#wire.lines.splice(0), last].map(({ bytes }) => bytes);
    return { log: readFileSync(this.#log, 'utf8'), honest, said };
  }

  close(): Promise<number | null> {
    return this.#wire.close();
  }
}
