import {
  isSublError,
  numberAt,
  SublError,
  type JsonValue,
  type ProcessIdentity,
} from '@subluminal/core-types';
import { hasPanicMark, isAlive, readGatewayFile, writePanicMark, type HomePaths } from '@subluminal/ipc';
import { askOperator } from './door.js';
import { attempt } from '../program/attempt.js';

/** The end of the gateway that ran. */
export interface Stopped {
  /**
   * How many runs the gateway ended; null if it did not answer: the next gateway ends them when it starts.
   */
  readonly runsEnded: number | null;
  /** The process that was killed because it did not answer. */
  readonly killed: number | null;
  /** It had been stopped before. */
  readonly already: boolean;
  /** Why a gateway that starts after this one will not know of it; undefined where it will. */
  readonly unmarked: SublError | undefined;
}

export interface StopParts {
  readonly home: HomePaths;
  readonly now: () => number;
  readonly reason: string;
  /** Starts a gateway on the home, which reads the mark before it serves anybody. */
  readonly start: () => Promise<void>;
  readonly note: (text: string) => void;
}

/** How long a gateway may take to answer. */
const PATIENCE_MS = 5000;
const GONE_MS = 5000;
const POLL_MS = 20;
const ATTEMPTS = 3;
const AGAIN_MS = 200;

/**
 * Stops everything. It writes the mark first: every start reads it, and so does a shim before it decides
 * alone. Then it tells the gateway, even if the mark could not be written, so that a full disk cannot prevent
 * a stop. A gateway that does not answer is killed, and its successor ends the runs; without the mark it
 * would not, so then the gateway is left. Errors: `home_missing`; `failed` if neither worked; and those of
 * the gateway. An error after the mark was written leaves the mark in place.
 */
export async function stopEverything(parts: StopParts): Promise<Stopped> {
  const { home, reason, now } = parts;
  const already = hasPanicMark(home.panicMark);
  const unmarked = mark(home, now(), reason);
  const answer = await told(parts);
  if (!(answer instanceof SublError))
    return { runsEnded: numberAt(answer, 'runs_ended') ?? 0, killed: null, already, unmarked };
  if (unmarked !== undefined) throw unmarked;
  const killed = await kill(parts, answer);
  await startAnew(parts);
  return { runsEnded: null, killed, already, unmarked };
}

/**
 * Starts a gateway and is answered by it: a gateway that answers now has read the mark. A killed one may hold
 * the socket for a moment longer; one that hangs and whose process nobody knows holds it for good.
 */
async function startAnew(parts: StopParts): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await parts.start();
    const answer = await told(parts);
    if (!(answer instanceof SublError)) return;
    if (tries === ATTEMPTS) throw answer;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** Why there is no mark, undefined where there is. */
function mark(home: HomePaths, sinceMs: number, reason: string): SublError | undefined {
  try {
    writePanicMark(home.panicMark, { sinceMs, reason });
    return undefined;
  } catch (cause) {
    return new SublError('failed', `\`${home.panicMark}\` cannot be written`, {
      cause,
      help: 'make the home writable, or stop the gateway and the agents by hand',
    });
  }
}

/** The gateway's answer, or why there is none. */
async function told({ home, now, reason }: StopParts): Promise<JsonValue | SublError> {
  const asked = askOperator(home, now, 'panic.begin', { reason }).catch((error: unknown) => {
    // Absent, broken, or of another version: what is left is to end it and to start anew.
    if (isSublError(error)) return error;
    throw error;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<SublError>((resolve) => {
    const help = 'end its process by hand: the mark stands, and the next start reads it';
    const error = new SublError(
      'gateway_unreachable',
      `the gateway has not answered for ${PATIENCE_MS / 1000} s`,
      {
        help,
      },
    );
    timer = setTimeout(() => resolve(error), PATIENCE_MS);
  });
  const answer = await Promise.race([asked, late]);
  clearTimeout(timer);
  return answer;
}

async function kill({ home, note, now }: StopParts, why: SublError): Promise<number | null> {
  const gateway = running(home);
  if (gateway === undefined) return null;
  note(`${why.message}: it is killed (pid ${gateway.pid}), and another one starts`);
  process.kill(gateway.pid, 'SIGKILL');
  const until = now() + GONE_MS;
  while (isAlive(gateway) && now() < until) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  return gateway.pid;
}

function running(home: HomePaths): ProcessIdentity | undefined {
  // Where it is refused somebody else could have written it: nobody is killed on its word.
  return attempt(() => readGatewayFile(home.gatewayFile));
}
