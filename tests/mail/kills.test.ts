import { isJsonObject } from '@subluminal/core-types';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connectGateway, homePaths, readCredential, type GatewayClient } from '@subluminal/ipc';
import { openLedgerReader, verifyLedger, type LedgerRow } from '@subluminal/ledger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryHome } from '../gateway/harness.js';
import { Authority } from './kit/authority.js';
import { SmtpServer, type Step } from './kit/smtp-server.js';
import { allow, codeOf, mailAccount, PASSWORD, QUIET } from './kit/world.js';
import { programOf } from '../support/programs.js';

const PROGRAM = programOf('mail-gateway');
/** Where the gateway is killed: at an entry of the ledger, or by the server at a step of the conversation. */
const POINTS = ['before-pending', 'after-pending', 'before-result'] as const;
const STEPS: readonly Step[] =
  process.env['SUB_LONG'] === undefined
    ? ['data', 'dot']
    : ['connected', 'auth', 'mail', 'data', 'inside', 'dot', 'answered'];

let authority: Authority;
let server: SmtpServer;
let port: number;
const children: ChildProcess[] = [];
beforeAll(async () => {
  authority = new Authority();
  server = new SmtpServer(authority, PASSWORD);
  port = await server.listen();
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  server.close();
  authority.remove();
});

async function gateway(place: { home: string; headsLog: string }, point = ''): Promise<ChildProcess> {
  const args = [place.home, place.headsLog, authority.path('ca.pem'), point];
  const child = fork(PROGRAM, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  children.push(child);
  const first = await Promise.race([
    child.stdout === null ? [] : once(child.stdout, 'data'),
    once(child, 'exit'),
  ]);
  expect(first[0]).toEqual(Buffer.from('ready\n'));
  return child;
}

it('a gateway that is killed at any step of a send sends nothing twice, and nothing unrecorded', async () => {
  const place = temporaryHome();
  const paths = homePaths(place.home);
  writeFileSync(paths.config, QUIET, { mode: 0o600 });
  const open = (): Promise<GatewayClient> =>
    connectGateway({
      socketPath: paths.socket,
      credential: readCredential(paths.operatorKey),
      clock: Date.now,
    });
  const letter = (id: string) => ({
    to: ['bob@else.test'],
    subject: id,
    body: 'one\ntwo\nthree\n'.repeat(40),
  });
  const told = new Map<string, string>();

  const first = await gateway(place);
  const client = await open();
  await client.request('account.add', mailAccount({ smtp: { port, security: 'tls' } }));
  await allow(client, port);
  client.close();
  first.kill('SIGKILL');
  await once(first, 'exit');

  for (const point of [...POINTS, ...STEPS]) {
    const id = `send-${point}`;
    const child = await gateway(place, point);
    const exit = once(child, 'exit');
    server.behaviour = {
      security: 'tls',
      onStep: async (step) => {
        if (step !== point) return;
        child.kill('SIGKILL');
        await exit;
      },
    };
    const asking = await open();
    await asking.request('email.send', letter(id), { id }).then(
      (answer) => told.set(id, codeOf(answer)),
      () => told.set(id, 'lost'),
    );
    // The answer can come before the signal does.
    child.kill('SIGKILL');
    await exit;
    asking.close();
  }

  server.behaviour = { security: 'tls' };
  await gateway(place);
  const last = await open();
  const again = new Map<string, string>();
  for (const id of told.keys()) again.set(id, codeOf(await last.request('email.send', letter(id), { id })));
  last.close();

  const rows = sends(paths.ledgerDb);
  const pending = rows.filter(({ type }) => type === 'action_pending');
  const results = rows.filter(({ type }) => type === 'action_result');
  // Each has one entry before it and one after it, and whoever asks again is told what is recorded.
  expect(pending.map(idOf).toSorted()).toEqual([...told.keys()].toSorted());
  expect(results).toHaveLength(pending.length);
  expect(new Set(results.map(({ ref }) => ref))).toEqual(new Set(pending.map(({ seq }) => seq)));
  const taken = server.taken.map(({ message }) => /^Subject: (.*)$/m.exec(message)?.[1]?.trim() ?? '');
  expect(taken.toSorted()).toEqual([...new Set(taken)].toSorted());
  for (const id of taken) expect(pending.map(idOf)).toContain(id);
  // What was killed inside its text may have been in the kernel as a whole already.
  const sure = taken.filter((id) => id !== 'send-inside');
  const expected = ['send-answered', 'send-before-pending', 'send-before-result', 'send-dot'];
  expect(sure.toSorted()).toEqual(expected.filter((id) => told.has(id)));
  // What never had an entry was never begun, and asking again began it.
  expect([again.get('send-before-pending'), told.get('send-before-pending')]).toEqual(['success', 'lost']);
  for (const id of told.keys())
    if (id !== 'send-before-pending' && told.get(id) === 'lost')
      expect([id, again.get(id)]).toEqual([id, 'interrupted']);
  // The last gateway still serves: what it wrote last is not covered by a head yet.
  expect(['ok', 'unproven']).toContain(
    (await verifyLedger(paths.ledgerDb, { headsLog: place.headsLog })).verdict,
  );
}, 240_000);

function sends(path: string): LedgerRow[] {
  const reader = openLedgerReader(path);
  try {
    return [...reader.all({ order: 'asc', limit: 1000 }).rows].filter(
      ({ tool, type }) => tool === 'email.send' && type !== 'anomaly',
    );
  } finally {
    reader.close();
  }
}

function idOf({ data }: LedgerRow): string {
  const request = data['req'];
  if (request === undefined || !isJsonObject(request)) return '';
  const { id } = request;
  return typeof id === 'string' ? id : '';
}
