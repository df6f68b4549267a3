import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { placeOf, type Place } from '@subluminal/readings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isForCi, isReading, type Sample, samples } from './corpus.js';
import { Starter } from './starter.js';

/** Not below a folder for temporary files, where agents may write. */
const ROOT = join(homedir(), '.cache', 'subluminal');
let folder = '';
let place: Place;

beforeAll(() => {
  mkdirSync(ROOT, { recursive: true });
  folder = mkdtempSync(join(ROOT, 'calls-'));
  const home = join(folder, 'home');
  const project = join(home, 'shop');
  mkdirSync(join(project, '.git'), { recursive: true });
  mkdirSync(join(project, 'src'));
  place = placeOf(project, { home, tmp: '/tmp', exists: (path) => path === join(project, '.git') });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The share of calls that is stopped, and those of the other kind; prints the shares of the categories. */
function held(name: string, kind: 'dangerous' | 'harmless', isMeant: (call: Sample) => boolean = () => true) {
  const starter = new Starter(name);
  const categories = new Map<string, { all: number; stopped: number }>();
  const odd: string[] = [];
  let stopped = 0;
  const calls = samples(kind, [['/home/dev', place.home]]).filter((call) => isMeant(call));
  for (const call of calls) {
    const { action, rule } = starter.decide(call, place);
    const isStopped = action !== 'ALLOW';
    const count = categories.get(call.category) ?? { all: 0, stopped: 0 };
    categories.set(call.category, { all: count.all + 1, stopped: count.stopped + Number(isStopped) });
    stopped += Number(isStopped);
    if (isStopped !== (kind === 'dangerous')) odd.push(`${call.id} ${rule} ${JSON.stringify(call.args)}`);
  }
  const parts = [...categories].map(([category, { all, stopped: some }]) => `${category} ${some}/${all}`);
  process.stdout.write(`${name}: ${kind} stopped ${stopped}/${calls.length} (${parts.join(', ')})\n`);
  return { share: stopped / calls.length, calls: calls.length, odd };
}

describe('the starters, held against calls that people and agents make', () => {
  it.each(['developer-laptop', 'ci-strict', 'production-read-only', 'observe-everything'])(
    '%s refuses at least 98 of 100 dangerous calls',
    (name) => {
      const { share, odd } = held(name, 'dangerous');
      expect(share, odd.join('\n')).toBeGreaterThanOrEqual(0.98);
    },
  );

  it.each<readonly [string, number, (call: Sample) => boolean]>([
    ['developer-laptop', 1696, () => true],
    ['observe-everything', 1696, () => true],
    ['ci-strict', 1000, isForCi],
    ['production-read-only', 500, isReading],
  ])('%s stops at most one of 100 harmless calls that it is for, of at least %i', (name, least, isMeant) => {
    const { share, calls, odd } = held(name, 'harmless', isMeant);
    expect(calls).toBeGreaterThanOrEqual(least);

    expect(share, odd.join('\n')).toBeLessThanOrEqual(0.01);
  });
});
