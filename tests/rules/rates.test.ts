import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { placeOf, type Place } from '@subluminal/readings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asked, Starter } from './starter.js';

interface Sample extends Asked {
  readonly id: string;
  readonly category: string;
}

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

/** Calls of the corpus, with folders of this machine. */
function samples(kind: 'dangerous' | 'harmless'): readonly Sample[] {
  const text = readFileSync(new URL(`../fixtures/calls/${kind}.jsonl`, import.meta.url), 'utf8');
  const here = text.replaceAll('/home/dev', place.home);
  return here.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Sample]));
}

/** The share of calls that is stopped, and those of the other kind; prints the shares of the categories. */
function held(name: string, kind: 'dangerous' | 'harmless', isMeant: (call: Sample) => boolean = () => true) {
  const starter = new Starter(name);
  const categories = new Map<string, { all: number; stopped: number }>();
  const odd: string[] = [];
  let stopped = 0;
  const calls = samples(kind).filter((call) => isMeant(call));
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

/** The command of a call in one text; empty where it has none. */
function commandOf({ args }: Sample): string {
  const text = args['command'] ?? args['cmd'] ?? '';
  return typeof text === 'string' ? text : JSON.stringify(text);
}

/**
 * The work that `ci-strict` is for, told by category and by plain patterns, and not by its rules: what is
 * done in a checkout, without what its header keeps out.
 */
function isForCi(call: Sample): boolean {
  const command = commandOf(call);
  const isCategory = 'read search git node python rust-go heredoc compound file'
    .split(' ')
    .includes(call.category);
  const keptOut = [
    /\bgit push\b.*\bmain\b|--tags|pr merge/, // protected branches, tags, merges
    /\b(?:python3?|node|ruby|perl)\b[^|]* (?:-[cepn]+|-) /, // code in words
    /\b(?:docker|psql|mysql|sqlite3|perl|flask|twine|rimraf|just|lodash)\b/, // none of its programs
    /https?:\/\/(?!localhost)/, // none of its hosts
    /\$\(pwd\)|-exec rm/, // deletes where no text says what
  ];
  return (
    isCategory &&
    !JSON.stringify(call.args).includes('.github/workflows/') &&
    !keptOut.some((pattern) => pattern.test(command))
  );
}

/** Reading, as categories and the first word of a query tell it: without a file that output goes to. */
function isReading(call: Sample): boolean {
  const command = commandOf(call);
  if (call.category === 'read' || call.category === 'search') return !/> ?\/tmp/.test(command);
  if (call.category === 'file')
    return /^(?:Read|Grep|Glob|read_|list_|get_|search_|find_|directory_tree)/.test(call.tool);
  const query = call.args['sql'] ?? call.args['query'];
  return (
    call.category === 'sql' &&
    typeof query === 'string' &&
    /^(?:--.*\n)?(?:SELECT|EXPLAIN|SHOW|WITH) /.test(query)
  );
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
