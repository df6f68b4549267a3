import { valueAt, isSublError, SublError, textAt, type JsonValue } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { runProgram, type ProgramEnd } from '../audit/anchor/program.js';
import type { Call } from '../program/call.js';
import { dataOf, withGateway } from './door.js';
import { reasonIn } from './start.js';
import { isAbsence } from './stop.js';

const TIMEOUT_MS = 30_000;

/** Which home is looked at, and by which program. */
export interface Asking {
  readonly home: HomePaths;
  readonly session: {
    readonly gatewayProgram: string;
    readonly environment: Pick<Call['session']['environment'], 'forGateway'>;
  };
}

/**
 * Whether the gateway of this version would start with the files as they are, asked of its own program while
 * the other one still serves: what keeps the next one from starting must not be found out when none runs any
 * more. @throws SublError with the reason why not.
 */
export async function rehearseStart(call: Call): Promise<void> {
  const last = await lastPolicy(call);
  if (last === undefined) return;
  const end = await rehearse(call, last);
  if (end.code === 0) return;
  throw (
    reasonIn(end.stderr, 'the next gateway would not start, and the one that runs goes on', undefined) ??
    new SublError('failed', `the next gateway would not start: it ended with ${String(end.code)}`, {
      help: 'run `sub doctor`; the gateway that runs goes on',
    })
  );
}

/** Whether the gateway's program takes `config.toml` as it is; false where it cannot be asked. */
export async function takesConfig(call: Asking): Promise<boolean> {
  try {
    return (await rehearse(call, 'unknown')).code === 0;
  } catch (error) {
    if (isSublError(error)) return false;
    throw error;
  }
}

function rehearse({ home, session }: Asking, last: string): Promise<ProgramEnd> {
  return runProgram({
    command: process.execPath,
    args: [session.gatewayProgram, '--home', home.home, '--rehearse', last],
    cwd: '/',
    env: session.environment.forGateway,
    input: '',
    timeoutMs: TIMEOUT_MS,
  });
}

/** The policy that the one which serves leaves behind, by its own word; undefined where none serves. */
async function lastPolicy({ home, session }: Call): Promise<string | undefined> {
  let status: JsonValue;
  try {
    status = await withGateway(home, 'operator', session.now, async (client) =>
      dataOf(await client.request('gateway.status', {})),
    );
  } catch (error) {
    if (!isSublError(error)) throw error;
    return isAbsence(error, home) ? undefined : 'unknown';
  }
  if (textAt(status, 'policy', 'source') === 'builtin') return 'none';
  return (valueAt(status, 'policy', 'signature') ?? null) === null ? 'unsigned' : 'signed';
}
