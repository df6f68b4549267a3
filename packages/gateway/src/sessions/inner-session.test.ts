import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Call, type Origin } from '../pipeline/call.js';
import type { Caller } from '../pipeline/caller.js';
import { takeInner, type InnerRequest } from '../pipeline/inner.js';
import type { Reply } from '../pipeline/reply.js';
import { Run } from '../runs/run.js';
import { SharedRoom } from './shared-room.js';
import { InnerSession } from './inner-session.js';
import { RunShares } from '../pace/share.js';
import { Turns } from '../pace/turns.js';

const ASK = { via: 'connect', host: 'a.example', port: 443 } as const;
const OK: Reply = { status: 'success', requestId: '', requestMac: '', auditRef: '', close: false };

function world(places = new SharedRoom(1000, 0)) {
  const run = new Run({
    id: 'run-1',
    identity: { agent_id: 'a', client: 'custom', env: 'dev' },
    attested: true,
    holder: { pid: 1, start: '1' },
    startedMs: 0,
  });
  const came: { readonly origin: Origin; readonly request: InnerRequest }[] = [];
  const answers: (() => void)[] = [];
  let ended = 0;
  const caller: Caller = { kind: 'gateway', source: run.id, run, world: undefined, session: undefined };
  const session = new InnerSession({
    caller,
    door: {
      ask: (origin, request) => {
        came.push({ origin, request });
        return new Promise((resolve) => answers.push(() => resolve(OK)));
      },
    },
    clock: () => 1_800_000_000_000,
    random: randomBytes,
    places: [places],
    turns: new Turns(() => 0),
    pace: new RunShares(() => 0).open(),
    onEnd: () => (ended += 1),
  });
  return { session, came, answers, run, ended: () => ended };
}

/** The verdict of the first stage on a request. */
function judged({ origin, request }: { readonly origin: Origin; readonly request: InnerRequest }): unknown {
  return takeInner(new Call(origin, undefined), request);
}

describe('a session of the gateway for a run', () => {
  it('asks under an id of its own each time', () => {
    const { session, came } = world();
    void session.request('net.connect', ASK);
    void session.request('net.connect', ASK);
    expect(came.map(judged)).toEqual(['pass', 'pass']);
    expect(new Set(came.map(({ request }) => request.id)).size).toBe(2);
  });

  it('asks nothing that a key may ask for, nor what no schema takes, nor for a run that ends', () => {
    const { session, came, run } = world();
    void session.ask('panic.begin', { reason: 'x' });
    void session.ask('run.end', { status: 'SUCCEEDED' });
    void session.request('net.connect', { ...ASK, port: 0 });
    void session.request('net.connect', ASK);
    run.beginEnd();
    expect(came.map(judged)).toMatchObject([
      { error: { code: 'not_permitted' } },
      { error: { code: 'not_permitted' } },
      { error: { code: 'invalid_request' } },
      { error: { code: 'run_ended' } },
    ]);
  });

  it('hears that the operator has stopped everything where that ends its run', () => {
    const { session, came, run } = world();
    void session.request('net.connect', ASK);
    run.beginEnd('panic');
    expect(came.map(judged)).toMatchObject([{ error: { code: 'panicked' } }]);
  });

  it('brings no frame, so that nothing of it can pass for signed', () => {
    const { session, came } = world();
    void session.request('net.connect', ASK);
    const [first] = came;
    if (first === undefined) throw new Error('nothing was asked');
    const call = new Call(first.origin, undefined);
    expect(() => call.frame).toThrow('a request without a frame reached a stage that reads it');
  });

  it('waits for a place, in the order of asking, and asks nothing more once it has ended', async () => {
    const { session, came, answers, ended } = world(new SharedRoom(1, 0));
    const all = [1, 2, 3, 4].map((port) => session.request('net.connect', { ...ASK, port }));
    expect(came).toHaveLength(2);
    answers[0]?.();
    await all[0];
    expect(came.map(({ request }) => request.payload)).toMatchObject([{ port: 1 }, { port: 2 }, { port: 3 }]);
    session.end();
    await expect(all[3]).rejects.toMatchObject({ code: 'run_ended' });
    await expect(session.request('net.connect', ASK)).rejects.toMatchObject({ code: 'run_ended' });
    for (const answer of answers) answer();
    expect((await Promise.all(all.slice(0, 3))).map(({ status }) => status)).toEqual([
      'success',
      'success',
      'success',
    ]);
    expect([came.length, ended()]).toEqual([3, 1]);
  });
});
