import type { EntryInput, Ledger } from '@subluminal/ledger';
import type { RecordsPage, RunTimeline } from '@subluminal/ui/protocol';
import { RunOpened, type JsonObject } from '@subluminal/core-types';
import { expect, it } from 'vitest';
import { runBegin, start } from '../gateway/harness.js';
import { page } from './kit/page.js';

const DIFF = { added: 2, modified: 0, deleted: 1, paths: ['+ f', '+ d/g', '- old'] };

/** A page of a gateway whose ledger the test writes to, and a run that has begun. */
async function world() {
  let ledger: Ledger | undefined;
  const gateway = await start({
    wrapLedger: (own) => {
      ledger = own;
      return own;
    },
  });
  const operator = await gateway.operator();
  const { run_id: run } = RunOpened.parse((await operator.request('run.begin', runBegin())).data);
  const at = await page(operator);
  const ts = Date.now();
  const put = async (entries: readonly Omit<EntryInput, 'ts'>[]): Promise<number> => {
    const result = await ledger?.append({ entries: entries.map((one) => ({ ...one, ts })) });
    return result?.ok === true ? (result.entries.at(-1)?.seq ?? 0) : 0;
  };
  return { run, put, read: async (path: string) => JSON.parse((await at.get(path)).text) as unknown };
}

it('a run in a world shows its commands, what each changed, and what its world did', async () => {
  const { put, read, run } = await world();
  const call = { call_id: 'c-1', via: 'world_exec' };
  const base = { runId: run, tool: ['world', 'exec'] as const };
  await put([
    { ...base, type: 'tool_call_start', data: { call } },
    { ...base, type: 'tool_call_decision', code: 'ALLOW', data: { call } },
    { ...base, type: 'tool_call_end', code: 'OK', data: { call, fs_diff: DIFF } },
    {
      runId: run,
      type: 'world_end',
      data: { world_id: 'w', fs_diff: DIFF, programs: [{ path: '/usr/bin/git', by: 'sh', count: 1 }] },
    },
  ]);
  const { items, run: row } = (await read(`/ui/api/run/${run}`)) as RunTimeline;
  expect(row?.calls).toBe(1);
  const said = items.filter(({ kind }) => kind === 'world' || kind === 'file');
  expect(said.map(({ kind, label, lane }) => [lane, kind, label])).toEqual([
    ['commands', 'world', 'exec'],
    ['files', 'file', 'in the layer: +2 -1: + f, + d/g, - old'],
    // The end of its world tells of the same files, which stand once.
    ['world', 'world', 'world end, programs that started: /usr/bin/git'],
  ]);
  const [command, changed] = said;
  expect(changed?.parent).toEqual({ seq: command?.seq, by: 'id' });
});

it('the end of a world tells of the files that no command of it told of', async () => {
  const { put, read, run } = await world();
  const call = { call_id: 'c-1', via: 'world_exec' };
  const base = { runId: run, tool: ['world', 'exec'] as const };
  const of = (world_id: string, ...paths: string[]): JsonObject => ({
    world_id,
    fs_diff: { added: paths.length, modified: 0, deleted: 0, paths },
  });
  await put([
    { ...base, type: 'tool_call_start', data: { call } },
    { ...base, type: 'tool_call_decision', code: 'ALLOW', data: { call } },
    { ...base, type: 'tool_call_end', code: 'OK', data: { call, ...of('', '+ a') } },
    { runId: run, type: 'world_begin', data: { world_id: 'w' } },
    { runId: run, type: 'world_end', data: of('w', '+ a') },
    { runId: run, type: 'world_end', data: of('v', '+ a', '+ b') },
  ]);
  const { items } = (await read(`/ui/api/run/${run}`)) as RunTimeline;
  expect(items.flatMap(({ kind, label }) => (kind === 'file' ? [label] : []))).toEqual([
    'in the layer: +1: + a',
    'in the layer: +1: + a',
    'in the layer: +2: + a, + b',
  ]);
});

it('a run counts names that were refused, each once, and what was asked apart from what was refused', async () => {
  const { put, read, run } = await world();
  const tool = ['shell', 'run'] as const;
  const name = (host: string) => ({
    runId: run,
    type: 'action_rejected' as const,
    code: 'rejected' as const,
    tool: 'net.name',
    data: { facts: { host }, error: { code: 'not_allowed', message: 'no' } },
  });
  const decided = async (hint: JsonObject): Promise<void> => {
    const ref = await put([{ runId: run, type: 'tool_call_start', tool, data: { call: { call_id: 'c' } } }]);
    const data = { decision: { hint } };
    await put([{ runId: run, type: 'tool_call_decision', tool, code: 'REJECT_WITH_HINT', ref, data }]);
  };
  await put(['a.example', 'b.example', 'a.example'].map(name));
  await decided({ approval: { id: 'q-1' } });
  await decided({ approval: { id: 'q-2' } });
  await decided({ hint_text: 'x' });
  const told = (await read(`/ui/api/run/${run}`)) as RunTimeline;
  expect(told.run).toMatchObject({
    calls: 3,
    refused: 1,
    asked: 2,
    net: 0,
    net_refused: 0,
    names_refused: 2,
  });
});

it('a deed that goes on is looked at again by its entry, and nothing else of its run is', async () => {
  const { put, read, run } = await world();
  const tool = ['shell', 'run'] as const;
  const begun = await put([{ runId: run, type: 'tool_call_start', tool, data: { call: { call_id: 'c' } } }]);
  const asked = async (about: string): Promise<RunTimeline> =>
    (await read(`/ui/api/run/${run}?${about}`)) as RunTimeline;
  const first = await asked('after=0');
  expect(first.items.at(-1)).toMatchObject({ seq: begun, to: null });
  expect([first.upto, first.has_more, first.run?.calls]).toEqual([begun, false, 1]);
  const data = { call: { call_id: 'c' } };
  const decided = await put([
    { runId: run, type: 'tool_call_decision', tool, code: 'ALLOW', ref: begun, data },
  ]);
  const end = await put([
    { runId: run, type: 'tool_call_end', tool, code: 'OK', ref: decided, data: { ...data, latency_ms: 7 } },
  ]);
  const next = await asked(`after=${begun}&again=${begun},1`);
  expect(next.items).toEqual([expect.objectContaining({ seq: begun, last: end, status: 'OK', ms: 7 })]);
  expect(next.upto).toBe(end);
});

it('a decision on a layer says in its row which folder, how many changes, and which entry it goes on from', async () => {
  const { put, read } = await world();
  const about = { layer_id: '57d4b73ec01e49da', folder: '/srv/shop' };
  const pending = (tool: string, layer: JsonObject): Promise<number> =>
    put([{ type: 'action_pending', runId: null, tool, data: { layer: { ...about, ...layer } } }]);
  const commit = await pending('layer.commit', {
    fs_diff: DIFF,
    risky: [],
    risky_count: 0,
    left: [{ why: 'x', count: 3 }],
  });
  await pending('layer.discard', { fs_diff: DIFF });
  await pending('layer.recover', { begun: commit, unsettled: 1 });
  const { rows } = (await read('/ui/api/records?f=kind:action')) as RecordsPage;
  const said = rows.flatMap(({ action, object }) => (action?.startsWith('layer.') ? [[action, object]] : []));
  expect(said).toEqual([
    ['layer.recover', `/srv/shop · begun by entry ${commit}`],
    ['layer.discard', '/srv/shop · +2 -1'],
    ['layer.commit', '/srv/shop · +2 -1 · 3 left'],
  ]);
});
