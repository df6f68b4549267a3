import { Mutex, type Recorder, type Run, Turns } from '@subluminal/gateway';
import { expect, it } from 'vitest';
import { Projects } from '../projects.js';
import { policyTrust, policyUntrust, type TrustParts } from './policy-trust.js';

const FILE = '/work/shop/.subluminal.yaml';
const TEXT = `policy_id: shop
version: '1'
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules: []
`;
const HERE = { data: { workload: { repo_path: '/work/shop' } } };

/** Runs that live in the folder, on a machine where each is a turn's work. */
function living(ids: readonly string[]): {
  readonly parts: TrustParts;
  readonly told: string[];
  readonly ask: (of: typeof policyTrust | typeof policyUntrust) => Promise<unknown>;
} {
  const told: string[] = [];
  const recorder: Pick<Recorder, 'note'> = {
    note: ({ entries }) =>
      void told.push(...entries.map(({ runId, data }) => `${runId} ${data['ended'] === true}`)),
  };
  let now = 0;
  const sight = { home: '/home/ada' };
  const projects = new Projects({
    store: {
      all: () => [],
      enter: () => undefined,
      enteredBy: () => [],
      remove: () => undefined,
      write: () => undefined,
    },
    sight: {
      ...sight,
      resolve: () => Promise.resolve(undefined),
      textOf: () => Promise.resolve(undefined),
      folderOf: () => undefined,
    },
    recorder,
    clock: () => 7,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  const runs = ids.map((id) => ({ id, state: 'live' }) as Run);
  for (const run of runs) projects.restore(run, HERE);
  const turns = new Turns(() => (now += 1000));
  const parts = {
    projects,
    sight,
    registry: { all: () => runs },
    recorder,
    clock: () => 7,
    turns,
    changes: new Mutex(),
  };
  const ask = async (of: typeof policyTrust | typeof policyUntrust): Promise<unknown> => {
    const action = of(parts)({} as never, { file: FILE, text: TEXT });
    if (typeof action !== 'object' || !('execute' in action)) throw new Error('no action');
    return action.execute();
  };
  return { parts, told, ask };
}

const turn = (): Promise<void> => new Promise((next) => void setImmediate(next));

it('a file that is trusted binds many runs in as many turns as that takes', async () => {
  const { told, ask } = living(['a', 'b', 'c']);
  const asked = ask(policyTrust);
  await turn();
  expect(told).toEqual(['a false']);
  expect(await asked).toMatchObject({ status: 'success', data: { runs: 3 } });
  expect(told).toEqual(['a false', 'b false', 'c false']);
});

it('a file that is trusted no more meanwhile binds no run in the end, and the record says so last', async () => {
  const { parts, told, ask } = living(['a', 'b', 'c']);
  const asked = ask(policyTrust);
  await turn();
  await Promise.all([asked, ask(policyUntrust)]);
  expect(parts.registry.all().map((run) => parts.projects.of(run))).toEqual([[], [], []]);
  expect(told).toEqual(['a false', 'b false', 'c false', 'a true', 'b true', 'c true']);
});
