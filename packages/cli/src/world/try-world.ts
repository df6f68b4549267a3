import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSublError } from '@subluminal/core-types';
import { runProgram } from '../audit/anchor/program.js';
import { type Check, found, ok } from '../doctor/check.js';
import type { Call } from '../program/call.js';
import { leastNetwork } from './least.js';
import { HELD, networkIn } from './networks.js';

const TIMEOUT_MS = 20_000;
const UNHELD = '`sub config set world.require full` starts nothing then';

/**
 * Tries in a world what must not work: it is nobody but a plain user, without rights; of an address that
 * leads nowhere the gateway answers, and a packet that is no TCP goes nowhere.
 */
const PROBE = `
use Socket;
open(my $status, "<", "/proc/self/status"); my $text = join "", <$status>;
my ($caps) = $text =~ /^CapEff:\\s*(\\w+)/m;
socket(my $tcp, PF_INET, SOCK_STREAM, 0);
my $is_ours = connect($tcp, sockaddr_in(9, inet_aton("192.0.2.1"))) ? 1 : 0;
my $is_sent = socket(my $udp, PF_INET, SOCK_DGRAM, 0) && send($udp, "x", 0, sockaddr_in(53, inet_aton("192.0.2.1"))) ? 1 : 0;
print join(" ", $>, hex $caps, $is_ours, $is_sent, scalar(() = glob "/proc/[0-9]*")), "\\n";
`;

/** Makes a world, and tries it. The record shows it as a run of the agent `sub-doctor`. */
export async function tryWorld(call: Call): Promise<Check> {
  const folder = mkdtempSync(join(tmpdir(), 'sub-doctor-'));
  const { environment, program } = call.session;
  try {
    const started = performance.now();
    const end = await runProgram({
      command: process.execPath,
      args: [
        program,
        'world',
        'exec',
        // A weaker world lays no layer.
        ...(leastNetwork(call.home) === 'full' ? [] : ['--write-through']),
        '--home',
        call.home.home,
        '--agent',
        'sub-doctor',
        '--',
        '/usr/bin/perl',
        '-e',
        PROBE,
      ],
      cwd: folder,
      env: environment.all,
      input: '',
      timeoutMs: TIMEOUT_MS,
    });
    const ms = Math.round(performance.now() - started);
    const [uid, caps, isOurs, isSent, processes] = end.stdout
      .toString('latin1')
      .trim()
      .split(' ')
      .map(Number);
    if (end.code !== 0 || processes === undefined) return failed(end.stderr);
    const network = networkIn(end.stderr);
    if (network === 'any') return found('world', 'warn', `started, and not held: ${HELD.any}`, UNHELD);
    const isAlone = network === 'named' || processes <= 4;
    const isHeld = uid !== 0 && caps === 0 && isOurs === 1 && isSent === 0 && isAlone;
    return isHeld
      ? ok('world', `made and tried in ${ms} ms: network \`${network}\``)
      : found(
          'world',
          'fail',
          'a world does not hold what it must hold',
          `report it: ${end.stdout.toString('latin1').trim()}`,
        );
  } catch (error) {
    if (isSublError(error)) return failed(error.message);
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function failed(words: string): Check {
  const why = /^error\[[a-z_]+\]: (.*)$/m.exec(words)?.[1] ?? words.trim().split('\n')[0] ?? '';
  return found('world', 'fail', `no world could be made: ${why}`, 'the lines above say what is missing');
}
