/**
 * Calls a second of an honest run, with and without peers that throw garbage at the gateway's socket, in
 * turns.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { homePaths } from '@subluminal/ipc';
import { openHome } from '../home.mjs';
import { figure, median, table } from '../measure.mjs';
import { openSession } from '../stdio-client.mjs';

const ATTACKERS = 4;
const server = [process.execPath, fileURLToPath(new URL('../subjects/echo-server.mjs', import.meta.url))];

export async function underGarbage({ short }) {
  const [rounds, seconds] = short ? [1, 1] : [10, 6];
  const home = openHome('fsync');
  const quiet = [];
  const attacked = [];
  let attempts = 0;
  try {
    home.up();
    const session = await openSession([process.execPath, home.sub, ...home.shimArgs('echo'), ...server]);
    await rate(session, 1);
    for (let round = 0; round < rounds; round += 1) {
      quiet.push(await rate(session, seconds));
      const attack = startAttack(homePaths(home.home).socket);
      attacked.push(await rate(session, seconds));
      attempts += await attack.stop();
    }
    await session.close();
  } finally {
    home.remove();
  }
  table(
    ['an honest run, 8 in flight', 'calls/s'],
    [
      ['alone', figure(median(quiet))],
      [
        `under garbage (${Math.round(attempts / (rounds * seconds))} connections/s)`,
        figure(median(attacked)),
      ],
      ['alone / under garbage', figure(median(quiet.map((alone, round) => alone / attacked[round])))],
    ],
  );
}

async function rate(session, seconds) {
  const until = performance.now() + seconds * 1000;
  let calls = 0;
  const caller = async () => {
    while (performance.now() < until) {
      await session.call(calls);
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, caller));
  return calls / seconds;
}

/** Connections that send bytes which are no handshake, and come back as soon as they are hung up on. */
function startAttack(path) {
  const end = new AbortController();
  let attempts = 0;
  const attacker = async () => {
    while (!end.signal.aborted) {
      await garbage(path);
      attempts += 1;
    }
  };
  const attackers = Array.from({ length: ATTACKERS }, attacker);
  return {
    async stop() {
      end.abort();
      await Promise.all(attackers);
      return attempts;
    },
  };
}

function garbage(path) {
  return new Promise((resolve) => {
    const socket = connect({ path });
    socket.on('connect', () => socket.write(randomBytes(512)));
    socket.on('data', () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve());
    socket.setTimeout(3000, () => socket.destroy());
  });
}
