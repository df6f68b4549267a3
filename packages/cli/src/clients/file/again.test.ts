import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlace, filesBelow, type Place } from '../../../testing/place.js';
import { claude } from '../claude/client.js';
import type { Client, ClientFile } from '../client.js';
import { codex } from '../codex/client.js';
import { TextProblem } from '../../text/text-problem.js';

let place: Place;
let file: ClientFile;
beforeEach(() => {
  place = createPlace('again');
  file = { path: join(place.where.userHome, '.claude.json'), scope: 'user' };
});
afterEach(() => {
  place.remove();
});

const text = (servers: object): string => `${JSON.stringify({ n: 1, mcpServers: servers }, null, 2)}\n`;
const read = (): string => readFileSync(file.path, 'utf8');

describe('import, what a client does, and import again', () => {
  it('takes back to the first file where nothing but imports happened', async () => {
    writeFileSync(file.path, text({ a: { command: 'a' } }));
    await place.import(claude, file);
    const once = read();
    await place.import(claude, file);
    expect(read()).toBe(once);
    expect((await place.restore(claude, file)).how).toBe('bytes');
    expect(read()).toBe(text({ a: { command: 'a' } }));
  });

  it('routes a server that was added, and takes both back', async () => {
    writeFileSync(file.path, text({ a: { command: 'a', env: { K: '1' } } }));
    await place.import(claude, file);
    const now = JSON.parse(read()) as { mcpServers: Record<string, object> };
    // The client writes its file anew, with another server.
    writeFileSync(
      file.path,
      JSON.stringify({ n: 2, mcpServers: { ...now.mcpServers, b: { command: 'b' } } }, null, 2),
    );
    expect((await place.import(claude, file))?.planned.map(({ becomes }) => becomes)).toEqual([
      'already',
      'routed',
    ]);
    const done = await place.restore(claude, file);
    expect(done.how).toBe('bytes');
    expect(JSON.parse(read())).toEqual({
      n: 2,
      mcpServers: { a: { command: 'a', env: { K: '1' } }, b: { command: 'b' } },
    });
  });

  it('puts back what stands there, and leaves what somebody replaced or removed', async () => {
    writeFileSync(file.path, text({ a: { command: 'a' }, b: { command: 'b' }, c: { command: 'c' } }));
    await place.import(claude, file);
    const now = JSON.parse(read()) as { mcpServers: Record<string, object> };
    const { a } = now.mcpServers;
    writeFileSync(file.path, text({ a, b: { command: 'mine' }, renamed: now.mcpServers['c'] }));
    const done = await place.restore(claude, file);
    expect(done.how).toBe('entries');
    expect(done.entries.map(({ name, became }) => [name, became])).toEqual([
      ['a', 'restored'],
      ['b', 'gone'],
      ['c', 'gone'],
      ['renamed', 'unwrapped'],
    ]);
    expect(JSON.parse(read())).toEqual({
      n: 1,
      mcpServers: { a: { command: 'a' }, b: { command: 'mine' }, renamed: { command: 'c', args: [] } },
    });
    expect([...filesBelow(place.home).keys()]).toEqual([]);
  });

  it('unwraps without a record, and without a home', async () => {
    writeFileSync(file.path, text({ a: { command: 'a', args: ['1'] } }));
    await place.import(claude, file);
    rmSync(place.home, { recursive: true });
    expect((await place.restore(claude, file)).entries).toMatchObject([{ name: 'a', became: 'unwrapped' }]);
    expect(JSON.parse(read())).toEqual({ n: 1, mcpServers: { a: { command: 'a', args: ['1'] } } });
    expect(existsSync(place.home)).toBe(false);
  });

  it('does not touch what another home has routed', async () => {
    const other = createPlace('other');
    try {
      writeFileSync(file.path, text({ a: { command: 'a' } }));
      await other.import(claude, file);
      const routed = read();
      expect((await place.import(claude, file))?.planned).toMatchObject([
        { becomes: 'left', why: `it is routed through another home, \`${other.home}\`` },
      ]);
      expect((await place.restore(claude, file)).entries).toEqual([]);
      expect(read()).toBe(routed);
    } finally {
      other.remove();
    }
  });

  it('does not touch a file that is broken now, and takes it back when it is mended', async () => {
    writeFileSync(file.path, text({ a: { command: 'a' } }));
    await place.import(claude, file);
    const routed = read();
    writeFileSync(file.path, `${routed},`);
    await expect(place.restore(claude, file)).rejects.toThrow('there is text after the value');
    await expect(place.import(claude, file)).rejects.toThrow('there is text after the value');
    expect(read()).toBe(`${routed},`);
    writeFileSync(file.path, ` ${routed}`);
    expect((await place.restore(claude, file)).entries).toMatchObject([{ became: 'restored' }]);
    expect(read()).toBe(` ${text({ a: { command: 'a' } })}`);
  });

  it('says nothing of a broken file that was never imported', async () => {
    writeFileSync(file.path, '{"mcpServers": {');
    expect(await place.restore(claude, file)).toMatchObject({ how: 'none', entries: [] });
    writeFileSync(file.path, '{"mcpServers": {"a": {"args": ["shim"');
    await expect(place.restore(claude, file)).rejects.toThrow('is missing');
  });

  it('forgets a file that was removed', async () => {
    writeFileSync(file.path, text({ a: { command: 'a' } }));
    await place.import(claude, file);
    rmSync(file.path);
    expect((await place.restore(claude, file)).how).toBe('missing');
    expect(place.journal(claude).files()).toEqual([]);
  });
});

describe('what is recorded', () => {
  const journal = (): string => join(place.home, 'imports', 'claude.json');

  it('is the operator’s alone', async () => {
    writeFileSync(file.path, text({ a: { command: 'a' } }));
    await place.import(claude, file);
    const mode = (path: string): number => statSync(join(place.home, path)).mode & 0o777;
    expect(mode('imports')).toBe(0o700);
    expect(mode('imports/backup')).toBe(0o700);
    for (const path of filesBelow(place.home).keys()) expect(mode(path)).toBe(0o600);
  });

  it.each([
    ['cut', (whole: string) => whole.slice(0, -9)],
    ['of another form', (whole: string) => whole.replace('imports/v1', 'imports/v9')],
    [
      'without what it was',
      (whole: string) => whole.replace(/"original": "(?:[^"\\]|\\.)*"/, '"original": ""'),
    ],
  ])('%s is an error, and neither it nor the file is touched', async (_what, breaks) => {
    writeFileSync(file.path, text({ a: { command: 'a' } }));
    await place.import(claude, file);
    const routed = read();
    const broken = breaks(readFileSync(journal(), 'utf8'));
    writeFileSync(journal(), broken);
    await expect(place.restore(claude, file)).rejects.toThrow('claude.json` cannot be read');
    writeFileSync(file.path, routed.replace('"n": 1', '"n": 2, "mcpServers2": {}'));
    await expect(place.restore(claude, file)).rejects.toThrow('claude.json` cannot be read');
    expect(readFileSync(journal(), 'utf8')).toBe(broken);
  });

  it('a copy that is not what it was is not put in the place of a file', async () => {
    const before = text({ a: { command: 'a' } });
    writeFileSync(file.path, before);
    await place.import(claude, file);
    const [record] = place.journal(claude).files();
    writeFileSync(join(place.home, 'imports', 'backup', record?.base ?? ''), 'other');
    expect(await place.restore(claude, file)).toMatchObject({ how: 'bytes' });
    expect(read()).toBe(before);
  });

  it('a copy that is lost is made again from the entries, where that gives it byte for byte', async () => {
    const before = text({ a: { command: 'a' }, b: { command: 'b', args: ['1'] } });
    writeFileSync(file.path, before);
    await place.import(claude, file);
    rmSync(join(place.home, 'imports', 'backup'), { recursive: true });
    expect(await place.restore(claude, file)).toMatchObject({ how: 'bytes' });
    expect(read()).toBe(before);
  });

  it('a copy that is lost and cannot be made again leaves the file as it is', async () => {
    writeFileSync(file.path, text({ a: { command: 'a' } }));
    await place.import(claude, file);
    const routed = read();
    rmSync(join(place.home, 'imports', 'backup'), { recursive: true });
    const changed = readFileSync(journal(), 'utf8').replace(/"original": ".*"/, '"original": "{}"');
    writeFileSync(journal(), changed);
    await expect(place.restore(claude, file)).rejects.toThrow('is not there as it was written');
    expect(read()).toBe(routed);
  });

  it('what a process that died left of a copy is removed by the next restore', async () => {
    writeFileSync(file.path, text({ a: { command: 'a' } }));
    await place.import(claude, file);
    const folder = join(place.home, 'imports', 'backup');
    writeFileSync(join(folder, `${'0'.repeat(64)}.4194305.new`), 'a secret');
    await place.restore(claude, file);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a file of many servers', () => {
  /** How often texts are read and changed, for a file of so many servers. */
  async function readings(
    client: Client,
    name: string,
    textOf: (count: number) => string,
  ): Promise<number[]> {
    const counts: number[] = [];
    for (const count of [2, 40]) {
      let rounds = 0;
      const counting: Client = {
        ...client,
        read: (...args) => ((rounds += 1), client.read(...args)),
        route: (...args) => ((rounds += 1), client.route(...args)),
        sources: (...args) => ((rounds += 1), client.sources(...args)),
        unroute: (...args) => ((rounds += 1), client.unroute(...args)),
      };
      const many: ClientFile = { path: join(place.where.userHome, name), scope: 'user' };
      const before = textOf(count);
      writeFileSync(many.path, before);
      await place.import(counting, many);
      expect(client.read(many, readFileSync(many.path, 'utf8')).entries.map(({ kind }) => kind)).toEqual(
        Array.from({ length: count }, () => 'ours'),
      );
      // So that each is put back by itself.
      writeFileSync(many.path, `${readFileSync(many.path, 'utf8')}\n`);
      expect((await place.restore(counting, many)).how).toBe('entries');
      expect(readFileSync(many.path, 'utf8')).toBe(`${before}\n`);
      counts.push(rounds);
    }
    return counts;
  }

  it('is gone through as often as one of few', async () => {
    const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `s${index}`);
    const json = (count: number): string =>
      text(Object.fromEntries(names(count).map((name) => [name, { command: name, args: ['x'] }])));
    const toml = (count: number): string =>
      names(count)
        .map((name) => `[mcp_servers.${name}] # of ${name}\ncommand = '${name}'\nargs = ["x"]\n\n`)
        .join('');
    const [few, many] = await readings(claude, '.claude.json', json);
    expect(many).toBe(few);
    const [fewOfCodex, manyOfCodex] = await readings(codex, 'config.toml', toml);
    expect(manyOfCodex).toBe(fewOfCodex);
  });
});

describe('a file that can be read and not be changed', () => {
  it('is named, and as it was', async () => {
    const before = text({ a: { command: 'a' } });
    writeFileSync(file.path, before);
    const problem = new TextProblem('there is no place for it', before, 0);
    const stubborn: Client = {
      ...claude,
      route: () => {
        throw problem;
      },
    };
    await expect(place.import(stubborn, file)).rejects.toMatchObject({
      code: 'failed',
      message: `\`${file.path}\` cannot be changed: line 1, column 1: there is no place for it`,
    });
    expect(read()).toBe(before);
  });
});
