import { describe, expect, it } from 'vitest';
import { exitCodeOfChild, exitCodeOfRun, runStatusOf } from './outcome.js';

describe('exitCodeOfChild', () => {
  it.each([
    [{ code: 0, signal: null }, 0],
    [{ code: 42, signal: null }, 42],
    [{ code: null, signal: 'SIGINT' as const }, 130],
    [{ code: null, signal: 'SIGKILL' as const }, 137],
    [{ code: null, signal: 'SIGTERM' as const }, 143],
  ])('%j is %d', (end, code) => {
    expect(exitCodeOfChild(end)).toBe(code);
  });
});

describe('runStatusOf', () => {
  it('is SUCCEEDED for 0, even after a signal that the command handled', () => {
    expect(runStatusOf({ code: 0, signal: null }, undefined)).toBe('SUCCEEDED');
    expect(runStatusOf({ code: 0, signal: null }, 'SIGTERM')).toBe('SUCCEEDED');
  });

  it('is FAILED for another exit code, and for a crash', () => {
    expect(runStatusOf({ code: 3, signal: null }, undefined)).toBe('FAILED');
    expect(runStatusOf({ code: null, signal: 'SIGSEGV' }, undefined)).toBe('FAILED');
  });

  it('is CANCELLED when somebody ended it', () => {
    expect(runStatusOf({ code: null, signal: 'SIGINT' }, undefined)).toBe('CANCELLED');
    expect(runStatusOf({ code: 130, signal: null }, 'SIGINT')).toBe('CANCELLED');
  });
});

describe('exitCodeOfRun', () => {
  const clean = { child: 0, isViolated: false, isUnproven: false, isCutOff: false };

  it.each([
    [{}, 0],
    [{ child: 7 }, 7],
    [{ child: 7, isViolated: true }, 3],
    [{ isViolated: true, isUnproven: true, isCutOff: true }, 3],
    [{ child: 7, isUnproven: true }, 5],
    [{ isUnproven: true, isCutOff: true }, 5],
    [{ isCutOff: true }, 1],
    [{ child: 7, isCutOff: true }, 7],
  ])('%j is %d', (facts, code) => {
    expect(exitCodeOfRun({ ...clean, ...facts })).toBe(code);
  });
});
