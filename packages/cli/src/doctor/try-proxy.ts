import { valueAt, isSublError, proxyRunToken, SublError } from '@subluminal/core-types';
import { credentialOf, findTicket, processIdentity, type HomePaths } from '@subluminal/ipc';
import { runProgram } from '../audit/anchor/program.js';
import { askOperator } from '../gateway/door.js';
import { reasonIn } from '../gateway/start.js';
import type { Session } from '../program/session.js';

const TIMEOUT_MS = 20_000;
const REFUSED = 403;

/** Whether the proxy refused what it must refuse; `untried` says why it was not asked. */
export type Tried = { readonly refused: boolean } | { readonly untried: string };

/**
 * Asks the proxy, as a client of a run does, for a name that nobody can list. The record shows it as a run of
 * its own, of the agent `sub-doctor`, with one connection. The gateway's program asks: `sub` itself has no
 * network.
 */
export async function tryProxy(home: HomePaths, port: number, session: Session): Promise<Tried> {
  if (findTicket(home) !== undefined) return { untried: 'inside a run' };
  const holder = processIdentity(process.pid);
  if (holder === undefined) return { untried: 'the system does not know this process' };
  try {
    const request = { agent_id: 'sub-doctor', client: 'custom', env: 'dev', holder };
    const opened = await askOperator(home, session.now, 'run.begin', request);
    const credential = credentialOf(valueAt(opened, 'credential'));
    if (credential === undefined) return { untried: 'the gateway gave no key for a run' };
    const status = await answerOf(home, port, proxyRunToken(credential), session);
    const refused = status === REFUSED;
    await askOperator(home, session.now, 'run.end', { run_id: credential.id, status: 'SUCCEEDED' });
    return { refused };
  } catch (error) {
    if (isSublError(error)) return { untried: error.message };
    throw error;
  }
}

async function answerOf(
  home: HomePaths,
  port: number,
  token: string,
  { gatewayProgram, environment }: Session,
): Promise<number> {
  const end = await runProgram({
    command: process.execPath,
    args: [gatewayProgram, '--home', home.home, '--try-proxy', String(port)],
    cwd: '/',
    env: environment.forGateway,
    input: token,
    timeoutMs: TIMEOUT_MS,
  });
  if (end.code === 0) return Number(end.stdout.toString('latin1').trim());
  throw (
    reasonIn(end.stderr, 'the proxy was not tried', undefined) ??
    new SublError('failed', `the program that tries the proxy ended with ${String(end.code)}`)
  );
}
