import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeptWorld } from './kept-world.js';
import { worldFiles } from './world-files.js';

let root: string;
let folder: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sub-kept-'));
  folder = join(root, 'w');
});
afterEach(() => rmSync(root, { recursive: true }));

const world = (id: string): KeptWorld => ({
  owner: {
    id,
    runId: 'r',
    serverName: undefined,
    shimId: undefined,
    starter: undefined,
    folder: '/p',
    hasDoor: true,
    sandboxOff: undefined,
  },
  network: { cookie: '1' },
  gateway: 0,
  spentBytes: 0,
  hooksPort: undefined,
});

describe('the worlds of a gateway', () => {
  it('are found by the next one, each with the folder of its door, and all else is gone', () => {
    const first = worldFiles(folder);
    expect(first.left()).toEqual([]);
    expect(existsSync(folder)).toBe(false);
    const door = first.makeFolder('a-world-12345678');
    expect(door).toBe(join(folder, '12345678'));
    first.put(world('a-world-12345678'));
    first.put({ ...world('a-world-12345678'), spentBytes: 5 });
    writeFileSync(join(door, 's'), '');
    // A world that was opened and never recorded, half a file, and one that somebody else has put there.
    mkdirSync(join(folder, '87654321'));
    writeFileSync(join(folder, '87654321.json'), '{"v":1,', { mode: 0o600 });
    writeFileSync(join(folder, 'cccccccc.json'), '{}', { mode: 0o644 });
    expect(worldFiles(folder).left()).toEqual([{ ...world('a-world-12345678'), spentBytes: 5 }]);
    expect(readdirSync(folder).toSorted()).toEqual(['12345678', '12345678.json']);
    expect(readdirSync(door)).toEqual(['s']);
  });

  it('leave nothing when they end', () => {
    const files = worldFiles(folder);
    files.makeFolder('a-world-12345678');
    files.put(world('a-world-12345678'));
    files.remove('a-world-12345678');
    files.remove('one-that-never-was');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are kept in no folder that others can write', () => {
    mkdirSync(folder, { mode: 0o777 });
    expect(() => worldFiles(folder).left()).toThrow(/lets|let/);
    expect(() => worldFiles(folder).put(world('a-world-12345678'))).toThrow(/let others in/);
  });
});
