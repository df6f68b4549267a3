import { describe, expect, it } from 'vitest';
import { type ApprovalOptions, Approvals } from './approvals.js';
import { memoryDb } from '../../testing/memory-db.js';

const HOUR = 3_600_000;
const START = 1_900_000_000_000;
const SUBJECT = { client: 'run-1', action: 'service.api_call', payloadHash: 'a'.repeat(64) };
const INPUT = {
  ...SUBJECT,
  summary: 'a payload of 2000000 bytes',
  flags: [{ kind: 'large_payload' as const }],
};

function approvalsOn(options: Partial<ApprovalOptions> = {}, db = memoryDb()) {
  const clock = { now: START };
  let id = 0;
  const approvals = new Approvals(
    db,
    () => clock.now,
    () => `ap-${(id += 1)}`,
    { expiresAfterMs: () => HOUR, maxPending: 3, ...options },
  );
  return { approvals, clock, db };
}

describe('an approval request', () => {
  it('is recorded with what a person needs to answer it', () => {
    const { approvals } = approvalsOn();
    const request = approvals.request(INPUT);
    expect(request).toEqual({
      id: 'ap-1',
      client: 'run-1',
      action: 'service.api_call',
      payload_hash: 'a'.repeat(64),
      summary: 'a payload of 2000000 bytes',
      flags: ['large_payload'],
      state: 'pending',
      created_at: START,
      expires_at: START + HOUR,
      grant_seq: null,
    });
    expect(approvals.list()).toEqual([request]);
    expect(approvals.get('ap-1')).toEqual(request);
  });

  it('is the same one for the same subject while it is open', () => {
    const { approvals, clock } = approvalsOn();
    const first = approvals.request(INPUT);
    clock.now += 1_000;
    expect(approvals.request({ ...INPUT, summary: 'other words' })).toEqual(first);
    approvals.markApproved(first.id, 7);
    expect(approvals.request(INPUT)).toMatchObject({ id: first.id, state: 'approved' });
    expect(approvals.list()).toHaveLength(1);
  });

  it('expires, and is then asked anew', () => {
    const { approvals, clock } = approvalsOn();
    approvals.request(INPUT);
    clock.now += HOUR - 1;
    expect(approvals.request(INPUT).id).toBe('ap-1');
    clock.now += 1;
    expect(approvals.list()).toEqual([]);
    expect(approvals.get('ap-1')).toBeUndefined();
    expect(() => approvals.markApproved('ap-1', 7)).toThrowError(
      expect.objectContaining({ code: 'approval_not_found' }),
    );
    expect(approvals.request(INPUT).id).toBe('ap-2');
  });

  it('is refused as overloaded when too many are pending, and only expired ones make room', () => {
    const { approvals, clock } = approvalsOn();
    for (const payloadHash of ['1', '2', '3']) approvals.request({ ...INPUT, payloadHash });
    expect(() => approvals.request({ ...INPUT, payloadHash: '4' })).toThrowError(
      expect.objectContaining({ code: 'overloaded' }),
    );
    expect(approvals.list().map((one) => one.payload_hash)).toEqual(['1', '2', '3']);
    expect(approvals.request({ ...INPUT, payloadHash: '2' }).id).toBe('ap-2');
    clock.now += HOUR;
    expect(approvals.request({ ...INPUT, payloadHash: '4' }).payload_hash).toBe('4');
  });

  it('finds room again when the operator has answered', () => {
    const { approvals } = approvalsOn({ maxPending: 1 });
    approvals.markDenied(approvals.request({ ...INPUT, payloadHash: '1' }).id);
    approvals.markApproved(approvals.request({ ...INPUT, payloadHash: '2' }).id, 7);
    expect(approvals.request({ ...INPUT, payloadHash: '3' }).state).toBe('pending');
  });

  it('leaves room for others when one client asks for everything', () => {
    const { approvals } = approvalsOn({ maxPending: 10, maxPendingPerClient: 1 });
    approvals.request({ ...INPUT, payloadHash: '1' });
    expect(() => approvals.request({ ...INPUT, payloadHash: '2' })).toThrowError(
      expect.objectContaining({ code: 'overloaded' }),
    );
    expect(approvals.request({ ...INPUT, client: 'run-2', payloadHash: '2' }).client).toBe('run-2');
  });

  it('outlives the gateway', () => {
    const { approvals, db } = approvalsOn();
    const request = approvals.request(INPUT);
    approvals.markApproved(request.id, 7);
    expect(approvalsOn({}, db).approvals.findGrant(SUBJECT)).toEqual({ approvalId: request.id, grantSeq: 7 });
  });
});

describe('a grant', () => {
  function granted() {
    const made = approvalsOn();
    const { id } = made.approvals.request(INPUT);
    made.approvals.markApproved(id, 7);
    return { ...made, id };
  }

  it('does not exist before the operator approves', () => {
    const { approvals } = approvalsOn();
    approvals.request(INPUT);
    expect(approvals.findGrant(SUBJECT)).toBeUndefined();
  });

  it('is found for exactly the client, the action and the payload that it is for', () => {
    const { approvals, id } = granted();
    expect(approvals.findGrant(SUBJECT)).toEqual({ approvalId: id, grantSeq: 7 });
    expect(approvals.findGrant({ ...SUBJECT, client: 'run-2' })).toBeUndefined();
    expect(approvals.findGrant({ ...SUBJECT, action: 'email.send' })).toBeUndefined();
    expect(approvals.findGrant({ ...SUBJECT, payloadHash: 'b'.repeat(64) })).toBeUndefined();
  });

  it('is good once', () => {
    const { approvals, id } = granted();
    approvals.markUsed(id);
    expect(approvals.findGrant(SUBJECT)).toBeUndefined();
    expect(() => approvals.markUsed(id)).toThrowError(expect.objectContaining({ code: 'approval_used' }));
    expect(() => approvals.markApproved(id, 8)).toThrowError(
      expect.objectContaining({ code: 'approval_used' }),
    );
    const next = approvals.request(INPUT);
    expect(next).toMatchObject({ id: 'ap-2', state: 'pending' });
  });

  it('is good until it expires, counted from the approval', () => {
    const { approvals, clock } = approvalsOn();
    const { id } = approvals.request(INPUT);
    clock.now += HOUR - 1;
    approvals.markApproved(id, 7);
    clock.now += HOUR - 1;
    expect(approvals.findGrant(SUBJECT)).toEqual({ approvalId: id, grantSeq: 7 });
    clock.now += 1;
    expect(approvals.findGrant(SUBJECT)).toBeUndefined();
    expect(() => approvals.markUsed(id)).toThrowError(expect.objectContaining({ code: 'approval_used' }));
  });

  it('does not live longer when the clock goes back', () => {
    const { approvals, clock } = granted();
    clock.now += HOUR;
    expect(approvals.findGrant(SUBJECT)).toBeUndefined();
    clock.now -= HOUR;
    expect(approvals.findGrant(SUBJECT)).toBeUndefined();
  });

  it('is not given twice', () => {
    const { approvals, id } = granted();
    expect(() => approvals.markApproved(id, 8)).toThrowError(
      expect.objectContaining({
        code: 'approval_used',
        message: `the approval request \`${id}\` is already approved`,
      }),
    );
    expect(() => approvals.markDenied(id)).toThrowError(expect.objectContaining({ code: 'approval_used' }));
    expect(approvals.findGrant(SUBJECT)).toEqual({ approvalId: id, grantSeq: 7 });
  });

  it('is never made out of a denial, which answers the same question until it expires', () => {
    const { approvals, clock } = approvalsOn();
    const { id } = approvals.request(INPUT);
    approvals.markDenied(id);
    expect(approvals.findGrant(SUBJECT)).toBeUndefined();
    expect(approvals.request(INPUT)).toMatchObject({ id, state: 'denied' });
    expect(() => approvals.markApproved(id, 7)).toThrowError(
      expect.objectContaining({ code: 'approval_used' }),
    );
    expect(() => approvals.markUsed(id)).toThrowError(expect.objectContaining({ code: 'approval_used' }));
    clock.now += HOUR;
    expect(approvals.request(INPUT)).toMatchObject({ state: 'pending' });
  });

  it('cannot be had for an id that is not known', () => {
    const { approvals } = approvalsOn();
    expect(() => approvals.markApproved('x', 7)).toThrowError(
      expect.objectContaining({ code: 'approval_not_found' }),
    );
    expect(() => approvals.markDenied('x')).toThrowError(
      expect.objectContaining({ code: 'approval_not_found' }),
    );
    expect(() => approvals.markUsed('x')).toThrowError(expect.objectContaining({ code: 'approval_used' }));
  });
});
