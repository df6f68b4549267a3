import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@subluminal/core-types';
import { createHome, type TestHome, type TestHomeOptions } from '../harness/home.js';
import { openRawSession, type RawSession } from '../harness/raw-session.js';
import { runSub } from '../harness/resident.js';
import { type Finished, shimCommand, SUB } from '../harness/sub.js';

const LISTING = fileURLToPath(new URL('fixtures/listing-server.mjs', import.meta.url));

/** What the listing server answers. */
export interface Offer {
  readonly tools?: readonly JsonObject[];
  readonly pageSize?: number;
  readonly circle?: boolean;
  readonly extra?: JsonObject;
  readonly raw?: string;
}

/** The members of an answer that the tests look at. */
interface ListAnswer {
  readonly tools: readonly { readonly name: string }[];
  readonly nextCursor?: string;
}

/** A home with the real gateway, and servers whose lists a test writes. */
export class Place {
  readonly home: TestHome;
  readonly #sessions: RawSession[] = [];

  constructor(options: TestHomeOptions = {}) {
    this.home = createHome(options);
  }

  /** `sub` as the operator. */
  sub(...args: string[]): Promise<Finished> {
    return runSub([...args, '--home', this.home.home]);
  }

  /** The values that a command prints. */
  async values(...args: string[]): Promise<JsonObject[]> {
    const { code, stdout, stderr } = await this.sub(...args, '--json');
    if (code !== 0) throw new Error(`sub ${args.join(' ')}: ${code} ${stderr}`);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JsonObject);
  }

  /** Writes what a server lists from now on. */
  offer(server: string, offer: Offer): void {
    writeFileSync(this.#file(server, 'tools'), JSON.stringify(offer));
  }

  /** What reached a server. */
  calls(server: string): string[] {
    const file = this.#file(server, 'calls');
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  }

  /** A run with one server behind the real shim. */
  async session(server: string): Promise<RawSession> {
    const shim = shimCommand(
      this.home.home,
      server,
      [process.execPath, LISTING, server],
      ['TOOLS_FILE', 'CALLS_FILE'],
    );
    const argv = [process.execPath, SUB, 'run', '--home', this.home.home, '--', ...shim];
    const session = await openRawSession(argv, this.environment(server));
    this.#sessions.push(session);
    return session;
  }

  /** The argv of a server without anything in between. */
  direct(server: string): string[] {
    return [process.execPath, LISTING, server];
  }

  environment(server: string): NodeJS.ProcessEnv {
    return {
      ...process.env,
      TOOLS_FILE: this.#file(server, 'tools'),
      CALLS_FILE: this.#file(server, 'calls'),
    };
  }

  async remove(): Promise<void> {
    for (const session of this.#sessions) if (session.child.exitCode === null) await session.close();
    await this.home.remove();
  }

  #file(server: string, what: string): string {
    return join(this.home.root, `${server}-${what}`);
  }
}

/** The names of all tools that a client sees, page by page. */
export async function toolsIn(session: RawSession): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const answer = await session.request('tools/list', cursor === undefined ? undefined : { cursor });
    if (answer.error !== undefined) throw new Error(answer.error.message);
    const page = answer.result as ListAnswer;
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}
