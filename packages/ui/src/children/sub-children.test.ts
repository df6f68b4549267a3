import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SubChildren } from './sub-children.js';

const LIMITS = { ms: 20_000, bytes: 10_000, isUnlocked: false };

let folder: string;
let children: SubChildren;
/** Askers that may have nothing started any more, and those that may have nothing widened. */
let over: Set<string>;
let locked: Set<string>;
/** A program in the place of `sub`. */
const does = (program: string): void => writeFileSync(join(folder, 'sub.mjs'), program);
/** One that has ended may wait for its parent still. */
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-child-'));
  [over, locked] = [new Set(), new Set()];
  children = new SubChildren({
    program: join(folder, 'sub.mjs'),
    home: '/the home',
    assertMayStart: (asker, isUnlocked) => {
      if (over.has(asker) || (isUnlocked && locked.has(asker)))
        throw new SublError('not_permitted', 'no more');
    },
  });
});
afterEach(() => {
  children.end();
  rmSync(folder, { recursive: true });
});

describe('a child of the page', () => {
  it('gets its words as they are, operands behind `--`, and nothing of this environment', async () => {
    does(`console.log(JSON.stringify({ words: process.argv.slice(2), env: Object.keys(process.env) }))`);
    const answer = await children.ask('one', ['world', 'diff'], ['--yes', '$(id)'], LIMITS);
    expect(answer['words']).toEqual([
      'world',
      'diff',
      '--json',
      '--home',
      '/the home',
      '--',
      '--yes',
      '$(id)',
    ]);
    expect(answer['env']).toEqual(['PATH', 'HOME', 'LANG']);
  });

  it('tells its error by code, and the last line counts', async () => {
    does(`console.log('{"error":{"code":"in_doubt","message":"no"}}'); console.log('{"done":1}')`);
    expect(await children.ask('one', [], [], LIMITS)).toEqual({ done: 1 });
    does(
      `console.log('{"error":{"code":"layer_changed","message":"other","help":"look"}}'); process.exit(1)`,
    );
    await expect(children.ask('one', [], [], LIMITS)).rejects.toMatchObject({
      code: 'layer_changed',
      message: 'other',
      help: 'look',
    });
    does(`console.log('{"error":{"code":"__proto__","message":"x"}}')`);
    await expect(children.ask('one', [], [], LIMITS)).rejects.toMatchObject({ code: 'failed' });
  });

  it.each([
    ['nothing', ''],
    ['garbage', `process.stdout.write('\\0\\xff{"a":')`],
    ['a list', `console.log('[]')`],
    ['the same name twice', `console.log('{"digest":"1","digest":"2"}')`],
    ['its end by a signal', `process.kill(process.pid, 'SIGKILL')`],
  ])('that answers with %s has failed', async (_, program) => {
    does(program);
    await expect(children.ask('one', [], [], LIMITS)).rejects.toMatchObject({ code: 'failed' });
  });

  it('that says more than a page shows is ended', async () => {
    does(`setInterval(() => process.stdout.write('x'.repeat(5000)), 1)`);
    await expect(children.ask('one', [], [], LIMITS)).rejects.toMatchObject({ code: 'response_too_large' });
    await vi.waitUntil(() => children.size === 0, { timeout: 10_000 });
  });

  it('that hangs is ended, with what it has started', async () => {
    const file = join(folder, 'pid');
    does(`import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs';
      const own = spawn('/bin/sleep', ['1000'], { stdio: 'inherit' });
      writeFileSync(${JSON.stringify(file)}, String(own.pid));`);
    await expect(children.ask('one', [], [], { ...LIMITS, ms: 3000 })).rejects.toMatchObject({
      code: 'timed_out',
    });
    const pid = Number(readFileSync(file, 'utf8'));
    expect(pid).toBeGreaterThan(1);
    await vi.waitUntil(() => !isAlive(pid), { timeout: 10_000 });
  });

  it('waits for the one before it of the same asker, also if that failed, and for nobody else', async () => {
    does(`import { existsSync } from 'node:fs';
      const [name] = process.argv.slice(-1);
      if (name === 'first') while (!existsSync(${JSON.stringify(join(folder, 'go'))})) {
        await new Promise((resolve) => setTimeout(resolve, 5)); }
      else console.log(JSON.stringify({ name }))`);
    const order: string[] = [];
    const ask = async (asker: string, name: string): Promise<void> => {
      await children.ask(asker, [], [name], LIMITS).catch(() => undefined);
      order.push(name);
    };
    const first = ask('one', 'first');
    const second = ask('one', 'second');
    await ask('two', 'other');
    expect([order, children.size]).toEqual([['other'], 1]);
    writeFileSync(join(folder, 'go'), '');
    await Promise.all([first, second]);
    expect(order).toEqual(['other', 'first', 'second']);
  });

  it.each([
    ['is over', false, () => over.add('one')],
    ['is locked again, for what widens', true, () => locked.add('one')],
  ])('is not started where the session of its asker %s by then', async (_, isUnlocked, meanwhile) => {
    const go = join(folder, 'go');
    const ran = join(folder, 'ran');
    does(`import { existsSync, writeFileSync } from 'node:fs';
      const [name] = process.argv.slice(-1);
      if (name === 'first') while (!existsSync(${JSON.stringify(go)})) {
        await new Promise((resolve) => setTimeout(resolve, 5)); }
      else writeFileSync(${JSON.stringify(ran)}, name);
      console.log('{}')`);
    const first = children.ask('one', [], ['first'], LIMITS);
    const second = children
      .ask('one', [], ['second'], { ...LIMITS, isUnlocked })
      .catch((error: unknown) => error);
    await vi.waitUntil(() => children.size === 1, { timeout: 10_000 });
    meanwhile();
    writeFileSync(go, '');
    expect(await first).toEqual({});
    expect(await second).toMatchObject({ code: 'not_permitted' });
    expect(existsSync(ran)).toBe(false);
    if (isUnlocked) expect(await children.ask('one', [], ['third'], LIMITS)).toEqual({});
  });

  it('is not started behind the end, though it waited', async () => {
    does('setInterval(() => undefined, 1000)');
    const ended = (asked: Promise<object>): Promise<unknown> => asked.catch((error: unknown) => error);
    const first = ended(children.ask('one', [], [], LIMITS));
    const second = ended(children.ask('one', [], [], LIMITS));
    await vi.waitUntil(() => children.size === 1, { timeout: 10_000 });
    children.end();
    expect(await first).toMatchObject({ code: 'failed' });
    expect(await second).toMatchObject({ code: 'shutting_down' });
    expect(children.size).toBe(0);
  });
});
