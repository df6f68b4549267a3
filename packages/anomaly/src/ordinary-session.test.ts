import { describe, expect, it } from 'vitest';
import { destinationFor } from '@subluminal/egress';
import { AnomalyDetector } from './detector.js';
import type { RunSubject } from '@subluminal/gateway';
import { memoryDb } from '../testing/memory-db.js';

/** One connection of a coding session: where to, bytes up, bytes down. */
type Connection = readonly [host: string, up: number, down: number];
/** Or an answer of a tool that says `openWorldHint`. */
type Step = Connection | 'web tool';

const KB = 1000;
const MB = 1_000_000;

/** The model's own API, which gets all that was read so far, over and over. */
const model = (turns: number): Step => ['api.anthropic.com', turns * 90 * KB, turns * 6 * KB];
const START: readonly Step[] = [
  ['statsig.anthropic.com', 40 * KB, 20 * KB],
  ['o1158394.ingest.us.sentry.io', 30 * KB, 4 * KB],
];
const NPM: readonly Step[] = [
  ['registry.npmjs.org', 260 * KB, 38 * MB],
  ['registry.npmjs.org', 4 * KB, 900],
  ['objects.githubusercontent.com', 3 * KB, 12 * MB],
  ['nodejs.org', 2 * KB, 30 * MB],
];
const PYTHON: readonly Step[] = [
  ['pypi.org', 12 * KB, 400 * KB],
  ['files.pythonhosted.org', 9 * KB, 22 * MB],
];
const FETCH: readonly Step[] = [['github.com', 5 * KB, 800 * KB]];
const PUSH: readonly Step[] = [
  ['github.com', 340 * KB, 6 * KB],
  ['api.github.com', 14 * KB, 90 * KB],
];
const DOCS: readonly Step[] = [
  'web tool',
  ['developer.mozilla.org', 3 * KB, 300 * KB],
  ['docs.python.org', 2 * KB, 120 * KB],
  ['stackoverflow.com', 6 * KB, 700 * KB],
];

/** Six days of work, with short and long sessions. */
const SESSIONS: readonly (readonly Step[])[] = [
  [...START, model(4), ...FETCH, ...NPM, model(9), ...PUSH],
  [...START, model(12), ...DOCS, model(10), ...PUSH, ...PUSH],
  [...START, ...FETCH, model(3)],
  [...START, model(25), ...PYTHON, ...DOCS, model(11), ...FETCH, ...PUSH],
  [...START, model(2), ...DOCS],
  [...START, model(30), ...NPM, ...PYTHON, ...DOCS, model(22), ...PUSH, ...DOCS, model(9), ...PUSH],
  // What only this one looks at; the first time anybody does, which is `new_domain` and nothing else.
  [
    ...START,
    model(14),
    'web tool',
    ['doc.rust-lang.org', 4 * KB, 900 * KB],
    ['docs.rs', 22 * KB, 2 * MB],
    ['static.crates.io', 90 * KB, 60 * MB],
    ['d111111abcdef8.cloudfront.net', 7 * KB, 5 * MB],
    ['my-company-prod-assets.s3.us-east-1.amazonaws.com', 9 * KB, 70 * MB],
    ['kq3x5vz7y2m4n6p8r0t1w9abcdefghij.lambda-url.us-east-1.on.aws', 3 * KB, 4 * KB],
    model(20),
    ...PUSH,
  ],
];

/** What is flagged of the sessions, one list each. `listed`: the allowlist names every host. */
function flagged(sessions: readonly (readonly Step[])[], listed: boolean, agent = 'claude'): string[][] {
  const db = memoryDb();
  let now = 1_900_000_000_000;
  let seq = 0;
  const detector = new AnomalyDetector({
    db,
    reactions: () => ({
      burst: 'approve',
      new_domain: 'flag',
      large_payload: 'approve',
      new_for_agent: 'flag',
      send_after_untrusted_read: 'flag',
    }),
    clock: () => now,
  });
  return sessions.map((steps, at) => {
    const run: RunSubject = { id: `run-${at}`, attested: true, identity: { agent_id: agent } };
    const kinds = steps.flatMap((step) => {
      now += 20_000;
      seq += 1;
      const ref = `${seq}.leaf`;
      if (step === 'web tool') {
        const read = { what: 'tool `web.fetch`', place: undefined, ref, untrusted: true, private: false };
        detector.read(run, read);
        return [];
      }
      const [host, up, down] = step;
      const destination = destinationFor('tcp', host, 443);
      const flags = detector.inspectConnection(run, destination);
      detector.confirm({ run, destination, flags, connection: { seq, ref, listed } });
      now += 2000;
      return [...flags, ...detector.connectionEnded(run, seq, up, down)].map(({ kind }) => kind);
    });
    detector.ended(run);
    now += 80_000_000;
    return kinds;
  });
}

describe.each([
  ['a host is listed', true],
  ['no host is listed', false],
])('an ordinary week of coding where %s', (_which, listed) => {
  it('has nothing unusual but hosts that nobody has used', () => {
    const found = flagged(SESSIONS, listed).flat();
    expect(new Set(found)).toEqual(new Set(['new_domain']));
  });

  it('has nothing unusual at all where its hosts are known', () => {
    const week = flagged([...SESSIONS, ...SESSIONS, ...SESSIONS.toReversed()], listed);
    expect(week.slice(SESSIONS.length)).toEqual(Array.from({ length: 2 * SESSIONS.length }, () => []));
  });
});

it('the same week with one upload to a new host has that, and nothing else', () => {
  const leak: readonly Step[] = [...START, model(5), ...DOCS, ['paste.example', 700 * KB, 3 * KB], ...PUSH];
  expect(flagged([...SESSIONS, leak], false).at(-1)).toEqual(['new_domain', 'send_after_untrusted_read']);
});
