import fc from 'fast-check';
import { stringify, parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { anyConfigWithRemotes } from '../../../testing/toml-texts.js';
import type { ClientFile, Routing, WrittenEntry } from '../client.js';
import { meaningOf, sameMeaning } from '../../text/toml/meaning.js';
import { codex } from './client.js';
import { sourceOfOne, unrouteOne } from '../file/one-entry.js';

const FILE: ClientFile = { path: '/h/.codex/config.toml', scope: 'user' };
const HOW: Routing = {
  node: '/opt/node',
  program: '/opt/sub.mjs',
  home: '/h/.subluminal',
  pass: () => [],
  http: { port: 4711, enrolToken: 'sube_x' },
};
const RUNS = process.env['SUB_LONG'] === '1' ? 3_000 : 30;

/** Every entry that can be routed, routed; and what a journal would keep of it. */
function routed(text: string): {
  readonly text: string;
  readonly kept: readonly (readonly [readonly string[], WrittenEntry])[];
} {
  const reading = codex.read(FILE, text);
  expect(reading.problem).toBeUndefined();
  const entries = reading.entries.filter(
    ({ kind, cannot }) => (kind === 'stdio' || kind === 'http') && cannot === undefined,
  );
  const after = codex.route(text, entries, HOW);
  const source = (of: string, pointer: readonly string[]): string => sourceOfOne(codex, of, pointer) ?? '';
  return {
    text: after,
    kept: entries.map(({ pointer }) => [
      pointer,
      { original: source(text, pointer), written: source(after, pointer) },
    ]),
  };
}

/** The text with these entries put back. */
function back(
  text: string,
  kept: ReturnType<typeof routed>['kept'],
  how: 'exact' | 'unwrapped' = 'exact',
): string {
  return kept.reduce((now, [pointer, written]) => {
    const result = unrouteOne(codex, now, pointer, how === 'exact' ? written : undefined);
    expect(result).toMatchObject({ how });
    return 'text' in result ? result.text : now;
  }, text);
}

describe('a routed server of Codex', () => {
  it('keeps its command and arguments, in their own spelling, behind ours', () => {
    const before = [
      '# mine',
      '[mcp_servers."a b"] # files',
      "command = 'npx' # the runner",
      'args = [',
      '  "-y", # yes',
      '  "pkg",',
      ']',
      'env = { TOKEN = "t" }',
      'env_vars = ["MINE", { name = "T2", source = "remote" }]',
      'tool_timeout_sec = 60.0',
      '',
    ].join('\n');
    const { text, kept } = routed(before);
    expect(text).toBe(
      [
        '# mine',
        '[mcp_servers."a b"] # files',
        'command = "/opt/node" # the runner',
        'args = ["--max-semi-space-size=2", "--single-threaded-gc", "--heap-growing-percent=50", "/opt/sub.mjs", "shim", "stdio", "--server", "a b", "--home", ' +
          '"/h/.subluminal", "--pass", "TOKEN", "--pass", "MINE", "--pass", "T2", "--", \'npx\', ',
        '  "-y", # yes',
        '  "pkg",',
        ']',
        'env = { TOKEN = "t" }',
        'env_vars = ["MINE", { name = "T2", source = "remote" }, "SUB_RUN_ID", "SUB_AGENT_ID", "SUB_ENV", "SUB_CLIENT", "SUB_PRINCIPAL"]',
        'tool_timeout_sec = 60.0',
        '',
      ].join('\n'),
    );
    expect(codex.read(FILE, text).entries).toMatchObject([
      { name: 'a b', kind: 'ours', home: '/h/.subluminal' },
    ]);
    expect(back(text, kept)).toBe(before);
  });

  it('that is remote keeps its address and its own headers, beside ours', () => {
    const before =
      '[mcp_servers.r]\nurl = "https://h.example/mcp"\nbearer_token_env_var = "TOK"\nhttp_headers = { A = "1" }\n';
    const { text, kept } = routed(before);
    expect(text).toBe(
      [
        '[mcp_servers.r]',
        'url = "http://127.0.0.1:4711/mcp/r"',
        'env_http_headers = { Subluminal-Run-Token = "SUB_HTTP_TOKEN" }',
        'bearer_token_env_var = "TOK"',
        'http_headers = { A = "1", Subluminal-Upstream = "https://h.example/mcp", Subluminal-Token = "sube_x" }',
        '',
      ].join('\n'),
    );
    expect(codex.read(FILE, text).entries).toMatchObject([{ name: 'r', kind: 'ours' }]);
    expect(back(text, kept)).toBe(before);
  });

  it('is put back without a trace, in any file and any order', () => {
    fc.assert(
      fc.property(anyConfigWithRemotes, fc.boolean(), ({ text }, reverse) => {
        const { text: after, kept } = routed(text);
        expect(
          codex
            .read(FILE, after)
            .entries.every(({ kind, cannot }) => kind === 'ours' || cannot !== undefined),
        ).toBe(true);
        expect(back(after, reverse ? kept.toReversed() : kept)).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });

  it('is put back without a trace, or the file is not touched, whatever was done to it by hand', () => {
    const bits = [
      '',
      '"',
      '[',
      '}',
      '\n',
      ',',
      '=',
      '.',
      '#',
      'args',
      'url',
      '[mcp_servers.files]',
      'http_headers = {}',
    ];
    const cuts = fc.array(fc.tuple(fc.nat(), fc.nat(6), fc.constantFrom(...bits)), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(anyConfigWithRemotes, cuts, (config, places) => {
        const text = places.reduce((now, [place, length, put]) => {
          const at = place % (now.length + 1);
          return now.slice(0, at) + put + now.slice(at + length);
        }, config.text);
        if (codex.read(FILE, text).problem !== undefined) return;
        const { text: after, kept } = routed(text);
        expect(back(after, kept)).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });

  it('is put back to what it meant where the client has written all entries anew', () => {
    fc.assert(
      fc.property(anyConfigWithRemotes, ({ text }) => {
        const { text: after, kept } = routed(text);
        const anew = stringify(parse(after));
        const restored = meaningOf(back(anew, kept));
        expect(sameMeaning(restored, meaningOf(stringify(parse(text))))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });

  it('is unwrapped by what it says itself where nothing else is known', () => {
    fc.assert(
      fc.property(anyConfigWithRemotes, ({ text, servers }) => {
        const { text: after, kept } = routed(text);
        const entries = codex.read(FILE, back(after, kept, 'unwrapped')).entries;
        for (const { name, command, args = [], url } of servers) {
          const found = entries.find((entry) => entry.name === name);
          expect({ command: found?.command, args: found?.args ?? [], url: found?.url }).toEqual({
            command,
            args,
            url,
          });
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe('a server of Codex that somebody changed since', () => {
  const before = '[mcp_servers.a]\ncommand = "npx"\nargs = ["pkg"] # c\n';
  const { text, kept } = routed(before);
  const pointer = ['mcp_servers', 'a'];

  it('keeps settings that were added to it', () => {
    expect(back(`${text}enabled = false\n`, kept)).toBe(`${before}enabled = false\n`);
  });

  it('keeps arguments that were added to it', () => {
    const result = unrouteOne(codex, text.replace('"pkg"]', '"pkg", "--new"]'), pointer, kept[0]?.[1]);
    expect(result).toEqual({
      how: 'unwrapped',
      text: '[mcp_servers.a]\ncommand = "npx"\nargs = ["pkg", "--new"] # c\n',
    });
  });

  it('is left where it is routed no more, or gone', () => {
    expect(unrouteOne(codex, '[mcp_servers.a]\ncommand = "other"\n', pointer, kept[0]?.[1])).toEqual({
      gone: true,
      kept: 'it is not routed any more',
    });
    expect(unrouteOne(codex, '[mcp_servers.b]\ncommand = "other"\n', pointer, kept[0]?.[1])).toEqual({
      gone: true,
      kept: 'it is not there any more',
    });
  });
});
