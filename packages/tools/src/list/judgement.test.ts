import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ToolBook } from '../book/book.js';
import { type ToolDefinition, readDefinition } from '../book/definition.js';
import { judgePage } from './judgement.js';
import { PIN_LIMITS } from '../book/limits.js';
import { PinModes } from '../pin-modes.js';
import { PinStore } from '../book/pin-store.js';
import { ToolPins } from '../tool-pins.js';
import { memoryDb } from '../../testing/memory-db.js';

const NAMES = ['a', 'b', 'c', 'd'];
const TEXTS = ['one', 'two', 'three'];

/** One complete list: some names, each with one of a few descriptions, in some order. */
const list = fc
  .shuffledSubarray(NAMES)
  .chain((names) =>
    fc.tuple(...names.map((name) => fc.constantFrom(...TEXTS).map((text) => [name, text] as const))),
  );
const step = fc.record({ list, approve: fc.boolean(), restart: fc.boolean() });

test('a tool is seen and may be called exactly when it is what was approved, whatever the server lists', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const db = memoryDb();
      let book = new ToolBook(new PinStore(db), PIN_LIMITS);
      let approved: Map<string, string> | undefined;
      for (const { list: pairs, approve, restart } of steps) {
        const page = pairs.map(([name, text]) => definition(name, text));
        const tools = new Map(page.map((tool) => [tool.name, tool]));
        const judgement = judgePage(book, PIN_LIMITS, {
          server: 's',
          command: { argvHash: 'h', programHash: undefined },
          client: '',
          page,
          list: { tools, ambiguous: new Set() },
          complete: true,
          detailed: true,
          now: 1,
        });
        if (judgement.change !== undefined) await book.apply(judgement.change);
        approved ??= new Map(pairs);
        const pins = new ToolPins(book, new PinModes(() => ({ pin: 'hold', flag: [] })));
        for (const [name, text] of pairs) {
          const isApproved = approved.get(name) === text;
          expect([name, judgement.held.has(name)]).toEqual([name, !isApproved]);
          expect([name, pins.of('s', name).held === undefined]).toEqual([name, isApproved]);
        }
        for (const name of NAMES) if (!approved.has(name)) expect(pins.of('s', name).held).toBeDefined();
        if (approve) await approveAll(book, approved);
        if (restart) book = new ToolBook(new PinStore(db), PIN_LIMITS);
      }
      db.close();
    }),
    { numRuns: 300 },
  );
});

test('what was seen before is never news', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(list, { minLength: 1, maxLength: 6 }), async (lists) => {
      const db = memoryDb();
      const book = new ToolBook(new PinStore(db), PIN_LIMITS);
      for (const pairs of lists) {
        const page = pairs.map(([name, text]) => definition(name, text));
        const judged = {
          server: 's',
          command: { argvHash: 'h', programHash: undefined },
          client: '',
          page,
          list: { tools: new Map(page.map((tool) => [tool.name, tool])), ambiguous: new Set<string>() },
          complete: true,
          detailed: true,
          now: 1,
        };
        const { change } = judgePage(book, PIN_LIMITS, judged);
        if (change !== undefined) await book.apply(change);
        expect(judgePage(book, PIN_LIMITS, judged).change).toBeUndefined();
      }
      db.close();
    }),
    { numRuns: 300 },
  );
});

async function approveAll(book: ToolBook, approved: Map<string, string>): Promise<void> {
  const known = book.server('s');
  if (known === undefined) throw new Error('the server is not known');
  const names = [...known.held.keys()];
  const pins = names.map((tool) => {
    const { description } = book.definition('held', 's', tool) ?? {};
    approved.set(tool, description as string);
    const { name, hash, shape, text } = definition(tool, description as string);
    return {
      server: 's',
      tool: name,
      hash,
      shape,
      definition: text,
      since: book.nextSince,
      missing: 0,
      beside: 0,
      raised: [],
    };
  });
  await book.apply({ server: known.row, pins, released: names });
}

function definition(name: string, description: string): ToolDefinition {
  const found = readDefinition({ name, description });
  if (found === undefined) throw new Error('no definition');
  return found;
}
