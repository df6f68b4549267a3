import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSublError } from '@subluminal/core-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace, filesBelow, type Place } from '../../testing/place.js';
import { CLIENTS } from './all.js';
import type { Client, ClientFile, FileScope } from './client.js';
import { sourceOfOne, unrouteOne } from './file/one-entry.js';

const CORPUS = fileURLToPath(new URL('../../testing/corpus/', import.meta.url));
/** The outcome of each server of each file, by name, or why the file is not touched. */
const EXPECTED = JSON.parse(readFileSync(join(CORPUS, 'expected.json'), 'utf8')) as Record<
  string,
  Record<string, string> | string
>;
const FILES = readdirSync(CORPUS, { recursive: true, withFileTypes: true })
  .filter((one) => one.isFile() && one.name !== 'expected.json')
  .map((one) => join(one.parentPath, one.name).slice(CORPUS.length).split(sep).join('/'))
  .toSorted();

let place: Place;
beforeAll(() => {
  place = createPlace('körper 語');
  place.write('user/server.env', '# servers\nexport FROM_FILE=1\nQUOTED="a\nb"\n = x\n');
  place.write('project/.env', 'PROJECT_KEY=1\r\n');
});
afterAll(() => place.remove());

describe('a configuration of the corpus', () => {
  it('has something expected of it, and is there', () => {
    expect(Object.keys(EXPECTED).toSorted()).toEqual(FILES);
    expect(FILES.length).toBeGreaterThanOrEqual(60);
  });

  it.each(FILES)('%s is routed where it can be, and comes back byte for byte', async (name) => {
    const bytes = readFileSync(join(CORPUS, name));
    const { client, file } = placed(name, bytes);
    const became = await imported(client, file);
    expect(became).toEqual(EXPECTED[name]);

    const routed = readFileSync(file.path);
    if (typeof became === 'string' || !Object.values(became).includes('routed')) {
      expect(routed.equals(bytes)).toBe(true);
      expect((await place.restore(client, file).catch(() => undefined))?.entries ?? []).toEqual([]);
      expect(readFileSync(file.path).equals(bytes)).toBe(true);
      return;
    }
    expectOnlyServersChanged(client, file, bytes.toString('utf8'), routed.toString('utf8'));

    const again = await imported(client, file);
    expect(readFileSync(file.path).equals(routed)).toBe(true);
    expect(Object.values(again)).not.toContain('routed');

    expect((await place.restore(client, file)).how).toBe('bytes');
    expect(readFileSync(file.path).equals(bytes)).toBe(true);
    // The copies held the secrets of the file.
    expect([...filesBelow(place.home).keys()]).toEqual([]);
  });

  it.each(FILES.filter((name) => name.endsWith('.json')))(
    '%s comes back in meaning when its client wrote it anew in between',
    async (name) => {
      const bytes = readFileSync(join(CORPUS, name));
      const { client, file } = placed(name, bytes);
      if (typeof (await imported(client, file)) === 'string') return;
      const parsed = parsedOf(readFileSync(file.path, 'utf8'));
      // A client writes no comments, and what it cannot read it does not write.
      if (parsed === undefined) return void (await place.restore(client, file));
      place.write(file.path.slice(place.root.length + 1), JSON.stringify({ ...parsed, added: 1 }, null, 2));
      const restored = await place.restore(client, file);
      expect(restored.entries.filter(({ became }) => became === 'left' || became === 'gone')).toEqual([]);
      // Written and read again: a client loses the sign of -0.
      const original = JSON.stringify({ ...parsedOf(bytes.toString('utf8')), added: 1 });
      expect(parsedOf(readFileSync(file.path, 'utf8'))).toEqual(JSON.parse(original));
    },
  );
});

/** Puts a file of the corpus where it stands in life: `client/scope/name`. */
function placed(name: string, bytes: Buffer): { readonly client: Client; readonly file: ClientFile } {
  const [clientName = '', scope = ''] = name.split('/');
  const client = CLIENTS.find((one) => one.name === clientName);
  if (client === undefined) throw new Error(`no client ${clientName}`);
  const path = place.write(`${scope === 'project' ? 'project' : 'user'}/ordner ü/${name}`, bytes);
  const isShared = scope === 'project';
  const file = { path, scope: scope as FileScope, ...(isShared ? { project: place.where.project } : {}) };
  return { client, file };
}

async function imported(client: Client, file: ClientFile): Promise<Record<string, string> | string> {
  try {
    const done = await place.import(client, file);
    const entries = (done?.planned ?? []).map(({ entry, becomes, why }): [string, string] => [
      entry.scope === 'local' ? `${entry.pointer[1] ?? ''}: ${entry.name}` : entry.name,
      why?.replaceAll(place.root, '') ?? becomes,
    ]);
    return Object.fromEntries(entries);
  } catch (error) {
    if (!isSublError(error)) throw error;
    return error.message.replace(file.path, 'FILE');
  }
}

/**
 * With the source of each routed server put back, the text is the one before: nothing else is another byte.
 */
function expectOnlyServersChanged(client: Client, file: ClientFile, before: string, after: string): void {
  let text = after;
  for (const { pointer, kind } of client.read(file, after).entries) {
    if (kind !== 'ours') continue;
    const [original, written] = [sourceOfOne(client, before, pointer), sourceOfOne(client, after, pointer)];
    if (original === undefined || written === undefined) throw new Error('an entry is gone');
    expect(text.split(written).length).toBeGreaterThan(1);
    const back = unrouteOne(client, text, pointer, { original, written });
    if (!('text' in back)) throw new Error(back.kept);
    expect(back.how).toBe('exact');
    text = back.text;
  }
  expect(text).toBe(before);
}

function parsedOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
