import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Hands } from '../src/clients/file/change.js';
import type { Client, ClientFile, Reading, Routing, Where } from '../src/clients/client.js';
import { importFile, type Imported } from '../src/clients/file/import-file.js';
import { Journal } from '../src/clients/file/journal.js';
import { thisMachine } from '../src/clients/place/machine.js';
import { planEntries } from '../src/clients/file/plan.js';
import { restoreFile, type Restored } from '../src/clients/file/restore-file.js';
import { variablesOf } from '../src/clients/place/variables.js';

/** A throwaway user with a home of `sub` and a project, in which clients are imported without any process. */
export interface Place {
  readonly root: string;
  readonly home: string;
  readonly where: Where;
  readonly journal: (client: Client) => Journal;
  readonly hands: Hands;
  /** Routes everything of a file that can be. */
  readonly import: (client: Client, file: ClientFile, hands?: Hands) => Promise<Imported | undefined>;
  readonly restore: (client: Client, file: ClientFile, hands?: Hands) => Promise<Restored>;
  readonly write: (path: string, bytes: Buffer | string) => string;
  readonly how: Routing;
  readonly remove: () => void;
}

/** Makes a place; `name` stands in every path of it. */
export function createPlace(name = 'place', platform: NodeJS.Platform = 'linux'): Place {
  const root = mkdtempSync(join(tmpdir(), `sub-${name}-`));
  const home = join(root, 'sub-home');
  const userHome = join(root, 'user');
  const project = join(root, 'project');
  for (const folder of [home, userHome, project]) mkdirSync(folder, { mode: 0o700 });
  const machine = thisMachine({}, project);
  const where: Where = {
    ...machine,
    userHome,
    platform,
    // Settings of this machine's administrator are not tested.
    readText: (path) => (path.startsWith(root) ? machine.readText(path) : undefined),
    list: (path) => (path.startsWith(root) ? machine.list(path) : []),
  };
  const hands: Hands = {
    now: Date.now,
    pid: process.pid,
    pause: (ms) =>
      new Promise((done) => {
        setTimeout(done, ms);
      }),
  };
  const how: Routing = {
    node: '/usr/bin/node',
    program: '/opt/sub/bin/sub.mjs',
    home,
    pass: (entry) => {
      const variables = variablesOf(entry, where);
      return 'names' in variables ? variables.names : [];
    },
    http: { port: 7717, enrolToken: 'sube_0123456789' },
  };
  const journal = (client: Client): Journal => new Journal(home, client.name, process.pid);
  return {
    root,
    home,
    where,
    journal,
    hands,
    how,
    import: (client, file, own = hands) => {
      const plan = (reading: Reading): ReturnType<typeof planEntries> =>
        planEntries(reading, {
          client,
          where,
          how,
          selection: { scopes: new Set(['user', 'local', 'profile', 'project']), servers: [] },
          forbids: client.forbids(where, [reading]),
        });
      return importFile({ client, file, how, journal: journal(client), hands: own, plan });
    },
    restore: (client, file, own = hands) =>
      restoreFile({ client, file, home, journal: journal(client), hands: own }),
    write(path, bytes) {
      const whole = join(root, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, bytes);
      return whole;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Every file below a folder, with its bytes. */
export function filesBelow(folder: string): ReadonlyMap<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    found
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name))
      .toSorted()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'base64')]),
  );
}
