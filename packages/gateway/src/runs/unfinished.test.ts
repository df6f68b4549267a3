import { describe, expect, it } from 'vitest';
import { Unfinished, type AskingCall, type Continued, type ToolAction } from './unfinished.js';

const ACTION: ToolAction = { shimId: 'shim-1', tool: ['srv', 'deploy'], argsHash: 'h' };
const call = (callId: string, continues?: Continued): AskingCall => ({
  ...ACTION,
  callId,
  charge: [],
  continues,
});

describe('a call that ended with a question', () => {
  it('is gone on with once', () => {
    const calls = new Unfinished();
    calls.add(call('call-1'), 0);
    expect(calls.take('call-1', ACTION, 1)).toEqual({ callId: 'call-1', step: 1, paid: [] });
    expect(calls.take('call-1', ACTION, 1)).toBeUndefined();
  });

  it('is not gone on with a second time when its end is reported twice', () => {
    const calls = new Unfinished();
    const one = call('call-1');
    calls.add(one, 0);
    calls.take('call-1', ACTION, 1);
    calls.add(one, 2);
    expect(calls.take('call-1', ACTION, 3)).toBeUndefined();
  });

  it.each<[string, Partial<ToolAction>]>([
    ['another shim', { shimId: 'shim-2' }],
    ['another server', { tool: ['other', 'deploy'] }],
    ['another tool', { tool: ['srv', 'destroy'] }],
    ['other arguments', { argsHash: 'g' }],
  ])('is not gone on with by a call of %s, and waits on', (_, other) => {
    const calls = new Unfinished();
    calls.add(call('call-1'), 0);
    expect(calls.take('call-1', { ...ACTION, ...other }, 1)).toBeUndefined();
    expect(calls.take('call-1', ACTION, 2)?.callId).toBe('call-1');
  });

  it('waits for an hour', () => {
    const calls = new Unfinished();
    calls.add(call('call-1'), 0);
    calls.add(call('call-2'), 0);
    expect(calls.take('call-1', ACTION, 3_600_000)?.callId).toBe('call-1');
    expect(calls.take('call-2', ACTION, 3_600_001)).toBeUndefined();
  });

  it('is gone on with 16 times in a row, and a call that had to wait is one of them', () => {
    const calls = new Unfinished();
    let continued: Continued | undefined;
    let steps = 0;
    for (let n = 0; n < 40; n += 1) {
      calls.add(call(`call-${n}`, continued), n);
      continued = calls.take(`call-${n}`, ACTION, n);
      if (continued === undefined) break;
      steps += 1;
      if (n === 3) {
        calls.putBack(continued, ACTION, n);
        continued = calls.take(`call-${n}`, ACTION, n);
      }
    }
    expect(steps).toBe(15);
  });

  it('is forgotten when 256 others have come', () => {
    const calls = new Unfinished();
    for (let n = 0; n <= 256; n += 1) calls.add(call(`call-${n}`), 0);
    expect(calls.take('call-0', ACTION, 1)).toBeUndefined();
    expect(calls.take('call-1', ACTION, 1)?.callId).toBe('call-1');
  });
});
