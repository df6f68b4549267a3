/** A hook of Claude Code, door to answer, beside one whose server answers with nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openHome } from '../home.mjs';
import { openHookDoor } from '../hook-door.mjs';
import { figure, median, percentile, table } from '../measure.mjs';

const CLIENT = fileURLToPath(new URL('../subjects/hook-client.mjs', import.meta.url));
const PACE_MS = 30;

export async function hooks({ short }) {
  const rounds = short ? 60 : 400;
  const home = openHome('fsync');
  const empty = createServer((_request, answer) => answer.end('{}')).listen(0, '127.0.0.1');
  try {
    home.up();
    await once(empty, 'listening');
    const { port, token } = await openHookDoor(home);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const bodies = [used('PreToolUse', {}), used('PostToolUse', { tool_response: { stdout: 'done' } })];
    const url = (at) => `http://127.0.0.1:${at}/hook/claude`;
    const places = [empty.address().port, port].map((at) => ({ url: url(at), headers, bodies }));
    const [bare, ours] = await timed(home, { places, rounds, paceMs: PACE_MS });
    print(bare, ours);
  } finally {
    empty.close();
    empty.closeAllConnections();
    home.remove();
  }
}

function used(name, more) {
  return JSON.stringify({
    session_id: 's-1',
    cwd: '/srv/app',
    hook_event_name: name,
    tool_use_id: 't-ROUND',
    tool_name: 'Bash',
    tool_input: { command: 'git status --short' },
    ...more,
  });
}

async function timed(home, asked) {
  const claude = join(home.root, 'claude');
  symlinkSync(process.execPath, claude);
  const child = spawn(claude, [CLIENT], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(asked));
  return JSON.parse(await text(child.stdout));
}

function print(bare, ours) {
  const each = (times, at) => times.filter((_, index) => index % 2 === at && index > 20);
  const rows = ['before a call', 'after it'].map((name, at) => {
    const [none, sub] = [each(bare, at), each(ours, at)];
    const p99 = percentile(sub, 0.99);
    return [name, figure(median(none)), figure(median(sub)), figure(median(sub) - median(none)), figure(p99)];
  });
  table([`a hook, ${PACE_MS} ms apart, p50 ms`, 'empty', 'sub', 'over it (goal 3)', 'sub p99'], rows);
}
