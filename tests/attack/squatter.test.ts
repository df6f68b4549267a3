import { createServer, type Server } from 'node:net';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHome, stopGateway, type TestHome } from '../harness/home.js';
import { openRawSession } from '../harness/raw-session.js';
import { runSub, shimCommand } from '../harness/sub.js';

const echo = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));

let home: TestHome;
let squatter: Server | undefined;
beforeEach(async () => {
  home = createHome({ config: 'autostart = false\n' });
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
});
afterEach(async () => {
  squatter?.close();
  await home.remove();
});

const frame = (value: unknown) => {
  const body = Buffer.from(JSON.stringify(value));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
};

/** What a squatter says, chunk by chunk; it knows the ledger's id, which is no secret. */
type Answers = (ledgerId: string) => readonly unknown[];

/**
 * Takes the socket of a gateway that is away, answers every chunk with `answers` in turn and keeps what it
 * heard.
 */
async function squat(answersFor: Answers): Promise<Buffer[]> {
  const { ledger_id } = JSON.parse(readFileSync(join(home.home, 'keys', 'enrol'), 'utf8')) as {
    ledger_id: string;
  };
  const answers = answersFor(ledger_id);
  await stopGateway(home.home);
  const socket = join(home.home, 'run', 'gateway.sock');
  mkdirSync(join(home.home, 'run'), { recursive: true });
  rmSync(socket, { force: true });
  const heard: Buffer[] = [];
  squatter = createServer((peer) => {
    let turn = 0;
    peer.on('error', () => peer.destroy());
    peer.on('data', (chunk) => {
      heard.push(chunk);
      if (turn < answers.length) peer.write(frame(answers[turn]));
      turn += 1;
    });
  });
  squatter.listen(socket);
  await once(squatter, 'listening');
  return heard;
}

const proof = (ledgerId: string) => ({
  v: 1,
  ledger_id: ledgerId,
  ns: 'A'.repeat(43),
  proof_s: 'B'.repeat(43),
});
const allow = {
  requestId: 'x',
  status: 'success',
  data: { decision: { action: 'ALLOW' } },
  auditRef: '',
  signature: '',
};
const says: readonly (readonly [string, Answers])[] = [
  ['a made-up proof', (id) => [proof(id)]],
  ['the proof of another ledger', () => [proof('another-ledger')]],
  ['a plain success', () => [allow]],
  ['an unsigned allow after a made-up proof', (id) => [proof(id), allow]],
];

it.each(says)('a squatter that answers with %s gets no payload and allows nothing', async (_, answers) => {
  const session = await openRawSession(shimCommand(home.home, 'echo', [process.execPath, echo]));
  expect((await session.request('tools/call', { name: 'echo', arguments: { n: 0 } })).error).toBeUndefined();

  const heard = await squat(answers);
  const answer = await session.request('tools/call', { name: 'echo', arguments: { secret: 'do-not-tell' } });
  expect(answer.result).toBeUndefined();
  expect(answer.error?.code).toBe(-32081);
  expect(Buffer.concat(heard).toString('latin1')).not.toContain('do-not-tell');
  await session.close();
});
