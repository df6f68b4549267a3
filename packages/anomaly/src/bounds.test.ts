import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentPast } from './agent-past.js';
import { ANOMALY_KINDS } from '@subluminal/gateway';
import { RunMemory } from './run-memory.js';
import { memoryDb } from '../testing/memory-db.js';

const RUN = { attested: true, identity: { agent_id: 'claude' } };
const START = 1_900_000_000_000;

function pastOn(db = memoryDb()): AgentPast {
  return new AgentPast(db);
}

/** Anything that a run can do. */
const deed = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), host: fc.nat(400), bytes: fc.nat(1e9) }),
  fc.record({
    kind: fc.constant('read' as const),
    what: fc.nat(60),
    untrusted: fc.boolean(),
    private: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('count' as const), of: fc.constantFrom(...ANOMALY_KINDS) }),
  fc.record({ kind: fc.constant('said' as const), of: fc.constantFrom(...ANOMALY_KINDS), host: fc.nat(400) }),
);

describe('what is remembered of a run', () => {
  it('is the same for the next process, and bounded, whatever the run does', () => {
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 300 }), (deeds) => {
        const memory = new RunMemory(RUN);
        for (const [at, one] of deeds.entries()) {
          if (one.kind === 'send') memory.send(`h${one.host}.example`, one.bytes);
          if (one.kind === 'read')
            memory.read({
              untrusted: one.untrusted,
              private: one.private,
              what: `w${one.what}`,
              place: undefined,
              ts: START + at,
              ref: '1.a',
            });
          if (one.kind === 'count') memory.count(one.of);
          if (one.kind === 'said') {
            const host = `h${one.host}.example`;
            memory.said({ kind: one.of, summary: '', facts: { host } }, [host]);
          }
        }
        const next = new RunMemory(RUN);
        next.restore(memory.kept(), START + 1000);
        expect(JSON.parse(next.kept())).toEqual(JSON.parse(memory.kept()));
        expect(next.reads.private).toEqual(memory.reads.private);
        expect(memory.kept().length).toBeLessThan(65_536);
      }),
      { numRuns: 50 },
    );
  });

  it('begins anew where what was kept cannot be read', () => {
    for (const text of ['', '{', '[]', '{"used":true}', '{"sent":-1}']) {
      const memory = new RunMemory(RUN);
      memory.restore(text, START);
      expect(memory.kept()).toBe(new RunMemory(RUN).kept());
    }
  });

  it('has the first thing that was private, and the first that others can write, however much was read', () => {
    const memory = new RunMemory(RUN);
    const read = (what: string, untrusted: boolean, isPrivate: boolean, ts: number): void =>
      memory.read({ what, place: undefined, ts, ref: what, untrusted, private: isPrivate });
    for (let count = 0; count < 50; count += 1) read(`file ${count}`, false, true, START + count);
    read('mail', true, true, START + 100);
    for (let count = 0; count < 50; count += 1) read(`page ${count}`, true, false, START + 200 + count);
    expect(memory.reads.private?.what).toBe('file 0');
    expect(memory.reads.untrustedBefore(START + 1000, 'evil.example')).toMatchObject({
      sinceMs: START + 100,
      newest: { what: 'page 49' },
    });
    expect(memory.reads.untrustedBefore(START + 99, 'evil.example')).toBeUndefined();
    expect(memory.reads.all.length).toBeLessThanOrEqual(19);
  });
});

describe('the past of agents', () => {
  it('keeps those who work here, however many names are made up', () => {
    const past = pastOn();
    for (let count = 0; count < 5; count += 1) {
      past.use('run claude', ['github.com'], START);
      past.ended('run claude', ['github.com'], START);
    }
    for (let count = 0; count < 600; count += 1)
      past.use(`shim made-up-${count}`, ['x.example'], START + count);
    expect(past.runs('run claude')).toBe(5);
    expect(past.firstUse('shim made-up-0', 'x.example')).toBeUndefined();
    expect(past.firstUse('shim made-up-599', 'x.example')).toBe(START + 599);
  });

  it('keeps 256 agents, 1,024 places of each, and how many runs it had', () => {
    const db = memoryDb();
    const past = pastOn(db);
    for (let count = 0; count < 300; count += 1) past.use(`shim ${count}`, ['x.example'], START + count);
    expect(db.prepare('SELECT count(*) FROM agent').pluck().get()).toBe(256);
    const places = Array.from({ length: 1100 }, (_, at) => `h${at}.example`);
    for (const [at, place] of places.entries()) past.use('run claude', [place], START + at);
    expect(
      db
        .prepare('SELECT count(*) FROM agent_place WHERE agent = (SELECT id FROM agent WHERE name = ?)')
        .pluck()
        .get('run claude'),
    ).toBe(1024);
    for (let count = 1; count <= 30; count += 1) past.ended('run claude', ['h1099.example'], START);
    expect(past.runs('run claude')).toBe(30);
  });

  it('forgets of an agent the places that it used longest ago, and not those that it knew first', () => {
    const past = pastOn();
    past.use('run claude', ['mail:boss', 'once.example'], START);
    past.ended('run claude', ['mail:boss'], START + 5000);
    for (let count = 0; count < 1023; count += 1) past.use('run claude', [`h${count}.example`], START + 1000);
    expect(past.firstUse('run claude', 'mail:boss')).toBe(START);
    expect(past.firstUse('run claude', 'once.example')).toBeUndefined();
  });
});
