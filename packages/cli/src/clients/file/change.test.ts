import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlace, filesBelow, type Place } from '../../../testing/place.js';
import type { Hands } from './change.js';
import { claude } from '../claude/client.js';
import type { Client, ClientFile } from '../client.js';
import { cursor } from '../cursor/client.js';

const SERVERS = '{"mcpServers": {"a": {"command": "npx", "args": ["a"], "env": {"K": "s3cret"}}}}';

let place: Place;
beforeEach(() => {
  place = createPlace('change');
});
afterEach(() => {
  place.remove();
});

/** Claude Code's own file, which it locks. */
function claudeFile(text: Buffer | string = SERVERS): ClientFile {
  return { path: place.write('user/.claude.json', text), scope: 'user' };
}

/** A file of a client that takes no lock. */
function cursorFile(text = SERVERS): ClientFile {
  return { path: place.write('user/.cursor/mcp.json', text), scope: 'user' };
}

function at(step: 'locked' | 'prepared' | 'drafted' | 'replaced', does: () => void): Hands {
  let isDone = false;
  return {
    ...place.hands,
    at: (now) => {
      if (now !== step || isDone) return;
      isDone = true;
      does();
    },
  };
}

describe('a writer beside the import', () => {
  it('between the reading and the replacing is seen, and its text is what is routed', async () => {
    const file = cursorFile();
    const other = SERVERS.replace('"npx"', '"uvx"').replace('{"mcpServers"', '{"added": true, "mcpServers"');
    const done = await place.import(
      cursor,
      file,
      at('prepared', () => writeFileSync(file.path, other)),
    );
    expect(done?.before).toBe(other);
    expect(readFileSync(file.path, 'utf8')).toContain('"added": true');
    expect(readFileSync(file.path, 'utf8')).toContain('"--", "uvx", "a"');
    expect((await place.restore(cursor, file)).how).toBe('bytes');
    expect(readFileSync(file.path, 'utf8')).toBe(other);
  });

  it('that replaces the file all the time makes the import give up, with nothing changed', async () => {
    const file = cursorFile();
    let count = 0;
    const busy: Hands = {
      ...place.hands,
      at: (step) => {
        if (step === 'prepared') writeFileSync(file.path, SERVERS.replace('{', `{"n": ${(count += 1)}, `));
      },
    };
    await expect(place.import(cursor, file, busy)).rejects.toThrow(
      'is changed by another process all the time',
    );
    expect(readFileSync(file.path, 'utf8')).toBe(SERVERS.replace('{', `{"n": ${count}, `));
    expect(readdirSync(dirname(file.path))).toEqual(['mcp.json']);
    // A record of what never happened takes nothing away.
    expect((await place.restore(cursor, file)).entries).toMatchObject([{ became: 'gone' }]);
    expect(readFileSync(file.path, 'utf8')).toBe(SERVERS.replace('{', `{"n": ${count}, `));
  });

  it('that makes the file a link to another one is seen', async () => {
    const file = cursorFile();
    const other = place.write('elsewhere/mcp.json', SERVERS.replace('npx', 'uvx'));
    await place.import(
      cursor,
      file,
      at('prepared', () => {
        rmSync(file.path);
        symlinkSync(other, file.path);
      }),
    );
    expect(lstatSync(file.path).isSymbolicLink()).toBe(true);
    expect(readFileSync(other, 'utf8')).toContain('"--", "uvx", "a"');
  });

  it('that removes the file leaves it removed', async () => {
    const file = cursorFile();
    expect(
      await place.import(
        cursor,
        file,
        at('prepared', () => rmSync(file.path)),
      ),
    ).toMatchObject({
      planned: [{ becomes: 'routed' }],
    });
    expect(existsSync(file.path)).toBe(false);
    expect(readdirSync(dirname(file.path))).toEqual([]);
  });
});

describe('two imports at once', () => {
  it.each([
    ['Claude Code', claude, claudeFile],
    ['Cursor', cursor, cursorFile],
  ])('of %s route once, and one restore takes it back', async (_name, client: Client, make) => {
    const file = make();
    const done = await Promise.all(
      [1, 2, 3].map((pid) => place.import(client, file, { ...place.hands, pid })),
    );
    const became = done.map((one) => one?.planned[0]?.becomes ?? '');
    expect(became.toSorted()).toEqual(['already', 'already', 'routed']);
    expect((await place.restore(client, file)).how).toBe('bytes');
    expect(readFileSync(file.path, 'utf8')).toBe(SERVERS);
  });
});

describe('the lock of Claude Code', () => {
  it('is taken while its file is changed, and given back', async () => {
    const file = claudeFile();
    let wasHeld = false;
    await place.import(
      claude,
      file,
      at('prepared', () => (wasHeld = existsSync(`${file.path}.lock`))),
    );
    expect(wasHeld).toBe(true);
    expect(readdirSync(dirname(file.path))).toEqual(['.claude.json']);
  });

  it('is waited for, and what was written under it is what is routed', async () => {
    const file = claudeFile();
    mkdirSync(`${file.path}.lock`);
    let pauses = 0;
    const waiting: Hands = {
      ...place.hands,
      pause: async () => {
        pauses += 1;
        expect(readFileSync(file.path, 'utf8')).not.toContain('shim');
        if (pauses < 3) return;
        writeFileSync(file.path, SERVERS.replace('npx', 'uvx'));
        rmdirSync(`${file.path}.lock`);
      },
    };
    await place.import(claude, file, waiting);
    expect(pauses).toBe(3);
    expect(readFileSync(file.path, 'utf8')).toContain('"--", "uvx", "a"');
  });

  it('is refused where it stays held, with nothing changed', async () => {
    const file = claudeFile();
    mkdirSync(`${file.path}.lock`);
    let now = Date.now();
    const patient: Hands = {
      ...place.hands,
      now: () => now,
      pause: async (ms) => {
        now += ms;
        // The one that holds it is alive.
        utimesSync(`${file.path}.lock`, now / 1000, now / 1000);
      },
    };
    await expect(place.import(claude, file, patient)).rejects.toThrow('another process holds');
    expect(readFileSync(file.path, 'utf8')).toBe(SERVERS);
    expect(existsSync(`${file.path}.lock`)).toBe(true);
  });

  it('is taken over when nobody has renewed it for ten seconds', async () => {
    const file = claudeFile();
    mkdirSync(`${file.path}.lock`);
    const before = (Date.now() - 11_000) / 1000;
    utimesSync(`${file.path}.lock`, before, before);
    await place.import(claude, file, {
      ...place.hands,
      pause: () => Promise.reject(new Error('it must not wait')),
    });
    expect(readFileSync(file.path, 'utf8')).toContain('shim');
    expect(existsSync(`${file.path}.lock`)).toBe(false);
  });

  it('that another process took over is not given back, and nothing is written without it', async () => {
    const file = claudeFile();
    const lock = `${file.path}.lock`;
    let attempts = 0;
    const robbed: Hands = {
      ...place.hands,
      at: (step) => {
        if (step !== 'prepared' || (attempts += 1) > 1) return;
        renameSync(lock, `${lock}.old`);
        mkdirSync(lock);
        // The thief is done when the second attempt waits for it.
        setTimeout(() => rmdirSync(lock), 20);
        expect(readFileSync(file.path, 'utf8')).toBe(SERVERS);
      },
    };
    await place.import(claude, file, robbed);
    expect(attempts).toBe(2);
    expect(readFileSync(file.path, 'utf8')).toContain('shim');
  });

  it('is taken at the file itself too, where that is a link', async () => {
    const real = place.write('dotfiles/claude.json', SERVERS);
    const path = join(place.where.userHome, '.claude.json');
    symlinkSync('../dotfiles/claude.json', path);
    let held: readonly boolean[] = [];
    const watch = at('prepared', () => (held = [path, real].map((one) => existsSync(`${one}.lock`))));
    await place.import(claude, { path, scope: 'user' }, watch);
    expect(held).toEqual([true, true]);
    expect(readlinkSync(path)).toBe('../dotfiles/claude.json');
    expect(readFileSync(real, 'utf8')).toContain('shim');
    expect((await place.restore(claude, { path, scope: 'user' })).how).toBe('bytes');
    expect(readlinkSync(path)).toBe('../dotfiles/claude.json');
    expect(readFileSync(real, 'utf8')).toBe(SERVERS);
    expect(readdirSync(dirname(real))).toEqual(['claude.json']);
  });
});

describe('what a file is besides its bytes', () => {
  it.each([0o600, 0o644, 0o664])('its mode %o is kept by import and restore', async (mode) => {
    const file = claudeFile();
    chmodSync(file.path, mode);
    await place.import(claude, file);
    expect(statSync(file.path).mode & 0o777).toBe(mode);
    await place.restore(claude, file);
    expect(statSync(file.path).mode & 0o777).toBe(mode);
  });

  it.each([
    ['a read-only file', (path: string) => chmodSync(path, 0o444), 'it is read-only'],
    ['a file of two names', (path: string) => linkSync(path, `${path}.other`), 'hard links'],
  ])('%s is not replaced, and the reason is said', async (_what, prepare, message) => {
    const file = claudeFile();
    prepare(file.path);
    await expect(place.import(claude, file)).rejects.toThrow(message);
    expect(readFileSync(file.path, 'utf8')).toBe(SERVERS);
    expect([...filesBelow(place.home).keys()]).toEqual([]);
  });

  it.runIf(process.getuid?.() !== 0)('a read-only folder keeps its files', async () => {
    for (const [client, file] of [
      [claude, claudeFile()],
      [cursor, cursorFile()],
    ] as const) {
      const folder = dirname(file.path);
      chmodSync(folder, 0o500);
      await expect(place.import(client, file)).rejects.toThrow('this user may not');
      chmodSync(folder, 0o700);
      expect(readFileSync(file.path, 'utf8')).toBe(SERVERS);
      expect([...filesBelow(place.home).keys()]).toEqual([]);
    }
  });

  it('a folder or a link to nowhere is no file', async () => {
    mkdirSync(join(place.where.userHome, '.claude.json'));
    const path = join(place.where.userHome, '.claude.json');
    await expect(place.import(claude, { path, scope: 'user' })).rejects.toThrow('it is no file');
    rmdirSync(path);
    symlinkSync('/nowhere/at/all', path);
    expect(await place.import(claude, { path, scope: 'user' })).toBeUndefined();
    expect(readlinkSync(path)).toBe('/nowhere/at/all');
  });
});

describe('a crash', () => {
  /** Everything on the disk at each step, as a process that dies there leaves it. */
  async function snapshots(work: (hands: Hands) => Promise<unknown>): Promise<readonly string[]> {
    const taken: string[] = [];
    await work({
      ...place.hands,
      // No process has this number: it is gone when the next one comes.
      pid: 4_294_967_295,
      at: (step) => {
        const copy = `${place.root}-${step}`;
        cpSync(place.root, copy, { recursive: true });
        taken.push(copy);
      },
    });
    return taken;
  }

  it.each([
    ['Claude Code', claude, claudeFile],
    ['Cursor', cursor, cursorFile],
  ])('at any step of an import of %s leaves what a restore needs', async (_name, client: Client, make) => {
    const file = make();
    const taken = await snapshots((hands) => place.import(client, file, hands));
    expect(taken).toHaveLength(4);
    const whole = place.root;
    for (const copy of taken) {
      // The copy takes the place of the disk: paths in the journal are absolute.
      rmSync(whole, { recursive: true });
      renameSync(copy, whole);
      const old = (Date.now() - 11_000) / 1000;
      for (const lock of locksBelow(whole)) utimesSync(lock, old, old);
      await place.restore(client, file);
      expect(readFileSync(file.path, 'utf8')).toBe(SERVERS);
      await place.import(client, file);
      await place.restore(client, file);
      expect(readdirSync(dirname(file.path))).toEqual([basename(file.path)]);
    }
  });

  it('at any step of a restore loses nothing, and the next one ends it', async () => {
    const file = claudeFile();
    await place.import(claude, file);
    const taken = await snapshots((hands) => place.restore(claude, file, hands));
    expect(taken).toHaveLength(4);
    for (const copy of taken) {
      rmSync(place.root, { recursive: true });
      renameSync(copy, place.root);
      const old = (Date.now() - 11_000) / 1000;
      for (const lock of locksBelow(place.root)) utimesSync(lock, old, old);
      await place.restore(claude, file);
      expect(readFileSync(file.path, 'utf8')).toBe(SERVERS);
      expect([...filesBelow(place.home).keys()]).toEqual([]);
    }
  });

  it('the copy and the record are on the disk before the file is another', async () => {
    const file = claudeFile();
    await place.import(
      claude,
      file,
      at('prepared', () => {
        expect(readFileSync(file.path, 'utf8')).toBe(SERVERS);
        const [record] = place.journal(claude).files();
        expect(record === undefined ? '' : place.journal(claude).copy(record).toString('utf8')).toBe(SERVERS);
        expect(record?.entries).toMatchObject([{ name: 'a', pointer: ['mcpServers', 'a'] }]);
      }),
    );
  });
});

function locksBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.name.endsWith('.lock'))
    .map((one) => join(one.parentPath, one.name));
}
