import type { JsonObject } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { type FollowedEntry, Follower } from './follower.js';

let seq = 0;

function entry(type: FollowedEntry['type'], more: Partial<FollowedEntry> = {}): FollowedEntry {
  seq += 1;
  return { seq, type, ts: 1000 + seq, runId: 'run', code: null, data: {}, preview: null, ...more };
}

const started = (call: JsonObject, more: Partial<FollowedEntry> = {}): FollowedEntry =>
  entry('tool_call_start', {
    tool: ['claude:builtin', 'Bash'],
    data: { call: { call_id: 'c-1', ...call } },
    ...more,
  });
const ended = (code: FollowedEntry['code'], id = 'c-1'): FollowedEntry =>
  entry('tool_call_end', { code, data: { call: { call_id: id } } });
const hooked = (hook: JsonObject, more: Partial<FollowedEntry> = {}): FollowedEntry =>
  entry('hook_event', { data: { hook: { via: 'claude_hook', session: 's', ...hook }, facts: {} }, ...more });
const HOOK = { via: 'claude_hook', context: { session: 's', tool_use_id: 't1' } };

function follower(): Follower {
  return new Follower(
    () => '',
    () => undefined,
  );
}

/** The events that entries complete. */
function told(follows: Follower, entries: readonly FollowedEntry[]) {
  return entries.flatMap((one) => follows.take(one) ?? []);
}

describe('a call', () => {
  it('is one event, at its end, with the object of its arguments', () => {
    const start = started(HOOK, { preview: '{"command":"npm test"}' });
    expect(told(follower(), [start, entry('tool_call_decision'), ended('ERROR'), ended('OK')])).toEqual([
      {
        runId: 'run',
        speaker: { client: 'claude_hook', session: 's', agent: '', type: '' },
        seq: start.seq,
        event: expect.objectContaining({
          tool: 'Bash',
          target: 'npm test',
          status: 'failed',
          isProtected: false,
        }),
        forkOf: undefined,
      },
    ]);
  });

  it('whose preview was cut has the object that its decision names', () => {
    const decision = entry('tool_call_decision', {
      tool: ['claude:builtin', 'Bash'],
      data: { call: { call_id: 'c-1' }, facts: { readings: { commands: [{ argv: 'npm test' }] } } },
    });
    const events = told(follower(), [
      started(HOOK, { preview: '{"command":"npm te' }),
      decision,
      ended('OK'),
    ]);
    expect(events).toMatchObject([{ event: { target: 'npm test' } }]);
  });

  it('of the form of a checkpoint is kept as the fields that it lacks, and without their text', () => {
    const follows = new Follower(
      () => '',
      () => ({ tool: 'Bash', fields: ['command', 'goal'] }),
    );
    const preview = '{"more":"npm run secret","goal":""}';
    expect(told(follows, [started({ ...HOOK, call_id: 'c-1' }, { preview })])).toEqual([]);
    const [open] = follows.open;
    expect(open?.form).toEqual({ lacks: ['command', 'goal'] });
    expect(JSON.stringify(open)).not.toContain('secret');
    expect(told(follows, [ended('OK')])).toMatchObject([{ event: { form: { lacks: ['command', 'goal'] } } }]);
  });

  it('that the policy gave the class `protected` is protected', () => {
    const events = told(follower(), [started({ ...HOOK, tags: ['protected'] }), ended('OK')]);
    expect(events).toMatchObject([{ event: { isProtected: true } }]);
  });

  it('whose end a hook tells first is that event, and its end in the record is none', () => {
    const follows = follower();
    expect(told(follows, [started(HOOK)])).toEqual([]);
    const asked = { via: 'claude_hook', session_id: 's', tool_use_id: 't1', status: 'ERROR' } as const;
    expect(follows.ended('run', asked)).toMatchObject({ event: { status: 'failed' } });
    expect(follows.ended('run', asked)).toBeUndefined();
    expect(told(follows, [ended('ERROR')])).toEqual([]);
  });

  it('of another run has the same id and is another one', () => {
    const follows = follower();
    told(follows, [started(HOOK)]);
    const asked = { via: 'claude_hook', tool_use_id: 't1', status: 'OK' } as const;
    expect(follows.ended('other', asked)).toBeUndefined();
    expect(told(follows, [{ ...ended('OK'), runId: 'other' }])).toEqual([]);
  });

  it('by message belongs to the session whose hook told of it, and counts once', () => {
    const message = { context: { 'claudecode/toolUseId': 'm1' } };
    const events = told(follower(), [
      hooked({ session: 'other', event: 'SessionStart' }),
      hooked({ event: 'PreToolUse', agent_id: 'helper', linked: true, tool_use_id: 'm1' }),
      started(message, { tool: ['files', 'read'] }),
      ended('OK'),
      hooked({ event: 'PostToolUse', agent_id: 'helper', linked: true, tool_use_id: 'm1' }),
    ]);
    expect(events.slice(1)).toMatchObject([
      {
        speaker: { client: 'claude_hook', session: 's', agent: 'helper' },
        event: { tool: 'mcp__files__read' },
      },
    ]);
  });

  it('by message that no hook told of belongs to the one session of its run, or to the run', () => {
    const [alone, among, several] = [
      [started({}), ended('OK')],
      [hooked({ event: 'Stop' }), started({}), ended('OK')],
      [hooked({ event: 'Stop' }), hooked({ event: 'Stop', session: 'b' }), started({}), ended('OK')],
    ].map((entries) => told(follower(), entries).at(-1)?.speaker);
    expect(alone).toEqual({ client: 'run', session: 'run', agent: '', type: '' });
    expect(among).toEqual({ client: 'claude_hook', session: 's', agent: '', type: '' });
    expect(several).toEqual(alone);
  });

  it.each([
    [{ message: 'missing', linked: true }, {}],
    [{}, { unguarded_start: true }],
  ])('that a hook alone tells of counts by it: %j %j', (hook, facts) => {
    const hooks = { via: 'codex_hook', session: 's', event: 'PostToolUse', tool_use_id: 't9', ...hook };
    const event = entry('hook_event', { tool: ['codex:builtin', 'Bash'], data: { hook: hooks, facts } });
    expect(told(follower(), [event])).toMatchObject([
      { speaker: { client: 'codex_hook' }, event: { kind: 'action', tool: 'Bash', target: undefined } },
    ]);
  });
});

describe('a session', () => {
  it('that was forked goes on from the session that its process had before', () => {
    const fork = hooked({ event: 'SessionStart', session: 'new' });
    const events = told(follower(), [
      hooked({ event: 'SessionStart' }),
      { ...fork, data: { ...fork.data, facts: { source: 'fork' } } },
    ]);
    expect(events[1]).toMatchObject({ forkOf: { client: 'claude_hook', session: 's', agent: '', type: '' } });
  });

  it('of a run that is over leaves nothing behind', () => {
    const follows = follower();
    told(follows, [hooked({ event: 'Stop' }), started(HOOK), entry('run_end')]);
    expect([...follows.open]).toEqual([]);
    expect(told(follows, [ended('OK')])).toEqual([]);
  });

  it('is remembered, with its open calls, within bounds', () => {
    const follows = follower();
    for (let at = 0; at < 5000; at += 1) {
      const id = {
        call_id: `c-${at}`,
        via: 'claude_hook',
        context: { session: `s-${at}`, tool_use_id: `t${at}` },
      };
      told(follows, [started(id, { runId: `run-${at}`, preview: `{"command":"${'x'.repeat(9000)}"}` })]);
    }
    const open = [...follows.open];
    expect(open).toHaveLength(2048);
    expect(Math.max(...open.map((call) => JSON.stringify(call).length))).toBeLessThan(2600);
    expect(open.at(-1)).toMatchObject({ callId: 'c-4999' });
  });
});
