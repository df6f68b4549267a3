import { describe, expect, it } from 'vitest';
import { parseDestination } from '@subluminal/egress';
import type { AnomalyInput } from '@subluminal/gateway';
import { AnomalyDetector } from './detector.js';
import { memoryDb } from '../testing/memory-db.js';

const NEWER = {
  new_for_agent: 'flag',
  send_after_untrusted_read: 'flag',
} as const;
const REACTIONS = { burst: 'approve', new_domain: 'flag', large_payload: 'approve', ...NEWER } as const;
const START = 1_900_000_000_000;
const KNOWN = parseDestination('https://api.example.com/v1');
const NORMAL: AnomalyInput = {
  client: 'run-1',
  action: 'service.api_call',
  destination: KNOWN,
  payloadBytes: 200,
};

function detectorOn(db = memoryDb()) {
  const clock = { now: START };
  const detector = new AnomalyDetector({
    db,
    reactions: () => REACTIONS,
    clock: () => clock.now,
  });
  return { detector, clock, db };
}

function confirm(detector: AnomalyDetector): void {
  detector.confirm({ run: undefined, destination: KNOWN, flags: [] });
}

function kindsOf(detector: AnomalyDetector, input: Partial<AnomalyInput> = {}): string[] {
  return detector.inspect({ ...NORMAL, ...input }).map((flag) => flag.kind);
}

describe('the anomaly detector', () => {
  it('Burst of >10 requests in 5 seconds triggers anomaly', () => {
    const { detector, clock } = detectorOn();
    confirm(detector);
    for (let count = 1; count <= 10; count += 1) {
      clock.now += 400;
      expect(detector.inspect(NORMAL)).toEqual([]);
    }
    clock.now += 400;
    expect(detector.inspect(NORMAL)).toEqual([
      {
        kind: 'burst',
        reaction: 'approve',
        summary: 'more than 10 requests within 5 s',
        facts: { client: 'run-1', limit: 10, window_ms: 5000 },
      },
    ]);
  });

  it('First request to new domain is flagged', () => {
    const { detector } = detectorOn();
    expect(detector.inspect(NORMAL)).toEqual([
      {
        kind: 'new_domain',
        reaction: 'flag',
        summary: 'first request to `api.example.com`',
        facts: { domain: 'api.example.com', origin: 'https://api.example.com' },
      },
    ]);
  });

  it('Large payload is flagged', () => {
    const { detector } = detectorOn();
    confirm(detector);
    expect(kindsOf(detector, { payloadBytes: 1_048_576 })).toEqual([]);
    expect(detector.inspect({ ...NORMAL, payloadBytes: 1_048_577 })).toEqual([
      {
        kind: 'large_payload',
        reaction: 'approve',
        summary: 'a payload of 1048577 bytes',
        facts: { bytes: 1048577, limit: 1048576 },
      },
    ]);
  });

  it('Normal request patterns pass cleanly', () => {
    const { detector, clock } = detectorOn();
    confirm(detector);
    for (let count = 0; count < 200; count += 1) {
      clock.now += 500;
      expect(detector.inspect(NORMAL)).toEqual([]);
    }
  });

  it('counts each client for itself', () => {
    const { detector } = detectorOn();
    confirm(detector);
    for (let count = 0; count < 10; count += 1) {
      expect(kindsOf(detector, { client: 'one' })).toEqual([]);
      expect(kindsOf(detector, { client: 'two' })).toEqual([]);
    }
    expect(kindsOf(detector, { client: 'one' })).toEqual(['burst']);
  });

  it('forgets a burst after five seconds, and goes on flagging one that does not stop', () => {
    const { detector, clock } = detectorOn();
    confirm(detector);
    for (let count = 0; count < 30; count += 1) {
      expect(kindsOf(detector)).toEqual(count < 10 ? [] : ['burst']);
    }
    clock.now += 4_999;
    expect(kindsOf(detector)).toEqual(['burst']);
    clock.now += 5_000;
    expect(kindsOf(detector)).toEqual([]);
  });

  it('does not forget a burst when the clock goes back', () => {
    const { detector, clock } = detectorOn();
    confirm(detector);
    for (let count = 0; count < 10; count += 1) kindsOf(detector);
    clock.now -= 60_000;
    expect(kindsOf(detector)).toEqual(['burst']);
  });

  it('takes a newcomer for a burst while it watches more clients than it can hold', () => {
    const { detector, clock } = detectorOn();
    confirm(detector);
    for (let count = 0; count < 4_096; count += 1) kindsOf(detector, { client: `run-${count}` });
    expect(kindsOf(detector, { client: 'newcomer' })).toEqual(['burst']);
    clock.now += 5_000;
    expect(kindsOf(detector, { client: 'newcomer' })).toEqual([]);
  });

  it('flags a domain until a request to it was really recorded, and then no more, even after a restart', () => {
    const { detector, db } = detectorOn();
    expect(kindsOf(detector)).toEqual(['new_domain']);
    expect(kindsOf(detector)).toEqual(['new_domain']);
    confirm(detector);
    confirm(detector);
    expect(kindsOf(detector)).toEqual([]);
    expect(kindsOf(detectorOn(db).detector)).toEqual([]);
    expect(kindsOf(detector, { destination: parseDestination('https://other.example.com/') })).toEqual([
      'new_domain',
    ]);
  });

  it('flags a domain again after it was forgotten', () => {
    const { detector } = detectorOn();
    confirm(detector);
    detector.forget('api.example.com');
    expect(kindsOf(detector)).toEqual(['new_domain']);
  });

  it('remembers a bounded number of domains, and flags the ones it forgot', () => {
    const { detector, clock, db } = detectorOn();
    db.transaction(() => {
      for (let count = 0; count <= 10_000; count += 1) {
        clock.now += 1;
        db.prepare('INSERT INTO known_domains VALUES (?, ?)').run(`h${count}.test`, clock.now);
      }
    })();
    clock.now += 1;
    confirm(detector);
    expect(db.prepare('SELECT count(*) FROM known_domains').pluck().get()).toBe(10_000);
    expect(kindsOf(detector)).toEqual([]);
    expect(kindsOf(detector, { destination: parseDestination('https://h0.test/') })).toEqual(['new_domain']);
  });

  it('has nothing to say about the domain of an action without a destination', () => {
    const { detector } = detectorOn();
    expect(kindsOf(detector, { destination: undefined })).toEqual([]);
  });

  it('reports everything that is unusual, with the configured reactions', () => {
    const db = memoryDb();
    const reactions = { burst: 'flag', new_domain: 'approve', large_payload: 'flag', ...NEWER } as const;
    const detector = new AnomalyDetector({
      db,
      reactions: () => reactions,
      clock: () => START,
    });
    for (let count = 0; count < 10; count += 1) detector.inspect(NORMAL);
    const flags = detector.inspect({ ...NORMAL, payloadBytes: 2_000_000 });
    expect(flags.map(({ kind, reaction }) => [kind, reaction])).toEqual([
      ['burst', 'flag'],
      ['new_domain', 'approve'],
      ['large_payload', 'flag'],
    ]);
  });
});
