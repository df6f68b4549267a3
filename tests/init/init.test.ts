import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import type { Finished } from '../harness/sub.js';
import { HOMES, lay, treeOf, type UserHome } from './homes.js';

interface Told {
  readonly changed: boolean;
  readonly ok: boolean;
  readonly steps: readonly {
    readonly step: string;
    readonly outcome: string;
    readonly clients?: readonly { readonly client: string; readonly routed?: readonly string[] }[];
    readonly problems: readonly { readonly message: string }[];
  }[];
}

/** One gateway for all: what `sub init` does to a home of a user is asked here, and not the gateway. */
let at: TestHome;
beforeAll(async () => {
  at = createHome();
  await runSub(['policy', 'init', 'observe-everything', '--home', at.home]);
  await runSub(['up', '--home', at.home]);
});
afterAll(() => at.remove());

function subIn(user: string, env: Readonly<Record<string, string>> = {}, home = at.home) {
  return (...args: readonly string[]): Promise<Finished> =>
    runSub([...args, '--home', home], {
      cwd: join(user, 'project'),
      env: { PATH: process.env['PATH'], HOME: user, ...env },
    });
}

describe.each(HOMES.map((home, index) => ({ ...home, index })))('in a home with $name', (one) => {
  const { index, routed, hooked, problems = [], says = [] }: UserHome & { index: number } = one;
  const user = (): string => join(at.root, `user ${index}`);
  const sub = (...args: readonly string[]): Promise<Finished> => subIn(user(), one.env?.(user()))(...args);
  let before: readonly string[];
  beforeAll(() => {
    lay(user(), one);
    before = treeOf(user());
  });

  it.runIf(says.length > 0 || process.env['SUB_LONG'] === '1')(
    'without a terminal shows the plan, changes nothing, and names the flags',
    async () => {
      const { code, stdout, stderr } = await sub('init');
      expect(code).toBe(2);
      for (const words of says) expect(stdout).toMatch(words);
      expect(stderr).toMatch(/nothing was changed: there is no terminal[^]*`sub init --yes`/);
      expect(treeOf(user())).toEqual(before);
    },
  );

  it('routes and hooks what it can, names the rest, changes nothing the second time, and is undone byte for byte', async () => {
    const first = await sub('init', '--yes', '--json', '--skip', 'try');
    const told = JSON.parse(first.stdout) as Told;
    const step = (name: string) => told.steps.find((found) => found.step === name);
    const servers = (step('servers')?.clients ?? []).map(({ client, routed: names = [] }) => [client, names]);
    expect(Object.fromEntries(servers.filter(([, names]) => (names as string[]).length > 0))).toEqual(routed);
    expect((step('hooks')?.clients ?? []).map(({ client }) => client)).toEqual(hooked);
    const said = told.steps.flatMap((found) => found.problems.map(({ message }) => message));
    expect(said).toEqual(problems.map((words) => expect.stringMatching(words) as string));
    expect([first.code, told.ok]).toEqual(problems.length === 0 ? [0, true] : [1, false]);

    const between = treeOf(user());
    const second = JSON.parse((await sub('init', '--yes', '--json', '--skip', 'try')).stdout) as Told;
    expect(second.changed).toBe(false);
    expect(treeOf(user())).toEqual(between);

    const { code } = await sub('restore', 'all');
    if (problems.length === 0) expect(code).toBe(0);
    expect(treeOf(user())).toEqual(before);
  });
});

describe('sub init on a home of its own', () => {
  it('begins with a policy and a gateway, and `sub uninstall` leaves only the record', async () => {
    const other = createHome();
    const user = join(other.root, 'user');
    const shape = HOMES.find(({ name }) => name.startsWith('all clients'));
    if (shape === undefined) throw new Error('there is no such home');
    lay(user, shape);
    const before = treeOf(user);
    const sub = subIn(user, {}, other.home);
    try {
      const first = await sub('init', '--yes', '--policy', 'developer-laptop', '--skip', 'try');
      expect(first.code).toBe(0);
      expect(first.stdout).toMatch(/policy +developer-laptop is in .*policy\.yaml/);
      expect(first.stdout).toMatch(/gateway +is up/);
      expect(first.stderr).toMatch(/next: restart Claude Code, Codex.*`sub tail`[^]*undo: `sub restore all`/);
      const again = await sub('init', '--yes', '--policy', 'developer-laptop');
      expect([again.code, again.stderr]).toEqual([0, 'everything is set up already: nothing was changed\n']);
      const otherwise = await sub('init', '--yes', '--policy', 'observe-everything');
      expect(otherwise.code).toBe(1);
      expect(otherwise.stdout).toMatch(/is not observe-everything, and stays: .*--force` replaces it/);
      expect((await sub('uninstall', '--yes')).code).toBe(0);
      expect(treeOf(user).filter((line) => !line.startsWith('.local'))).toEqual(before);
      expect(readdirSync(other.root).toSorted()).toEqual([
        'memory',
        expect.stringMatching(/^subluminal-record-/),
        'user',
      ]);
    } finally {
      await other.remove();
    }
  });

  it.each([
    [['--client', 'emacs'], 2, /`emacs` is no client that is known/],
    [['--client', 'cursor'], 1, /Cursor was not found on this machine/],
    [['--skip', 'gatewy'], 2, /`gatewy` is no step/],
    [['--policy', 'lax'], 2, /there is no starter policy `lax`/],
  ])('refuses %j before anything is changed', async (flags, code, words) => {
    const user = join(at.root, 'refused');
    mkdirSync(join(user, 'project'), { recursive: true });
    const before = treeOf(user);
    const { code: exit, stderr } = await subIn(user)('init', '--yes', ...flags);
    expect([exit, stderr]).toEqual([code, expect.stringMatching(words)]);
    expect(treeOf(user)).toEqual(before);
  });

  it('shows by `--diff` alone every line that would change, and changes none', async () => {
    const user = join(at.root, 'shown');
    mkdirSync(join(user, 'project'), { recursive: true });
    const shape = HOMES.find(({ name }) => name.startsWith('all clients'));
    if (shape === undefined) throw new Error('there is no such home');
    lay(user, shape);
    const before = treeOf(user);
    for (const flags of [['--diff'], ['--diff', '--yes']]) {
      const { code, stdout, stderr } = await subIn(user)('init', ...flags);
      expect([code, stderr]).toEqual([0, 'nothing was changed\n']);
      expect(stdout).toContain('"--server"');
      expect(treeOf(user)).toEqual(before);
    }
  });
});
