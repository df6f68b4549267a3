import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSublError } from '@subluminal/core-types';
import { openGatewayDb, type Question } from '@subluminal/gateway';
import type { AppendGroup, AppendResult } from '@subluminal/ledger';
import type { Database } from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPROVALS_TABLES } from '../requests/tables.js';
import { QuestionStore } from './question-store.js';
import { Questions } from './questions.js';
import type { Entries } from './reconcile.js';

/** A kill before or after the next group of entries is durable. */
type Kill = 'after' | 'before' | 'none';

const START = 1_900_000_000_000;
const OPEN_MS = 900_000;
const done: AppendResult = { ok: true, entries: [] };

let folder: string;
let db: Database;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-crash-'));
  db = openGatewayDb(join(folder, 'gateway.db'), [APPROVALS_TABLES]);
  // No machine loses its power here.
  db.pragma('synchronous=OFF');
});
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

/** Gateways one after the other on one database and one ledger. */
class Home {
  readonly clock = { now: START };
  readonly live = new Set(['run-0', 'run-1']);
  readonly entries: { type: string; ts: number; data: AppendGroup['entries'][number]['data'] }[] = [];
  readonly store: QuestionStore;
  questions: Questions;
  #kill: Kill = 'none';
  #ids = 0;
  #gateway = 0;

  constructor() {
    db.exec('DELETE FROM question');
    this.store = new QuestionStore(db);
    this.questions = this.start();
  }

  start(): Questions {
    const me = (this.#gateway += 1);
    this.#kill = 'none';
    const questions = new Questions({
      store: this.store,
      recorder: { append: (group) => this.append(me, group) },
      clock: () => this.clock.now,
      newId: () => `q-${(this.#ids += 1)}`,
      isLive: (id) => this.live.has(id),
      isLimit: (ruleId) => ruleId === 'limit',
      canAsk: () => true,
      onAsked: () => undefined,
    });
    questions.reconcile({ byType: (type) => this.#page(type) });
    this.questions = questions;
    return questions;
  }

  /** Of a gateway that was killed nothing is ever heard again. */
  append(gateway: number, { entries }: AppendGroup): Promise<AppendResult> {
    const never = new Promise<AppendResult>(() => undefined);
    if (gateway !== this.#gateway || this.#kill === 'before') return never;
    this.entries.push(...entries.map(({ type, ts, data }) => ({ type, ts, data })));
    return this.#kill === 'after' ? never : Promise.resolve(done);
  }

  async during(kill: Kill, does: () => unknown): Promise<void> {
    this.#kill = kill;
    void does();
    await settled();
    if (kill !== 'none') this.start();
    await settled();
  }

  /** A call about that subject, which is asked about where nothing is known of it. */
  async call(run: string, ruleId: string, subject: string): Promise<Question | undefined> {
    const about = { runId: run, ruleId, ruleHash: 'hash', server: 's', tool: 't', subject };
    const found = this.questions.find(about);
    if (found !== undefined) return found;
    const words = { callId: 'call', isWhole: true, object: 'o', why: 'w' };
    const question = this.questions.ask(about, words, true);
    if (question === undefined) return undefined;
    const { id } = question;
    const { questions } = this;
    await this.append(this.#gateway, {
      entries: [{ type: 'approval_requested', ts: this.clock.now, runId: run, data: { question: { id } } }],
    });
    questions.asked(question);
    return question;
  }

  /** The ids of entries of those types. */
  idsOf(...types: readonly string[]): string[] {
    return this.entries
      .filter(({ type }) => types.includes(type))
      .map(({ data }) => (data['question'] as { id: string }).id);
  }

  #page(type: string): ReturnType<Entries['byType']> {
    return { rows: this.entries.filter((entry) => entry.type === type).toReversed(), next: null };
  }
}

/** Everything that waits for no timer has happened. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** An answer that is made or refused; of a killed gateway neither is heard. */
const answered = (answer: Promise<unknown>): void =>
  void answer.catch((error: unknown) => {
    if (!isSublError(error)) throw error;
  });

describe('a gateway that is killed', () => {
  const SUBJECT = ['run-0', 'rule', 'push'] as const;

  it('before a question stands in the ledger has asked nobody', async () => {
    const home = new Home();
    await home.during('before', () => home.call(...SUBJECT));
    expect(home.questions.list()).toEqual([]);
    await home.during('none', () => home.call(...SUBJECT));
    expect(home.questions.list()).toMatchObject([{ state: 'pending' }]);
  });

  it('behind the entry of a question finds it open', async () => {
    const home = new Home();
    await home.during('after', () => home.call(...SUBJECT));
    expect(home.questions.list()).toMatchObject([{ id: 'q-1', state: 'pending' }]);
  });

  it('lists no question of a run that is over, before and behind its closing', async () => {
    const home = new Home();
    await home.during('none', () => home.call(...SUBJECT));
    home.live.delete('run-0');
    expect(home.questions.list()).toEqual([]);
    home.questions.sweep();
    await settled();
    expect(home.questions.list()).toEqual([]);
  });

  it.each([
    ['a yes for one call', 'once', { state: 'once' }],
    ['a yes for the run', 'run', { state: 'run' }],
    ['a no', 'no', { state: 'denied', said: 'because' }],
  ] as const)('behind the entry of %s finds it given', async (_what, how, found) => {
    const home = new Home();
    await home.during('none', () => home.call(...SUBJECT));
    const answer = () =>
      how === 'no' ? home.questions.deny('q-1', 'because') : home.questions.approve('q-1', how);
    await home.during('after', () => answered(answer()));
    expect(home.questions.list()).toMatchObject([found]);
    await expect(home.questions.deny('q-1', '')).rejects.toMatchObject({ code: 'approval_used' });
    home.clock.now += OPEN_MS;
    expect(home.questions.list()).toHaveLength(how === 'once' ? 0 : 1);
  });

  it('behind the entry of a yes to a budget finds it raised', async () => {
    const home = new Home();
    await home.during('none', () => home.call('run-0', 'limit', 'push'));
    await home.during('after', () => answered(home.questions.approve('q-1', 'run')));
    expect(home.questions.raises('run-0')).toMatchObject([{ ruleId: 'limit' }]);
  });

  it.each(['before', 'after'] as const)('%s the entry of a closing writes it once', async (kill) => {
    const home = new Home();
    await home.during('none', () => home.call(...SUBJECT));
    home.clock.now += OPEN_MS;
    await home.during(kill, () => home.questions.sweep());
    expect(home.idsOf('approval_denied')).toEqual(['q-1']);
    home.live.clear();
    home.questions.sweep();
    expect(home.idsOf('approval_denied')).toEqual(['q-1']);
  });

  it('and whatever else happens, one entry ends each question that was put, and no other', async () => {
    const kill = fc.constantFrom<Kill>('none', 'none', 'before', 'after');
    const about = {
      kill,
      run: fc.constantFrom('run-0', 'run-1'),
      rule: fc.constantFrom('rule', 'limit'),
      subject: fc.constantFrom('a', 'b'),
    };
    const step = fc.record({
      ...about,
      does: fc.constantFrom('call', 'call', 'once', 'run', 'no', 'wait', 'sweep', 'end'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
        const home = new Home();
        for (const { does, kill: by, rule, run, subject } of steps) {
          const { questions } = home;
          const [open] = questions.list().filter(({ state }) => state === 'pending');
          await home.during(by, () => {
            if (does === 'call') return home.live.has(run) ? home.call(run, rule, subject) : undefined;
            if (does === 'wait') home.clock.now += OPEN_MS / 2;
            if (does === 'end') home.live.delete(run);
            if (does === 'wait' || does === 'end' || does === 'sweep') return questions.sweep();
            if (open === undefined) return undefined;
            return answered(does === 'no' ? questions.deny(open.id, '') : questions.approve(open.id, does));
          });
        }
        home.live.clear();
        await home.during('none', () => home.questions.sweep());
        await home.during('none', () => home.questions.sweep());
        const put = home.idsOf('approval_requested');
        expect(home.idsOf('approval_granted', 'approval_denied').toSorted()).toEqual(put.toSorted());
        expect(home.store.all()).toEqual([]);
      }),
      { numRuns: process.env['SUB_LONG'] === '1' ? 2000 : 200 },
    );
  });
});
