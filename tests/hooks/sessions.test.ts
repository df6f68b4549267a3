import { expect, it } from 'vitest';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { client, hookWorld, use } from './world.js';

const CLIENTS = process.env['SUB_LONG'] === undefined ? 8 : 50;
const STEPS = 20;

it(
  'many clients at once are each answered, each in a run of its own, and each refusal is where it belongs',
  { timeout: 300_000 },
  async () => {
    const policy = bundle([deny('no-rm', { command: { argv: ['rm -rf *'] } })], { mode: 'control' });
    const world = await hookWorld({ policy });
    const clients = Array.from({ length: CLIENTS }, (_, at) => ({ at, claude: client(world) }));
    const late: number[] = [];
    await Promise.all(
      clients.map(async ({ at, claude }) => {
        for (let step = 0; step < STEPS; step += 1) {
          const isRefused = (at + step) % 5 === 0;
          const [id, command] = [`t${step}`, isRefused ? `rm -rf ${at}` : `echo ${at}`];
          const session = { session_id: `s-${at}` };
          const from = performance.now();
          const { status, text } = await claude.post({ body: use('PreToolUse', id, command, session) });
          late.push(performance.now() - from);
          expect([status, text.includes('"deny"')]).toEqual([200, isRefused]);
          if (isRefused) continue;
          const end = use('PostToolUse', id, command, { ...session, tool_response: { stdout: `${at}` } });
          expect((await claude.post({ body: end })).status).toBe(200);
        }
      }),
    );
    late.sort((one, other) => one - other);
    const at = (part: number): string => late[Math.floor(late.length * part)]?.toFixed(1) ?? '';
    process.stdout.write(`${CLIENTS} clients at once: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms\n`);
    expect(world.gateway.rows('run_start')).toHaveLength(CLIENTS);
    await expect.poll(() => world.gateway.calls().length).toBe(CLIENTS * STEPS);
    const ended = (): number => world.gateway.calls().filter(({ end }) => end !== undefined).length;
    await expect.poll(ended, { timeout: 20_000 }).toBe(CLIENTS * STEPS);
    expect(await world.gateway.verify()).not.toBe('tampered');
  },
);
