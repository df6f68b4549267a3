import { describe, expect, it } from 'vitest';
import { CODES, isOfItself, KINDS, nameOfCode, numberOfCode, typeOfKind } from './kinds.js';

describe('the numbers of kinds and codes', () => {
  it('are these, for ever', () => {
    expect(KINDS).toEqual({
      run_start: 1,
      tool_call_start: 2,
      tool_call_decision: 3,
      tool_call_end: 4,
      run_end: 5,
      hint_issued: 6,
      policy_loaded: 7,
      secret_injection: 8,
      shim_health: 9,
      breaker_trip: 10,
      hint_promoted: 11,
      tools_pinned: 12,
      tools_held: 13,
      tools_approved: 14,
      spool_ingested: 15,
      policy_refused: 16,
      secret_changed: 17,
      account_changed: 18,
      action_pending: 20,
      action_result: 21,
      action_rejected: 22,
      anomaly: 23,
      approval_granted: 24,
      approval_denied: 25,
      approval_requested: 26,
      upstream_begin: 30,
      upstream_end: 31,
      message_dropped: 32,
      hook_event: 33,
      world_begin: 34,
      world_end: 35,
      gateway_start: 40,
      gateway_stop: 41,
      peers_refused: 42,
      rejections_dropped: 43,
      panicked: 44,
      resumed: 45,
      run_ingested: 46,
      seal: 50,
      anchored: 51,
      previews_expired: 52,
      segment_closed: 53,
      restored: 54,
      segment_opened: 56,
      settings_loaded: 60,
      settings_refused: 61,
      secrets_told: 62,
      'plane.boundary': 70,
      'plane.window': 71,
      'plane.steer': 72,
      'plane.skip': 73,
      'plane.checkpoint': 74,
      'plane.signal_off': 75,
    });
    expect(CODES.map(([number, name]) => `${number} ${name}`).join(', ')).toBe(
      '1 ALLOW, 2 BLOCK, 3 THROTTLE, 4 REJECT_WITH_HINT, 5 TERMINATE_RUN, 10 OK, 11 ERROR, 12 TIMEOUT, ' +
        '13 CANCELLED, 20 pending, 21 success, 22 error, 23 rejected, 24 rate_limited, 25 requires_approval, ' +
        '30 SUCCEEDED, 31 FAILED, 32 TERMINATED, 33 CANCELLED',
    );
  });

  it('tell a cancelled run from a cancelled call', () => {
    expect(numberOfCode(KINDS.run_end, 'CANCELLED')).toBe(33);
    expect(numberOfCode(KINDS.tool_call_end, 'CANCELLED')).toBe(13);
  });

  it('map back, and an unknown number has no name', () => {
    for (const [type, kind] of Object.entries(KINDS)) expect(typeOfKind(kind)).toBe(type);
    for (const [number, name] of CODES) expect(nameOfCode(number)).toBe(name);
    expect(nameOfCode(0)).toBeNull();
    expect(nameOfCode(6)).toBeUndefined();
    expect(typeOfKind(59)).toBeUndefined();
  });

  it('tell what speaks of the ledger itself', () => {
    expect([49, 50, 59, 60].map(isOfItself)).toEqual([false, true, true, false]);
  });
});
