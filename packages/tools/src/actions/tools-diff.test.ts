import {
  canonicalize,
  isJsonObject,
  type JsonObject,
  listAt,
  numberAt,
  textAt,
} from '@subluminal/core-types';
import { type Call, Turns } from '@subluminal/gateway';
import { describe, expect, it } from 'vitest';
import { memoryDb } from '../../testing/memory-db.js';
import { ToolBook } from '../book/book.js';
import { readDefinition } from '../book/definition.js';
import { PIN_LIMITS } from '../book/limits.js';
import { PinStore } from '../book/pin-store.js';
import { toolsDiff } from './tools-diff.js';

const HELD = 40;

/** A server with forty held tools of 100 kB each, the last of which is a small one. */
async function bookOf(): Promise<ToolBook> {
  const book = new ToolBook(new PinStore(memoryDb()), PIN_LIMITS);
  const held = Array.from({ length: HELD }, (_, at) => {
    const read = readDefinition({ name: `t${at}`, description: 'x'.repeat(at === HELD - 1 ? 1 : 100_000) });
    if (read === undefined) throw new Error('no definition');
    const { hash, name: tool, shape, text: definition } = read;
    const reason = JSON.stringify({ kind: 'new' });
    return { server: 'a', tool, hash, shape, definition, reason, held_ms: 1, raised: [] };
  });
  await book.apply({ server: { server: 'a', pinned_ms: 1, argv_hash: '', program_hash: null }, held });
  return book;
}

/** The answer, and how many turns of the event loop others had meanwhile. */
async function asked(payload: {
  readonly tool_name?: string;
}): Promise<{ readonly data: JsonObject; readonly turns: number }> {
  // Each look at the clock is a whole turn later.
  let now = 0;
  const diff = toolsDiff(await bookOf(), new Turns(() => (now += 20)));
  const steps = diff({} as unknown as Call, { ...payload, shown: false });
  if (!('execute' in steps)) throw new Error('no steps');
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const outcome = await steps.execute();
  isOver = true;
  const data = outcome === 'again' ? undefined : outcome.data;
  if (!isJsonObject(data)) throw new Error('no answer');
  return { data, turns };
}

describe('the differences of many large tools', () => {
  it('are read in turns, between which others have theirs', async () => {
    expect((await asked({})).turns).toBeGreaterThanOrEqual(10);
  });

  it('are told as far as a turn writes them, and no large one hides a small one', async () => {
    const { data } = await asked({});
    expect(canonicalize(data).length).toBeLessThan(1_060_000);
    expect([listAt(data, 'tools').length, numberAt(data, 'omitted')]).toEqual([11, 29]);
    expect(listAt(data, 'tools').map((one) => textAt(one, 'tool_name'))).toContain('t39');
  });

  it('are told of each by its name', async () => {
    const { data } = await asked({ tool_name: 't38' });
    expect([listAt(data, 'tools').length, numberAt(data, 'omitted')]).toEqual([1, 0]);
  });
});
