import { array, assert, constantFrom, nat, property, tuple, type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaps, jsonTexts, stringTexts, type JsonText } from '../../testing/json-text.js';
import { claude } from './claude/client.js';
import type { Client, ClientFile, Routing, ServerEntry } from './client.js';
import { cursor } from './cursor/client.js';
import { JSONC, readJson, STRICT } from './text/json/read.js';
import { readOurs } from './ours.js';
import { sourceOfOne, unrouteOne } from './file/one-entry.js';

const FILE: ClientFile = { path: '/u/file', scope: 'user' };
const HOW: Routing = {
  node: '/usr/bin/node',
  program: '/opt/sub/bin/sub.mjs',
  home: '/home/ann/.subluminal',
  pass: () => [],
  http: { port: 7717, enrolToken: 'sube_0123456789' },
};

/** Entries among everything else that a file may hold, in any layout. */
function files(withComments: boolean): Arbitrary<JsonText> {
  const gap = gaps(withComments);
  const members = (pairs: readonly (readonly [string, string, string, string])[]): string =>
    pairs.map(([before, key, value, after]) => `${before}${JSON.stringify(key)}:${value}${after}`).join(',');
  const list = tuple(gap, array(tuple(gap, stringTexts, gap), { maxLength: 4 }), gap).map(
    ([start, items, end]) =>
      items.length === 0
        ? `[${start}${end}]`
        : `[${items.map(([before, item, after]) => `${before}${item.text}${after}`).join(',')}]`,
  );
  const stdio = tuple(gap, stringTexts, list, nat(3), jsonTexts(withComments)).map(
    ([space, command, args, form, other]) => {
      const pairs: [string, string, string, string][] = [
        [space, 'command', command.text === '""' ? '"x"' : command.text, space],
        [space, 'args', args, space],
        [space, 'env', '{"A": "1", "B_2": "${X}"}', ''],
        [space, 'other', other.text, space],
      ];
      const ordered = form === 0 ? pairs.filter(([, key]) => key !== 'args') : pairs.toReversed();
      return `{${members(form === 1 ? pairs : ordered)}${space}}`;
    },
  );
  const http = tuple(gap, jsonTexts(withComments), nat(2)).map(([space, other, form]) => {
    const pairs: [string, string, string, string][] = [
      [space, 'type', '"http"', space],
      [space, 'url', '"https://h.example/mcp?x=\\u0041"', space],
      [space, 'headers', form === 0 ? `{${space}}` : `{${space}"A"${space}:${space}"1"${space}}`, space],
      [space, 'other', other.text, space],
    ];
    return `{${members(form === 2 ? pairs.filter(([, key]) => key !== 'headers') : pairs)}${space}}`;
  });
  const entry = tuple(nat(3), stdio, http, jsonTexts(withComments)).map(([which, one, two, odd]) =>
    which < 2 ? one : which === 2 ? two : odd.text,
  );
  return tuple(
    gap,
    array(tuple(gap, entry, gap), { maxLength: 5 }),
    gap,
    jsonTexts(withComments),
    constantFrom(0, 1),
  ).map(([space, entries, end, other, order]) => {
    const servers = members(entries.map(([a, text, b], index) => [a, `s${index}`, text, b]));
    const parts: [string, string, string, string][] = [
      [space, 'mcpServers', `{${servers}${end}}`, space],
      [space, 'rest', other.text, end],
    ];
    return { text: `${space}{${members(order === 0 ? parts : parts.toReversed())}}${end}`, value: undefined };
  });
}

describe.each([
  ['strict JSON', claude, false],
  ['JSON with comments', cursor, true],
] as const)('in %s', (_name, client, withComments) => {
  it('any entries that are routed come back byte for byte, in any order', () => {
    assert(
      property(files(withComments), nat(), ({ text }, picked) => {
        const chosen = routable(client, text).filter((_entry, index) => (picked >> (index % 31)) % 2 === 0);
        const routed = client.route(text, chosen, HOW);
        let back = routed;
        for (const entry of picked % 2 === 0 ? chosen : chosen.toReversed()) {
          const original = sourceOfOne(client, text, entry.pointer) ?? '';
          const written = sourceOfOne(client, routed, entry.pointer) ?? '';
          const done = unrouteOne(client, back, entry.pointer, { original, written });
          if (!('text' in done)) throw new Error(done.kept);
          expect(done.how).toBe('exact');
          back = done.text;
        }
        expect(back).toBe(text);
      }),
      { numRuns: 150 },
    );
  });

  it('a file with routed entries means the same but for these, which start the same server', () => {
    assert(
      property(files(withComments), ({ text }) => {
        const entries = routable(client, text);
        const routed = client.route(text, entries, HOW);
        expect(client.read(FILE, routed).problem).toBeUndefined();
        const places = new Set(entries.map(({ pointer }) => pointer.join('/')));
        for (const before of client.read(FILE, text).entries) {
          const after = client.read(FILE, routed).entries.find(({ name }) => name === before.name);
          if (!places.has(before.pointer.join('/'))) {
            expect(sourceOfOne(client, routed, before.pointer)).toBe(
              sourceOfOne(client, text, before.pointer),
            );
            continue;
          }
          expect(after?.kind).toBe('ours');
          expect(after?.envKeys).toEqual(before.envKeys);
          if (before.kind !== 'stdio') continue;
          const { commandAt } = readOurs(after?.command ?? '', after?.args ?? []) ?? { commandAt: 0 };
          expect(after?.args?.slice(commandAt)).toEqual([before.command, ...(before.args ?? [])]);
        }
        expect(sourceOfOne(client, routed, ['rest'])).toBe(sourceOfOne(client, text, ['rest']));
      }),
      { numRuns: 150 },
    );
  });

  it('a routed entry without its record is known by its form, and starts its own server again', () => {
    assert(
      property(files(withComments), ({ text }) => {
        const entries = routable(client, text);
        let back = client.route(text, entries, HOW);
        for (const { pointer } of entries) {
          const done = unrouteOne(client, back, pointer, undefined);
          if (!('text' in done)) throw new Error(done.kept);
          back = done.text;
        }
        const read = client.read(FILE, back);
        expect(read.problem).toBeUndefined();
        const server = ({ command, args, url, envKeys, kind }: ServerEntry): unknown[] => [
          kind,
          command,
          args ?? [],
          url,
          envKeys,
        ];
        expect(read.entries.map(server)).toEqual(client.read(FILE, text).entries.map(server));
      }),
      { numRuns: 150 },
    );
  });

  it('a second routing finds nothing to do', () => {
    assert(
      property(files(withComments), ({ text }) => {
        const routed = client.route(text, routable(client, text), HOW);
        expect(routable(client, routed)).toEqual([]);
      }),
    );
  });
});

describe('an entry that somebody changed', () => {
  const text = '{"mcpServers": {"a": {"command": "npx", "args": ["x"], "env": {"K": "1"}}}}';
  const pointer = ['mcpServers', 'a'];
  const routed = claude.route(text, routable(claude, text), HOW);
  const record = {
    original: sourceOfOne(claude, text, pointer) ?? '',
    written: sourceOfOne(claude, routed, pointer) ?? '',
  };

  it('is put back in its own spelling where only its layout is another', () => {
    const anew = JSON.stringify(JSON.parse(routed), null, 2);
    expect(unrouteOne(claude, anew, pointer, record)).toEqual({
      text: anew.replace(sourceOfOne(claude, anew, pointer) ?? '', record.original),
      how: 'exact',
    });
  });

  it('starts its own server again, with the change, where our part is as we wrote it', () => {
    const changed = routed.replace('"K": "1"', '"K": "2"').replace('"x"]', '"x", "y"]');
    expect(unrouteOne(claude, changed, pointer, record)).toEqual({
      text: '{"mcpServers": {"a": {"command": "npx", "args": ["x", "y"], "env": {"K": "2"}}}}',
      how: 'unwrapped',
    });
  });

  it('is left where it is another, or not there', () => {
    const other = text.replace('npx', 'other');
    expect(unrouteOne(claude, other, pointer, record)).toMatchObject({ gone: true });
    expect(unrouteOne(claude, '{"mcpServers": {}}', pointer, record)).toMatchObject({ gone: true });
    expect(unrouteOne(claude, '', pointer, record)).toMatchObject({ gone: true });
  });
});

function routable(client: Client, text: string): readonly ServerEntry[] {
  // The texts are of the client's own dialect.
  readJson(text, client === claude ? STRICT : JSONC);
  return client
    .read(FILE, text)
    .entries.filter(({ kind, cannot }) => (kind === 'stdio' || kind === 'http') && cannot === undefined);
}
