import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { textAt, type JsonObject } from '@subluminal/core-types';
import { askingRun, type AskingRun } from '../harness/asking.js';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import type { Finished } from '../harness/sub.js';
import { POLICY, PROJECT } from './policies.js';
import { LISTING, work } from './work.js';

/** A home after a day of work, with its gateway; and a run that goes on. */
export interface Day {
  readonly at: TestHome;
  /** The account's folder, and a project with a trusted policy. */
  readonly user: string;
  readonly shop: string;
  readonly run: AskingRun;
  /** The run that has ended. */
  readonly ended: string;
  /** Open questions and open hints, by their numbers. */
  readonly questions: readonly string[];
  readonly hints: readonly string[];
  /** A call that was refused, and a connection, by the numbers of their entries. */
  readonly refused: string;
  readonly connection: string;
  values(...args: string[]): Promise<JsonObject[]>;
  remove(): Promise<void>;
}

/** Lives through the day. */
export async function day(): Promise<Day> {
  const at = createHome({ policy: POLICY, config: '[egress]\nmode = "enforce"\n' });
  try {
    return await lived(at);
  } catch (error) {
    await at.remove();
    throw error;
  }
}

async function lived(at: TestHome): Promise<Day> {
  const [user, shop] = [join(at.root, 'user'), join(at.root, 'shop')];
  for (const folder of [user, shop, join(user, '.claude'), join(shop, '.git')]) mkdirSync(folder);
  writeFileSync(join(user, '.claude', 'settings.json'), '{}\n');
  writeFileSync(
    join(user, '.claude.json'),
    JSON.stringify({
      mcpServers: {
        github: { command: process.execPath, args: ['github.mjs'] },
        notes: { command: 'npx', args: ['-y', '@example/notes', '/srv/notes'] },
      },
    }),
  );
  writeFileSync(join(shop, '.subluminal.yaml'), PROJECT);
  const env = { PATH: process.env['PATH'], HOME: user };
  const sub = async (
    args: readonly string[],
    { command = [], ...more }: { input?: string; command?: readonly string[] } = {},
  ): Promise<Finished> => {
    const done = await runSub([...args, '--home', at.home, ...command], { env, ...more });
    if (done.code !== 0) throw new Error(`sub ${args.join(' ')}: ${done.code}\n${done.stdout}${done.stderr}`);
    return done;
  };
  const values = async (...args: string[]): Promise<JsonObject[]> =>
    (await sub([...args, '--json'])).stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JsonObject);

  await at.startWatched();
  await sub(['policy', 'trust', shop, '--yes']);
  await sub(['secrets', 'add', 'notes-token'], { input: 'a-value-that-nobody-sees' });
  const server = createServer((_request, response) => void response.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = (server.address() as { port: number }).port;
  await sub(['allow', 'add', `127.0.0.1:${port}`, '--private', '--name', 'the test server of the shop']);
  await sub(['allow', 'add', 'registry.npmjs.org:443']);

  await work({ at, user, shop, port });
  await sub(['secrets', 'bind', 'notes', '--as', 'NOTES_TOKEN', '--ref', 'notes-token'], {
    command: ['--', process.execPath, LISTING],
  });
  await sub(['panic', '--reason', 'it pushed to main']);
  await sub(['resume']);
  const run = await askingRun(at.home);
  await run.decided('npm test');
  for (const branch of ['main', 'release']) await run.asked(`git push origin ${branch}`);
  for (const folder of ['dist', 'coverage']) await run.decided(`rm -rf ${folder}`);
  const [ended] = (await values('runs')).filter(({ run_id }) => run_id !== run.id);
  const waits = await values('approvals', 'list');
  const numbers = (kind: string): string[] =>
    waits.flatMap((one) => (one['kind'] === kind && one['run_id'] === run.id ? [textAt(one, 'number')] : []));
  const seqOf = async (...search: string[]): Promise<string> =>
    textAt((await values('query', ...search, '--limit', '1'))[0] ?? null, 'seq');
  return {
    at,
    user: realpathSync(user),
    shop: realpathSync(shop),
    run,
    ended: textAt(ended ?? null, 'run_id'),
    questions: numbers('question'),
    hints: numbers('hint'),
    refused: await seqOf('--tool', 'read_file'),
    connection: await seqOf('--action', 'net.connect'),
    values,
    async remove() {
      // The panic has ended it by now, and its connection with it.
      await run.end().catch(() => undefined);
      server.close();
      await at.remove();
    },
  };
}
