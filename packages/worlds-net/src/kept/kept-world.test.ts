import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KeptWorld, keptText, keptWorldOf } from './kept-world.js';

const name = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.isWellFormed());
const count = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(values, { nil: undefined });
const kept: fc.Arbitrary<KeptWorld> = fc.record({
  owner: fc.record({
    id: name,
    runId: name,
    serverName: maybe(name),
    shimId: maybe(name),
    starter: maybe(fc.record({ pid: count, start: name })),
    folder: name,
    hasDoor: fc.boolean(),
    sandboxOff: maybe(fc.constantFrom('claude' as const, 'codex' as const)),
  }),
  network: fc.record({ cookie: name }),
  gateway: count,
  spentBytes: count,
  hooksPort: maybe(fc.integer({ min: 1, max: 65_535 })),
});
const TEXT = keptText({
  owner: {
    id: 'w1',
    runId: 'r1',
    serverName: 'files',
    shimId: undefined,
    starter: { pid: 7, start: '99' },
    folder: '/p',
    hasDoor: true,
    sandboxOff: undefined,
  },
  network: { cookie: '93540' },
  gateway: 1,
  spentBytes: 12,
  hooksPort: 4017,
});

describe('the text of a world for the next gateway', () => {
  it('says all that is needed, whatever the world is', () => {
    fc.assert(
      fc.property(kept, (world) => {
        expect(keptWorldOf(keptText(world))).toEqual(world);
      }),
    );
    expect(TEXT).toBe(
      '{"cookie":"93540","folder":"/p","gateway":1,"has_door":true,"hooks_port":4017,"id":"w1","run_id":"r1","server_name":"files","spent_bytes":12,"starter":{"pid":7,"start":"99"},"v":1}',
    );
  });

  it.each([
    ['the network', '"cookie":"93540",', ''],
    ['the run', '"run_id":"r1"', '"run_id":""'],
    ['the world', '"id":"w1",', ''],
    ['the number of gateways', '"gateway":1', '"gateway":-1'],
    ['the number of gateways', '"gateway":1', '"gateway":0.5'],
    ['the bytes', '"spent_bytes":12', '"spent_bytes":"12"'],
    ['the starter, which would let it live on without one', '"pid":7', '"pid":"7"'],
    ['the version', '"v":1', '"v":2'],
  ])('is none without %s', (_what, from, to) => {
    expect(TEXT).toContain(from);
    expect(keptWorldOf(TEXT.replace(from, to))).toBeUndefined();
  });
});
