import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'smol-toml';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CODEX_CORPUS } from '../../../testing/codex-corpus.js';
import type { Hands } from '../file/change.js';
import type { ClientFile, Routing } from '../client.js';
import { importFile, type Imported } from '../file/import-file.js';
import { Journal } from '../file/journal.js';
import { meaningOf, sameMeaning } from '../../text/toml/meaning.js';
import { planEntries } from '../file/plan.js';
import { restoreFile, type Restored } from '../file/restore-file.js';
import { codex } from './client.js';

let folder: string;
let file: ClientFile;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'subl-codex-'));
  file = { path: join(folder, 'config.toml'), scope: 'user' };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const HOW: Routing = {
  node: '/opt/node',
  program: '/opt/sub.mjs',
  home: '/h/.subluminal',
  pass: () => [],
  http: { port: 4711, enrolToken: 'sube_x' },
};
const HANDS: Hands = { pid: process.pid, now: () => 0, pause: () => Promise.resolve() };

const journal = (): Journal => new Journal(join(folder, 'home'), 'codex', process.pid);
const bytes = (): Buffer => readFileSync(file.path);

function importIt(): Promise<Imported | undefined> {
  mkdirSync(join(folder, 'home'), { recursive: true, mode: 0o700 });
  const where = {
    userHome: '/h',
    project: '/p',
    platform: 'linux',
    env: {},
    readText: () => undefined,
    list: () => [],
  } as const;
  const selection = { scopes: new Set(['user'] as const), servers: [] };
  const planning = { client: codex, where, how: HOW, selection, forbids: () => undefined };
  return importFile({
    client: codex,
    file,
    how: HOW,
    journal: journal(),
    hands: HANDS,
    plan: (reading) => planEntries(reading, planning),
  });
}

const restoreIt = (): Promise<Restored> =>
  restoreFile({ client: codex, file, home: HOW.home, journal: journal(), hands: HANDS });

/** A text as a client writes it that keeps nothing but its meaning. */
const anew = (text: string): string => stringify(parse(text, { integersAsBigInt: 'asNeeded' }));

const READABLE = CODEX_CORPUS.filter(({ problem }) => problem === undefined);

describe.each(READABLE)('a file of Codex $name', ({ text, routed, left = [] }) => {
  it('has the servers routed that can be, is not imported twice, and is given back byte for byte', async () => {
    writeFileSync(file.path, text);
    const imported = await importIt();
    expect(
      imported?.planned.filter(({ becomes }) => becomes === 'routed').map(({ entry }) => entry.name),
    ).toEqual(routed);
    expect(
      imported?.planned.filter(({ becomes }) => becomes === 'left').map(({ entry }) => entry.name),
    ).toEqual(left);
    const once = bytes();
    expect(once.equals(Buffer.from(text))).toBe(routed.length === 0);
    await importIt();
    expect(bytes().equals(once)).toBe(true);
    const restored = await restoreIt();
    expect(restored.how === 'bytes' || routed.length === 0).toBe(true);
    expect(bytes().equals(Buffer.from(text))).toBe(true);
  });

  it('is the same again, entry by entry, where somebody wrote elsewhere in it', async () => {
    writeFileSync(file.path, text);
    await importIt();
    const more = '\n[written.since]\nx = 1\n';
    writeFileSync(file.path, Buffer.concat([bytes(), Buffer.from(more)]));
    await restoreIt();
    // The newline that a file had not at its end is somebody's now.
    expect(bytes().toString()).toBe(text + more);
  });

  it('means the same again where the client wrote all of it anew', async () => {
    writeFileSync(file.path, text);
    await importIt();
    writeFileSync(file.path, anew(bytes().toString()));
    await restoreIt();
    expect(sameMeaning(meaningOf(bytes().toString()), meaningOf(anew(text)))).toBe(true);
  });
});

describe.each(CODEX_CORPUS.filter(({ problem }) => problem !== undefined))(
  'a file of Codex $name',
  ({ text, problem = '' }) => {
    it('is not touched, and its place is told', async () => {
      writeFileSync(file.path, text);
      await expect(importIt()).rejects.toThrow(problem);
      expect(bytes().equals(Buffer.from(text))).toBe(true);
    });
  },
);

it('the file of Codex keeps its mode and its link', async () => {
  const text = READABLE[0]?.text ?? '';
  const real = join(folder, 'dotfiles.toml');
  writeFileSync(real, text);
  chmodSync(real, 0o640);
  symlinkSync(real, file.path);
  await importIt();
  expect(readFileSync(real, 'utf8')).not.toBe(text);
  expect(statSync(real).mode & 0o777).toBe(0o640);
  await restoreIt();
  expect(readFileSync(real, 'utf8')).toBe(text);
});
