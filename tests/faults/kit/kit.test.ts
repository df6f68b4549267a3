import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ERRNO, FaultControl, type FaultRule } from './control.js';
import { buildFaultLibrary } from './library.js';

const library = buildFaultLibrary();
const absent = 'missing' in library ? ` (not here: ${library.missing})` : '';

/** What a child does: three lines into a file, a sync, another name; it prints the code of what failed. */
const CHILD = `
const fs = require('node:fs'); const path = require('node:path');
const folder = process.argv[1]; const told = [];
const attempt = (name, step) => { try { step(); told.push(name); } catch (error) { told.push(name + ':' + error.code); } };
const file = fs.openSync(path.join(folder, 'f'), 'a');
for (const line of ['one\\n', 'two\\n', 'three\\n']) attempt('write', () => fs.writeSync(file, line));
attempt('sync', () => fs.fsyncSync(file));
attempt('rename', () => fs.renameSync(path.join(folder, 'f'), path.join(folder, 'g')));
process.stdout.write(told.join(' ') + ' ' + new Date().getUTCFullYear());
`;

describe.skipIf('missing' in library)(`the fault library${absent}`, () => {
  let control: FaultControl;
  beforeEach(() => {
    control = new FaultControl();
  });
  afterEach(() => control.remove());

  const run = (rules: readonly FaultRule[], clockMs = 0) => {
    control.set(rules, clockMs);
    const env = { ...process.env, ...control.env('path' in library ? library.path : '', [control.folder]) };
    const { stdout, signal } = spawnSync(process.execPath, ['-e', CHILD, control.folder], {
      env,
      encoding: 'utf8',
    });
    return { told: stdout.split(' ').slice(0, -1).join(' '), year: Number(stdout.split(' ').at(-1)), signal };
  };
  const content = (name: string) => readFileSync(join(control.folder, name), 'utf8');
  const year = new Date().getUTCFullYear();

  it('sees every change below its folders and leaves it alone without a rule', () => {
    expect(run([])).toEqual({ told: 'write write write sync rename', year, signal: null });
    expect(content('g')).toBe('one\ntwo\nthree\n');
    expect(control.seen().map(({ op, path }) => `${op} ${path.slice(control.folder.length)}`)).toEqual([
      'open /f',
      'write /f',
      'write /f',
      'write /f',
      'sync /f',
      'rename /g',
    ]);
  });

  it('fails the n-th call without doing it, or does it and says that it failed', () => {
    const nth = (action: 'fail' | 'lie', n: number): FaultRule => ({
      ops: ['write'],
      path: '*/f',
      action,
      argument: ERRNO.ENOSPC,
      first: n,
      last: n,
    });
    expect(run([nth('fail', 2)]).told).toBe('write write:ENOSPC write sync rename');
    expect(content('g')).toBe('one\nthree\n');
    expect(run([nth('lie', 2)]).told).toBe('write write:ENOSPC write sync rename');
    expect(content('g')).toBe('one\ntwo\nthree\n');
  });

  it('takes part of a write, and Node asks for the rest', () => {
    run([{ ops: ['write'], path: '*/f', action: 'short', argument: 2, first: 1, last: 1 }]);
    expect(content('g')).toBe('one\ntwo\nthree\n');
    expect(control.seen().filter(({ op }) => op === 'write')).toHaveLength(4);
  });

  it('reports success for what it did not do', () => {
    expect(run([{ ops: ['rename'], path: '*', action: 'skip' }]).told).toBe('write write write sync rename');
    expect(content('f')).toBe('one\ntwo\nthree\n');
  });

  it('ends the process before or after a call', () => {
    expect(run([{ ops: ['write'], path: '*', action: 'kill', first: 3 }]).signal).toBe('SIGKILL');
    expect(content('f')).toBe('one\ntwo\n');
    expect(run([{ ops: ['write'], path: '*', action: 'killafter', first: 2 }]).signal).toBe('SIGKILL');
    expect(content('f')).toBe('one\ntwo\none\ntwo\n');
  });

  it('moves the wall clock', () => {
    const ahead = 3 * 365.25 * 86_400_000;
    expect(run([], ahead).year).toBe(new Date(Date.now() + ahead).getUTCFullYear());
  });
});
