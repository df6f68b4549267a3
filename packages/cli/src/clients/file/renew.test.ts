import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlace, type Place } from '../../../testing/place.js';
import { claude } from '../claude/client.js';
import type { Client, ClientFile } from '../client.js';
import { codex } from '../codex/client.js';
import { importFile, type Imported } from './import-file.js';
import { planEntries } from './plan.js';

const TOML = '[mcp_servers.a] # mine\ncommand = \'npx\'\nargs = [\n  "pkg", # last\n]\n';
const JSON_TEXT = '{"mcpServers": {"a": {"command": "npx", "args": ["pkg"]}}, "x": 1.0}';

let place: Place;
beforeEach(() => {
  place = createPlace('renew');
});
afterEach(() => place.remove());

/** Imports with a `node` of another place, as after its upgrade. */
function importWith(
  client: Client,
  file: ClientFile,
  node: string,
  start: { readonly program?: undefined } = {},
): Promise<Imported | undefined> {
  const how = { ...place.how, node, ...start };
  const selection = { scopes: new Set(['user'] as const), servers: [] };
  const planning = { client, where: place.where, how, selection, forbids: () => undefined };
  return importFile({
    client,
    file,
    how,
    journal: place.journal(client),
    hands: place.hands,
    plan: (reading) => planEntries(reading, planning),
  });
}

describe.each([
  [claude, 'user/.claude.json', JSON_TEXT],
  [codex, 'user/.codex/config.toml', TOML],
] as const)('a routed server of $title whose node was replaced', (client, path, text) => {
  let file: ClientFile;
  const read = (): string => readFileSync(file.path, 'utf8');
  beforeEach(async () => {
    file = { path: place.write(path, text), scope: 'user' };
    await importWith(client, file, '/old/node');
  });

  it('is routed anew by the next import, and by no other', async () => {
    const again = await importWith(client, file, '/new/node');
    expect(again?.planned).toMatchObject([{ becomes: 'routed', why: 'it named another `node` or `sub`' }]);
    expect(read()).toContain('/new/node');
    expect(read()).not.toContain('/old/node');
    const routed = read();
    await importWith(client, file, '/new/node');
    expect(read()).toBe(routed);
  });

  it('is led to the launcher of the home, in fewer words, and given back byte for byte', async () => {
    const launcher = `${place.how.home}/sub`;
    const again = await importWith(client, file, launcher, { program: undefined });
    expect(again?.planned).toMatchObject([{ becomes: 'routed' }]);
    expect(read()).toContain(JSON.stringify(launcher));
    expect(read()).not.toContain('sub.mjs');
    expect(read()).not.toContain('max-semi-space');
    const routed = read();
    const third = await importWith(client, file, launcher, { program: undefined });
    expect(third?.planned).toMatchObject([{ becomes: 'already' }]);
    expect(read()).toBe(routed);
    expect((await place.restore(client, file)).how).toBe('bytes');
    expect(read()).toBe(text);
  });

  it('is given back byte for byte after it', async () => {
    await importWith(client, file, '/new/node');
    expect((await place.restore(client, file)).how).toBe('bytes');
    expect(read()).toBe(text);
  });

  it('is given back in its own spelling where somebody wrote in between and after', async () => {
    place.write(path, read().replace(/\n?$/, '\n'));
    await importWith(client, file, '/new/node');
    place.write(path, `${read()}\n`);
    await place.restore(client, file);
    expect(read().trimEnd()).toBe(text.trimEnd());
  });

  it('that somebody wrote by hand stays as it is', async () => {
    const mine = read().replaceAll('/old/node', 'node');
    place.write(path, mine);
    expect((await importWith(client, file, '/new/node'))?.planned).toMatchObject([{ becomes: 'already' }]);
    expect(read()).toBe(mine);
  });
});
