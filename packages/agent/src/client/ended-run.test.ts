import { expect, test } from 'vitest';
import { EndedRun } from './ended-run.js';

const PLAIN = { rule_id: null, severity: 'critical' };

test('a run that ended by itself is told as such', () => {
  const run = new EndedRun();
  run.onPush({ type: 'run_ended', run_id: 'r', status: 'TERMINATED' });
  expect(run.answer('handshake_refused')).toEqual({
    ...PLAIN,
    action: 'BLOCK',
    reason_code: 'RUN_ENDED',
    summary: 'the run has ended',
  });
});

test('a run that ended because the operator stopped everything is told so, and to go no further', () => {
  const stopped = {
    ...PLAIN,
    action: 'BLOCK',
    reason_code: 'PANICKED',
    summary: 'the operator has stopped everything, so the call was not made: do nothing more, and say so',
  };
  const run = new EndedRun();
  run.onPush({ type: 'run_ended', run_id: 'r', status: 'TERMINATED', cause: 'panic' });
  expect(run.answer('handshake_refused')).toEqual(stopped);
  expect(run.answer('run_ended')).toEqual(stopped);
  expect(new EndedRun().answer('panicked')).toEqual(stopped);
});

test('a run that a rule has ended is told so to every later call, with its decision where that is known', () => {
  const decision = {
    action: 'TERMINATE_RUN',
    rule_id: 'loops',
    severity: 'critical',
    reason_code: 'BREAKER_REPEATS',
    summary: 'too often',
    terminate: { terminate_code: 'LOOP', terminate_message: 'too often' },
  } as const;
  const run = new EndedRun();
  run.decided({ ...decision, action: 'BLOCK' });
  expect(run.answer('run_ended')).toMatchObject({ action: 'BLOCK' });
  run.decided(decision);
  run.onPush({ type: 'run_ended', status: 'TERMINATED', terminate: { terminate_code: 'OTHER' } });
  expect(run.answer('handshake_refused')).toBe(decision);
});

test('a shim whose own call did not end it hears of the code', () => {
  const run = new EndedRun();
  run.onPush({ type: 'run_ended', status: 'TERMINATED', terminate: { terminate_code: 'LOOP' } });
  expect(run.answer('run_ended')).toEqual({
    ...PLAIN,
    action: 'TERMINATE_RUN',
    reason_code: 'RUN_TERMINATED',
    summary: 'a rule has ended the run',
    terminate: { terminate_code: 'LOOP', terminate_message: 'a rule has ended the run' },
  });
  expect(new EndedRun().answer('run_terminated')).toMatchObject({ action: 'TERMINATE_RUN' });
});
