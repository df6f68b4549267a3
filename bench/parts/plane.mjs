/**
 * Hooks of Claude Code with the plane, in turns: a gateway that observes, one that steers, and, where
 * `SUB_BEFORE` names a built tree without the plane, one of that.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openHome } from '../home.mjs';
import { openHookDoor } from '../hook-door.mjs';
import { figure, median, percentile, table } from '../measure.mjs';

const CLIENT = fileURLToPath(new URL('../subjects/hook-client.mjs', import.meta.url));
const PACE_MS = 20;
const STEERS = '[plane]\nlow = "steer"\nordinary = "steer"\n';

export async function plane({ short }) {
  const rounds = short ? 60 : 400;
  const before = process.env.SUB_BEFORE;
  const subjects = [
    ...(before === undefined ? [] : [['without the plane', openHome('fsync', before)]]),
    ['observes', openHome('fsync')],
    ['steers', openHome('fsync')],
  ];
  try {
    const places = [];
    for (const [name, home] of subjects) {
      if (name === 'steers') appendFileSync(join(home.home, 'config.toml'), STEERS);
      home.up();
      places.push(await placeOf(home));
    }
    const [[, first]] = subjects;
    const claude = join(first.root, 'claude');
    symlinkSync(process.execPath, claude);
    const child = spawn(claude, [CLIENT], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(JSON.stringify({ places, rounds, paceMs: PACE_MS }));
    print(
      subjects.map(([name]) => name),
      JSON.parse(await text(child.stdout)),
    );
  } finally {
    for (const [, home] of subjects) home.remove();
  }
}

async function placeOf(home) {
  const { port, token } = await openHookDoor(home);
  return {
    url: `http://127.0.0.1:${port}/hook/claude`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    bodies: [used('PreToolUse', {}), used('PostToolUse', { tool_response: { stdout: 'done' } })],
  };
}

function used(name, more) {
  return JSON.stringify({
    session_id: 's-0',
    cwd: '/srv/app',
    hook_event_name: name,
    tool_use_id: 't-ROUND',
    tool_name: 'Bash',
    tool_input: { command: 'sed -i s/a/b/ src/a/ROUND.ts' },
    ...more,
  });
}

/** Each turn is a pair with the first subject's of the same round. */
function print(names, times) {
  const each = (of, at) => of.filter((_, index) => index % 2 === at && index > 20);
  const rows = names.flatMap((name, subject) =>
    ['before a call', 'after it'].map((what, at) => {
      const [own, base] = [each(times[subject], at), each(times[0], at)];
      const pairs = own.map((time, index) => time - base[index]);
      return [
        `${name}, ${what}`,
        figure(median(own)),
        subject === 0 ? '' : figure(median(pairs)),
        figure(percentile(own, 0.99)),
      ];
    }),
  );
  table([`a hook, ${PACE_MS} ms apart, ms`, 'p50', 'pair by pair (goal 1)', 'p99'], rows);
}
