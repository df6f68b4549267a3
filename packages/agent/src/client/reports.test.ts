import { type ActionResponse, SublError } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import type { SessionWatcher } from './gateway-session.js';
import { MAX_REPORTS, Reports } from './reports.js';

interface Asked {
  readonly id: string;
  readonly payload: unknown;
  readonly resolve: (answer: ActionResponse) => void;
  readonly reject: (error: SublError) => void;
}

const answerOf = (rest: Partial<ActionResponse>): ActionResponse => ({
  requestId: 'r',
  status: 'success',
  timestamp: '2026-01-01T00:00:00.000Z',
  auditRef: '',
  signature: '',
  ...rest,
});
const OK = answerOf({});
const refused = (code: 'not_found' | 'replayed', details?: Record<string, string>): ActionResponse =>
  answerOf({
    status: 'error',
    error: { code, message: `it was ${code}`, ...(details === undefined ? {} : { details }) },
  });
const GONE = new SublError('gateway_unreachable', 'gone');

/** Reports over a connection whose other side is the test. */
function world() {
  const asked: Asked[] = [];
  const lost: string[] = [];
  const watchers = new Set<SessionWatcher>();
  let [ids, idle] = [0, 0];
  const session = {
    isConnected: true,
    request: (_action: string, payload: unknown, _mayStart: boolean, options?: { readonly id?: string }) =>
      new Promise<ActionResponse>((resolve, reject) => {
        asked.push({ id: options?.id ?? '', payload, resolve, reject });
      }),
    watch: (watcher: SessionWatcher) => void watchers.add(watcher),
    unwatch: (watcher: SessionWatcher) => void watchers.delete(watcher),
  };
  const reports = new Reports({
    session,
    nextId: () => `id-${(ids += 1)}`,
    onIdle: () => (idle += 1),
    onLost: (why) => lost.push(why),
  });
  const add = (...payloads: unknown[]): void => {
    for (const payload of payloads) reports.add('tool.call.end', payload);
  };
  /** The messages that were sent since the last look. */
  const sent = (): unknown[] => asked.splice(0).map(({ payload }) => payload);
  const reconnect = (): void => {
    session.isConnected = true;
    for (const watcher of watchers) watcher.connected();
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { session, reports, asked, lost, watchers, add, sent, reconnect, turn, idle: () => idle };
}

describe('reports', () => {
  it('are sent at once, and forgotten once they are answered', async () => {
    const { reports, asked, watchers, add, lost, turn, idle } = world();
    add('a', 'b');
    expect(asked.map(({ id, payload }) => [id, payload])).toEqual([
      ['id-1', 'a'],
      ['id-2', 'b'],
    ]);
    expect([reports.size, watchers.size]).toEqual([2, 1]);
    for (const { resolve } of asked) resolve(OK);
    await turn();
    expect([reports.size, watchers.size, idle(), lost]).toEqual([0, 0, 1, []]);
  });

  it('wait for a gateway, in their order, behind those of the connection before, under the same ids', async () => {
    const { session, asked, add, reconnect, turn, lost } = world();
    add('a', 'b');
    const before = asked.splice(0);
    before[1]?.resolve(OK);
    await turn();
    session.isConnected = false;
    add('c');
    expect(asked).toEqual([]);
    reconnect();
    expect(asked.map(({ id, payload }) => [id, payload])).toEqual([
      ['id-1', 'a'],
      ['id-3', 'c'],
    ]);
    // Late news of the connection before changes nothing.
    before[0]?.reject(GONE);
    await turn();
    expect(asked).toHaveLength(2);
    for (const { resolve } of asked) resolve(OK);
    await turn();
    expect(lost).toEqual([]);
  });

  it('are at most 256 on their way, and go on as they are answered', async () => {
    const { session, asked, add, reconnect, sent, turn, reports } = world();
    session.isConnected = false;
    add(...Array.from({ length: 600 }, (_, n) => n));
    reconnect();
    expect(asked).toHaveLength(256);
    for (const { resolve } of asked.splice(0)) resolve(OK);
    await turn();
    expect(asked.map(({ payload }) => payload)).toEqual(Array.from({ length: 256 }, (_, n) => 256 + n));
    for (const { resolve } of asked.splice(0)) resolve(OK);
    await turn();
    expect(sent()).toHaveLength(88);
    expect(reports.size).toBe(88);
  });

  it('beyond 2048 are counted and not kept', () => {
    const { session, reports, add, lost } = world();
    session.isConnected = false;
    add(...Array.from({ length: MAX_REPORTS + 3 }, (_, n) => n));
    expect([MAX_REPORTS, reports.size, lost.length]).toEqual([2048, 2048, 3]);
  });

  it.each([
    ['what the gateway has recorded before', refused('replayed', { recorded: 'OK' }), false, 0],
    ['what it does not know', refused('not_found'), false, 1],
    ['what it does not know any more, and may have had before', refused('not_found'), true, 0],
    ['what it refuses', refused('replayed'), true, 1],
  ] as const)('%s: counted as lost where it is', async (_, answer, isAgain, count) => {
    const { reports, asked, lost, turn } = world();
    reports.add('tool.call.end', {}, { isAgain });
    asked[0]?.resolve(answer);
    await turn();
    expect([lost.length, reports.size]).toEqual([count, 0]);
  });

  it('are given up when the run is over', () => {
    const { session, reports, add, lost, watchers, idle } = world();
    session.isConnected = false;
    add('a', 'b');
    for (const watcher of watchers) watcher.over(new SublError('handshake_refused', 'the run has ended'));
    expect([reports.size, watchers.size, idle()]).toEqual([0, 0, 1]);
    expect(lost).toEqual(['the run has ended', 'the run has ended']);
  });
});
