import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { watchEachTest } from '../support/watch.js';
import { type Body, client, hookWorld, use } from './world.js';

watchEachTest();

const list = (count: number, of: string) => `[${Array.from({ length: count }, () => of).join()}]`;
const members = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `"${at}${'k'.repeat(50)}":1`).join()}}`;

/** Characters that are written at once. */
const PIECE = 1_048_576;

/**
 * Writes a body in pieces: the gateway runs in this process, and a turn of the test would pass for one of its
 * own.
 */
async function inFile(file: string, parts: readonly string[]): Promise<Body> {
  const handle = await open(file, 'w');
  try {
    for (const part of parts)
      for (let at = 0; at < part.length; at += PIECE) await handle.write(part.slice(at, at + PIECE));
  } finally {
    await handle.close();
  }
  return { file };
}

it.each([
  ['members', members(11_000)],
  ['more members than are read', members(300_000)],
  ['numbers', list(130_000, '1.25e10')],
  ['more numbers than are read', list(500_000, '1.25e10')],
  ['long numbers', list(130_000, '1234567890123456789')],
  ['empty lists', list(65_000, '[]')],
  ['credentials', `"${'ghp_abcdefghij password=secret '.repeat(130_000)}"`],
])('events that are full of %s hold up nobody', async (_name, value) => {
  const world = await hookWorld();
  const claude = client(world);
  const file = join(dirname(world.claude), 'body.json');
  const told = (name: string, ...more: readonly string[]): readonly string[] => [
    `{"session_id":"s-1","cwd":"/srv/app","hook_event_name":"${name}","tool_use_id":"t1","tool_name":"Bash",`,
    ...more,
  ];
  const input = ['"tool_input":{"command":"ls","more":', value, '}'];
  for (const body of [
    told('PreToolUse', ...input, '}'),
    told('PostToolUse', ...input, ',"tool_response":', value, '}'),
    told('PermissionDenied', '"reason":', value, '}'),
  ])
    expect(await claude.post({ body: await inFile(file, body) })).toMatchObject({ status: 200 });
  expect(await claude.post({ body: use('PreToolUse', 't2', 'ls') })).toEqual({ status: 200, text: '{}' });
});
