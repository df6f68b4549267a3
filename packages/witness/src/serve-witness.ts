import { once } from 'node:events';
import type { Server } from 'node:net';
import {
  isSublError,
  readVerifierKey,
  renderVerifierKey,
  SublError,
  type VerifierKey,
  verifierKey,
} from '@subluminal/core-types';
import { hasCode } from '@subluminal/ipc';
import { type Clock, errorText } from '@subluminal/gateway';
import { createWitnessServer, WITNESS_LIMITS } from './server.js';
import { WitnessState } from './state.js';
import { Witness } from './witness.js';

const ADDRESS = /^(?:\[?([0-9a-fA-F.:]+?)\]?):([0-9]{1,5})$/;

interface WitnessArguments {
  readonly state: string;
  readonly address: string;
  readonly port: number;
  readonly name: string | undefined;
  readonly logs: readonly VerifierKey[];
}

/**
 * Runs a witness until SIGTERM or SIGINT. Prints one line of JSON when it listens, `{url, vkey}`. Resolves
 * with the exit code: 0 after a clean stop, 1 where it could not start, 2 for a wrong command line.
 */
export async function serveWitness(argv: readonly string[], clock: Clock): Promise<number> {
  let state: WitnessState | undefined;
  try {
    const given = readArguments(argv);
    state = new WitnessState(given.state);
    const fingerprint = verifierKey('', 'cosignature', state.publicKey).keyId;
    const witness = new Witness(given.name ?? `subluminal-witness/${fingerprint}`, state, given.logs, clock);
    // Damage is told at once, and not when a log asks.
    for (const log of given.logs) state.latest(log);
    const server = createWitnessServer(witness, WITNESS_LIMITS, (error) => {
      process.stderr.write(`failed: ${errorText(error)}\n`);
    });
    await listenAt(server, given);
    const at = server.address();
    const port = typeof at === 'object' && at !== null ? at.port : given.port;
    const host = given.address.includes(':') ? `[${given.address}]` : given.address;
    const ready = { url: `http://${host}:${port}`, vkey: renderVerifierKey(witness.key) };
    process.stdout.write(`${JSON.stringify(ready)}\n`);
    await new Promise<void>((resolve) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
    });
    server.close();
    server.closeAllConnections();
    return 0;
  } catch (error) {
    const known = isSublError(error) ? error : new SublError('failed', errorText(error), { cause: error });
    process.stderr.write(`error[${known.code}]: ${printable(known.message)}\n`);
    if (known.help !== undefined) process.stderr.write(`help: ${printable(known.help)}\n`);
    return known.code === 'usage' ? 2 : 1;
  } finally {
    state?.close();
  }
}

async function listenAt(server: Server, { address, port }: WitnessArguments): Promise<void> {
  server.listen(port, address);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const why = hasCode(cause, 'EADDRINUSE') ? 'another program listens there' : errorText(cause);
    throw new SublError('failed', `the witness cannot listen on \`${address}\`, port ${port}: ${why}`, {
      cause,
      help: 'name another address or port of this machine with `--listen`',
    });
  }
}

function readArguments(argv: readonly string[]): WitnessArguments {
  const values = new Map<string, string>();
  const logs: VerifierKey[] = [];
  const rest = [...argv];
  while (rest.length > 0) {
    const [option = '', value] = rest.splice(0, 2);
    if (value === undefined) throw usage(`\`${option}\` needs a value`);
    if (option === '--log') logs.push(readLog(value));
    else if (['--state', '--listen', '--name'].includes(option)) values.set(option, value);
    else throw usage(`\`${option}\` is not an option`);
  }
  const listen = values.get('--listen') ?? '';
  const [, address = '', port = ''] = ADDRESS.exec(listen) ?? [];
  const state = values.get('--state');
  const name = values.get('--name');
  if (state === undefined) throw usage('`--state` is missing');
  if (port === '' || Number(port) > 65_535) {
    throw new SublError('usage', `\`${listen}\` is not an address and a port`, {
      help: '`--listen` takes an IP address of this machine, such as `127.0.0.1:8080` or `[::1]:8080`',
    });
  }
  if (logs.length === 0) throw usage('a witness needs a log to watch');
  if (new Set(logs.map((log) => log.name)).size < logs.length) throw usage('a log is named twice');
  if (name !== undefined && !/^[^\p{White_Space}\p{C}+]{1,256}$/u.test(name))
    throw usage(`\`${name}\` cannot be the name of a key`);
  return { state, address, port: Number(port), name, logs };
}

function readLog(text: string): VerifierKey {
  const key = readVerifierKey(text);
  if (key?.role === 'log') return key;
  throw new SublError('usage', `\`${text}\` is not the verifier key of a log`, {
    help: '`sub audit checkpoint --json` shows the one of a ledger',
  });
}

function usage(why: string): SublError {
  return new SublError('usage', why, { help: 'see `sub help witness`' });
}

function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, ' ');
}
