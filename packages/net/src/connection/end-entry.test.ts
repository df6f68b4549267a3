import { describe, expect, it } from 'vitest';
import { lateEndEntry } from './end-entry.js';

const open = { runId: 'run-1', requestId: 'request-1', ts: 5 };
const end = { pending_seq: 7, bytes_up: 10, bytes_down: 20, ms: 3, sni: 'a.example', address: '192.0.2.1' };

describe('the end of a connection that comes too late', () => {
  it('is what it says, and what the end of the run cut is interrupted', () => {
    expect(lateEndEntry(open, { ...end, outcome: 'closed' })).toEqual({
      type: 'action_result',
      ts: 5,
      runId: 'run-1',
      tool: 'net.connect',
      code: 'success',
      ref: 7,
      data: {
        req: { id: 'request-1' },
        status: 'success',
        outcome: 'closed',
        sni: 'a.example',
        address: '192.0.2.1',
        bytes_up: 10,
        bytes_down: 20,
        latency_ms: 3,
      },
    });
    const cut = (code: 'run_ended' | 'not_allowed') =>
      lateEndEntry(open, { ...end, outcome: 'cut', code, detail: 'words' }).data;
    expect(cut('run_ended')).toMatchObject({
      status: 'error',
      outcome: 'cut',
      error: { code: 'interrupted', message: 'the run ended while the connection was open' },
      bytes_up: 10,
      bytes_down: 20,
    });
    expect(cut('not_allowed')).toMatchObject({ error: { code: 'not_allowed', message: 'words' } });
  });
});
