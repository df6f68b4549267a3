import type { PayloadOf } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import { expect, it } from 'vitest';
import { Projects } from './projects.js';
import type { TrustedText } from './trusted/project-store.js';

const FILE = '/work/shop/.subluminal.yaml';
const TEXT = 'policy_id: shop\nversion: "1"\nmode: guardrails\nrules: []\n';
const TRUSTED: TrustedText = { file: FILE, sha256: '00', text: TEXT, trustedMs: 1 };
const ASKED: PayloadOf<'run.begin'> = {
  agent_id: 'a',
  client: 'unknown',
  env: 'dev',
  holder: { pid: 1, start: '1' },
};

/** One file is trusted, and runs begin in that folder. */
function projectsAt(
  working: string | undefined,
  resolve: (path: string) => Promise<string | undefined> = (path) => Promise.resolve(path),
  trusted: readonly TrustedText[] = [TRUSTED],
): { readonly projects: Projects; readonly noted: EntryInput[] } {
  const noted: EntryInput[] = [];
  const projects = new Projects({
    store: {
      all: () => trusted,
      enter: () => undefined,
      enteredBy: () => [FILE],
      remove: () => undefined,
      write: () => undefined,
    },
    sight: {
      home: '/home/ada',
      resolve,
      textOf: () => Promise.resolve(undefined),
      folderOf: () => working,
    },
    recorder: { note: ({ entries }) => void noted.push(...entries) },
    clock: () => 7,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  return { projects, noted };
}

const filesOf = (projects: Projects, run: { readonly id: string }): unknown[] =>
  projects.of(run).map(({ kind, file }) => [kind, file]);

it('nothing passes for a run that has neither begun nor been restored', () => {
  const { projects } = projectsAt('/work/shop');
  const run = { id: 'run-1' };
  for (const ask of [
    () => projects.of(run),
    () => projects.enter(run, '/work/shop'),
    () => projects.follow(run, '/work/shop'),
  ])
    expect(ask).toThrow('nobody knows which projects bind the run');
});

it('a run is bound by the folder that it begins in, and by each that it works in later', async () => {
  const { projects, noted } = projectsAt('/elsewhere');
  const run = { id: 'run-1' };
  const beginning = await projects.look(ASKED);
  if (beginning === 'late') throw new Error('late');
  expect([beginning.enter(run, 5), filesOf(projects, run)]).toEqual([[], []]);
  projects.enter(run, '/work/shop/src');
  expect(filesOf(projects, run)).toEqual([['project', FILE]]);
  expect(noted).toMatchObject([{ type: 'policy_loaded', ts: 7, runId: 'run-1', data: { file: FILE } }]);
  projects.enter(run, '/elsewhere');
  expect([filesOf(projects, run), noted.length]).toEqual([[['project', FILE]], 1]);
});

it('a restored run is bound by what bound it', () => {
  const { projects } = projectsAt(undefined);
  const run = { id: 'run-1' };
  projects.restore(run, { data: { run: {} } });
  expect(filesOf(projects, run)).toEqual([['project', FILE]]);
});

it('neither a run begins nor a call is made where nobody can tell which policies bind there', async () => {
  const known = { id: 'run-1' };
  const { projects } = projectsAt('/work/shop', () => Promise.reject(new Error('EIO')));
  expect(await projects.look(ASKED)).toBe('late');
  projects.restore(known, { data: {} });
  expect(await projects.follow(known, '/link')).toBe('late');
  // The folder as it was given binds at once.
  expect((await projects.at('/work/shop')).map(({ file }) => file)).toEqual([FILE]);
});

it('a run that a project binds is the only one for which something is another', () => {
  const blog = { ...TRUSTED, file: '/work/blog/.subluminal.yaml' };
  const { projects } = projectsAt(undefined, undefined, [TRUSTED, blog]);
  const [run, other] = [{ id: 'run-1' }, { id: 'run-2' }];
  const told: unknown[] = [];
  projects.onChange((bound) => void told.push(bound));
  for (const one of [run, other]) projects.restore(one, { data: {} });
  const before = projects.of(other);
  projects.enter(run, '/work/shop');
  projects.enter(run, '/work/blog');
  expect(told).toEqual([run]);
  expect(projects.of(other)).toBe(before);
  projects.trusted.untrust(FILE);
  expect(told).toEqual([run, undefined]);
});
