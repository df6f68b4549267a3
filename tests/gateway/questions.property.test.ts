import { writeFileSync } from 'node:fs';
import { Decision, textAt, type JsonObject } from '@subluminal/core-types';
import { openLedgerReader, type EntryType } from '@subluminal/ledger';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dataOf, start, toolCall, type TestGateway, type TestRun } from './harness.js';
import { bundle } from './policy-bundle.js';

const MODES = ['control', 'guardrails', 'observe'] as const;
type Mode = (typeof MODES)[number];
const RUNS = [0, 1] as const;
const OPEN_MS = 900_000;
const VERBS = { once: 'approve', run: 'approve', no: 'deny' } as const;

const policy = (mode: Mode, text: string): string =>
  bundle(
    [
      {
        rule_id: 'pushes',
        kind: 'ask',
        enabled: true,
        severity: 'warn',
        match: { tool_name: { glob: ['push'] } },
        effect: { action: 'ASK', message: text },
      },
    ],
    { mode },
  );

/** A question as the model has it. */
interface Known {
  readonly id: string;
  readonly text: string;
  state: 'denied' | 'once' | 'pending' | 'run';
  until: number;
}

const run = fc.constantFrom(0, 0, 1);
const branch = fc.constantFrom('main', 'main', 'main', 'dev');
const about = { run, branch };
const Step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      ...about,
      times: fc.integer({ min: 1, max: 2 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      ...about,
      how: fc.constantFrom('once' as const, 'once' as const, 'run' as const, 'no' as const),
      by: fc.constantFrom('operator', 'operator', 'operator', 'run'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(60_000, 500_000, OPEN_MS) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('load' as const),
      mode: fc.constantFrom<Mode>('control', 'control', ...MODES),
      text: fc.constantFrom('one text', 'another text'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), ...about, meanwhile: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('restart' as const), ...about, meanwhile: fc.boolean() }),
  },
);
type Step = typeof Step extends fc.Arbitrary<infer One> ? One : never;

/** A gateway beside a model of what it may let through. */
class World {
  mode: Mode = 'control';
  text = 'one text';
  readonly runs: TestRun[] = [];
  readonly known = new Map<string, Known>();

  readonly gateway: TestGateway;
  readonly clock: { now: number };

  constructor(gateway: TestGateway, clock: { now: number }) {
    this.gateway = gateway;
    this.clock = clock;
  }

  async begin(): Promise<void> {
    await this.load('control', 'one text');
    for (const at of RUNS) this.runs[at] = await this.gateway.run();
  }

  async step(step: Step): Promise<void> {
    if (step.do === 'call') await this.call(step.run, step.branch, step.times);
    else if (step.do === 'answer') await this.answer(step.run, step.branch, step.how, step.by);
    else if (step.do === 'wait') this.clock.now += step.ms;
    else if (step.do === 'load') await this.load(step.mode, step.text);
    else {
      const key = this.keyOf(step.run, step.branch);
      const ends = () => (step.do === 'end' ? this.end(step.run) : this.restart());
      if (step.meanwhile) await this.meanwhile(key, ends);
      else await ends();
    }
  }

  async load(mode: Mode, text: string): Promise<void> {
    writeFileSync(this.gateway.paths.policy, policy(mode, text));
    const operator = await this.gateway.operator();
    expect(await operator.request('policy.reload', {})).toMatchObject({ status: 'success' });
    operator.close();
    Object.assign(this, { mode, text });
  }

  async call(at: number, name: string, times: number): Promise<void> {
    const { client } = this.runOf(at);
    const call = () => toolCall({ tool_name: 'push', args: { branch: name } });
    const answers = await Promise.all(
      Array.from({ length: times }, async () =>
        Decision.parse(dataOf(await client.request('tool.call.begin', call()))['decision']),
      ),
    );
    for (const decision of answers) this.#holds(this.keyOf(at, name), decision);
  }

  #holds(key: string, { action, reason_code: reason, hint }: Decision): void {
    if (this.mode !== 'control') {
      expect([action, hint?.approval]).toEqual([this.mode === 'observe' ? 'ALLOW' : 'BLOCK', undefined]);
      return;
    }
    const found = this.#found(key);
    if (found?.state === 'once' || found?.state === 'run') {
      expect(action).toBe('ALLOW');
      if (found.state === 'once') this.known.delete(key);
    } else if (found?.state === 'denied') expect([action, reason]).toEqual(['BLOCK', 'APPROVAL_DENIED']);
    else {
      expect(action).not.toBe('ALLOW');
      if (reason === 'TOO_MANY_QUESTIONS') {
        expect(found).toBeUndefined();
        return;
      }
      expect(reason).toBe('APPROVAL_REQUIRED');
      const id = hint?.approval?.id ?? '';
      if (found !== undefined) expect(id).toBe(found.id);
      else this.known.set(key, { id, text: this.text, state: 'pending', until: this.clock.now + OPEN_MS });
    }
  }

  #found(key: string): Known | undefined {
    const found = this.known.get(key);
    if (found === undefined) return undefined;
    if (found.text === this.text && found.until > this.clock.now) return found;
    this.known.delete(key);
    return undefined;
  }

  async answer(at: number, name: string, how: keyof typeof VERBS, by: string): Promise<void> {
    const found = this.known.get(this.keyOf(at, name));
    if (found === undefined) return;
    const answerer = by === 'run' ? this.runOf(at).client : await this.gateway.operator();
    const more = how === 'no' ? {} : { for: how };
    const { status } = await answerer.request(`approvals.${VERBS[how]}`, {
      approval_id: found.id,
      ...more,
    });
    if (by !== 'run') answerer.close();
    const isOpen = by !== 'run' && found.state === 'pending' && found.until > this.clock.now;
    expect(status === 'success').toBe(isOpen);
    if (!isOpen) return;
    found.state = how === 'no' ? 'denied' : how;
    found.until = how === 'once' ? this.clock.now + OPEN_MS : Number.POSITIVE_INFINITY;
  }

  /** An answer is under way while that happens: it is given or not, and nothing in between. */
  async meanwhile(key: string, happens: () => Promise<void>): Promise<void> {
    const found = this.known.get(key);
    if (found === undefined) return await happens();
    const operator = await this.gateway.operator();
    const given = operator.request('approvals.approve', { approval_id: found.id, for: 'run' });
    await Promise.all([given.catch(() => undefined), happens()]);
    const list = await (await this.gateway.operator()).request('approvals.list', {});
    const shown = (dataOf(list)['questions'] as JsonObject[]).find(({ id }) => id === found.id);
    if (found.state !== 'pending' || shown === undefined || shown['state'] === 'pending') return;
    expect(shown['state']).toBe('run');
    Object.assign(found, { state: 'run', until: Number.POSITIVE_INFINITY });
  }

  async end(at: number): Promise<void> {
    const { client } = this.runOf(at);
    await client.request('run.end', { status: 'SUCCEEDED' });
    client.close();
    this.runs[at] = await this.gateway.run();
  }

  async restart(): Promise<void> {
    await this.gateway.restart();
    for (const [at, { id, credential }] of this.runs.entries())
      this.runs[at] = { id, credential, client: await this.gateway.connect(credential) };
  }

  keyOf(at: number, name: string): string {
    return `${this.runOf(at).id} ${name}`;
  }

  runOf(at: number): TestRun {
    const found = this.runs[at];
    if (found === undefined) throw new Error('no such run');
    return found;
  }
}

const RUNS_OF_TEST = process.env['SUB_LONG'] === '1' ? 200 : 30;

it(
  'whatever happens, a yes passes its own call and no other, and one entry answers each question',
  async () => {
    const clock = { now: Date.now() };
    const gateway = await start({ policy: policy('control', 'one text'), clock: () => clock.now });
    await fc.assert(
      fc.asyncProperty(fc.array(Step, { minLength: 8, maxLength: 24 }), async (steps) => {
        const world = new World(gateway, clock);
        await world.begin();
        for (const step of steps) await world.step(step);
        for (const { client } of world.runs) {
          await client.request('run.end', { status: 'SUCCEEDED' });
          client.close();
        }
      }),
      { numRuns: RUNS_OF_TEST },
    );
    const idsOf = (...types: readonly EntryType[]): string[] => {
      const reader = openLedgerReader(gateway.paths.ledgerDb);
      try {
        return types.flatMap((type) =>
          reader
            .byType(type, { order: 'asc', limit: 1000 })
            .rows.map(({ data }) => textAt(data['question'] as JsonObject, 'id')),
        );
      } finally {
        reader.close();
      }
    };
    const asked = idsOf('approval_requested');
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked).size).toBe(asked.length);
    await expect
      .poll(() => idsOf('approval_granted', 'approval_denied').toSorted(), { timeout: 10_000 })
      .toEqual(asked.toSorted());
  },
  RUNS_OF_TEST * 2000,
);
