import { once } from 'node:events';
import Database from 'better-sqlite3';
import { type JsonObject, RunOpened, textAt, textsAt } from '@subluminal/core-types';
import { processIdentity, writeTicket } from '@subluminal/ipc';
import { isHeldOut } from '@subluminal/plane';
import { openLedgerReader, type LedgerRow } from '@subluminal/ledger';
import { dataOf, runBegin, type TestGateway } from '../gateway/harness.js';
import { type Client, client, event, type HookWorld } from '../hooks/world.js';

/** A clock that stands still until it is moved. */
export class HandClock {
  ms = 1_700_000_000_000;
  readonly now = (): number => this.ms;
}

/** A session that may be steered in the record of that gateway, or one of its hold-out. */
export function sessionOf(
  { paths }: Pick<TestGateway, 'paths'>,
  heldOut: boolean,
  more = '',
  via = 'claude_hook',
): string {
  const reader = openLedgerReader(paths.ledgerDb);
  const { ledgerId } = reader.genesis;
  reader.close();
  for (let at = 0; ; at += 1) {
    const session = `s-${more}${at}`;
    if (isHeldOut({ client: via, session, repository: '', agent: '' }, 5, ledgerId) === heldOut)
      return session;
  }
}

/** The calls that letters of a session's work stand for. */
const CALLS: Readonly<Record<string, (at: number) => readonly [string, JsonObject]>> = {
  r: (at) => ['Read', { file_path: `/srv/app/src/a/f${at % 5}.ts` }],
  e: (at) => ['Edit', { file_path: `/srv/app/src/a/f${at % 5}.ts`, old_string: 'a', new_string: `b${at}` }],
  t: (at) => ['Bash', { command: `npm test -- ${at}` }],
  d: (at) => ['Bash', { command: `deploy ${at}` }],
};

/** A client whose sessions are played, letter by letter, ten seconds apart. */
export class Player {
  readonly #claude: Client;
  readonly #clock: HandClock;
  readonly #session: string;
  #at = 0;

  constructor(world: HookWorld, clock: HandClock, session: string) {
    this.#claude = client(world);
    this.#clock = clock;
    this.#session = session;
  }

  /** The process of the client. */
  get pid(): number {
    return this.#claude.child.pid ?? 0;
  }

  /** The client ends. */
  async leave(): Promise<void> {
    const { child } = this.#claude;
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }

  /** Tells an event, and gives the answer. */
  async tell(name: string, members: JsonObject = {}): Promise<JsonObject> {
    this.#clock.ms += 5000;
    const { text } = await this.#claude.post({
      body: event(name, { session_id: this.#session, ...members }),
    });
    return dataOf({ data: JSON.parse(text) });
  }

  /** The answers to the end of each call; a capital letter is a call that fails. `of`: whose work it is. */
  async work(letters: string, of: JsonObject = {}): Promise<readonly JsonObject[]> {
    const answers: JsonObject[] = [];
    for (const letter of letters) {
      this.#at += 1;
      const made = CALLS[letter.toLowerCase()]?.(this.#at);
      if (made === undefined) throw new Error(`no work is called ${letter}`);
      const [tool_name, tool_input] = made;
      const use = { tool_use_id: `t${this.#at}`, tool_name, tool_input, ...of };
      await this.tell('PreToolUse', use);
      const hasFailed = letter !== letter.toLowerCase();
      const [name, end] = hasFailed
        ? ['PostToolUseFailure', { error: 'exit 1' }]
        : ['PostToolUse', { tool_response: 'ok' }];
      answers.push(await this.tell(name, { ...use, ...end }));
    }
    return answers;
  }
}

/** Opens a run for that client with the operator's key, as `sub run --agent NAME` does. Gives its id. */
export async function attest(
  world: HookWorld,
  player: Player,
  agent: string,
  more: JsonObject = { named: true },
): Promise<string> {
  const holder = processIdentity(player.pid);
  if (holder === undefined) throw new Error('the client is gone');
  const operator = await world.gateway.operator();
  const asked = runBegin({ agent_id: agent, client: 'claude', holder, ...more });
  const { credential, run_id } = RunOpened.parse((await operator.request('run.begin', asked)).data);
  const ticket = {
    v: 1,
    run_id,
    agent_id: agent,
    client: 'claude',
    env: 'dev',
    attested: true,
    credential,
  } as const;
  if (!writeTicket(world.gateway.paths, holder, ticket)) throw new Error('no ticket');
  return run_id;
}

/** The entries of the plane, without those that only say that something was not done. */
export function decided(rows: readonly LedgerRow[]): readonly string[] {
  return rows.flatMap(({ data, type }) => {
    if (type === 'plane.boundary')
      return [`boundary of ${textAt(data, 'window')}: ${textsAt(data, 'why').join('+')}`];
    if (type === 'plane.window') return [`${textAt(data, 'window')} ${textAt(data, 'what')}`];
    return type === 'plane.steer' ? ['steer'] : [];
  });
}

/** The data of all entries of the plane. */
export function planeRows(rows: readonly LedgerRow[]): readonly JsonObject[] {
  return rows.flatMap(({ data, type }) => (type.startsWith('plane.') ? [data] : []));
}

/** The things that were not done, and why. */
export function skipped(rows: readonly LedgerRow[]): readonly string[] {
  return rows.flatMap(({ data, type }) =>
    type === 'plane.skip' ? [`${textAt(data, 'what')}: ${textAt(data, 'reason')}`] : [],
  );
}

interface KeptRow {
  readonly key: string;
  readonly kept: string;
  readonly used_ms: number;
}

/** The plane's rows of `gateway.db`. */
export function keptRows(path: string): readonly KeptRow[] {
  const db = new Database(path);
  const rows = db.prepare<[], KeptRow>('SELECT * FROM plane').all();
  db.close();
  return rows;
}

/** As a process leaves them that was killed before it kept anything more. */
export function putBack(path: string, rows: readonly KeptRow[]): void {
  const db = new Database(path);
  db.exec('DELETE FROM plane');
  for (const { kept, key, used_ms: usedMs } of rows)
    db.prepare('INSERT INTO plane VALUES(?, ?, ?)').run(key, kept, usedMs);
  db.close();
}
