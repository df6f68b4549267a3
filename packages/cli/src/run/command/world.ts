import type { Duplex } from 'node:stream';
import { GatewaySession } from '@subluminal/agent';
import {
  type FsDiff,
  isSublError,
  type JsonValue,
  type SublError,
  type Ticket,
} from '@subluminal/core-types';
import { connectOrStart } from '@subluminal/shim';
import {
  hearWorld,
  openWorld,
  type ProgramsTold,
  serveAgain,
  worldEnvironment,
  type WorldView,
} from '@subluminal/worlds';
import { createRequestIds, processIdentity } from '@subluminal/ipc';
import { layerNamed } from '@subluminal/layers';
import { dataOf, withGateway } from '../../gateway/door.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { weakerLine } from '../../world/networks.js';
import { layerRemark } from '../../world/layer/remark.js';
import { WorldLayer } from '../../world/layer/world-layer.js';
import { isolationHere } from '../../world/session/isolation.js';
import { CommandJudge } from '../../world/session/judge.js';
import { type ChildResult, NotStarted, runChild } from '../child.js';
import { exitCodeOfChild } from '../outcome.js';
import { FROM_TERMINAL } from '../signals.js';
import { worldAgent } from '../agent/view.js';

const HANDED: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];

const NO_LAYER = 'the policy gives this command a layer of its own: leave `--write-through` out';

/** The world that the command of a run is to live in. */
export interface CommandWorld {
  readonly view: WorldView;
  /** Variables that it gets as well. */
  readonly pass: readonly string[];
  /** The layer of an earlier world that it goes on with; undefined: a new one, if the view has one. */
  readonly layer: string | undefined;
  /** The gateway is asked for the command itself, which is recorded. */
  readonly isJudged: boolean;
}

/** A command of a run, and its world. */
export interface WorldCommand extends CommandWorld {
  readonly ticket: Ticket;
  readonly command: readonly [string, ...string[]];
  /** The labels of the run. */
  readonly variables: Readonly<Record<string, string>>;
  /** The environment that the command would have outside. */
  readonly envOutside: NodeJS.ProcessEnv;
  readonly onTerminal: boolean;
  readonly stdoutToStderr: boolean;
}

/** A command that has ended, with its world. */
export interface WorldResult {
  readonly child: ChildResult;
  readonly worldId: string;
  /** The id of the command in the record, if it was judged. */
  readonly spanId: string | undefined;
  /** The programs that it has started. */
  readonly programs: ProgramsTold;
  /** The files that it has changed in its layer; undefined: none. */
  readonly diff: FsDiff | undefined;
  /** Why it had a layer of its own, if the policy says so. */
  readonly isolated: string | undefined;
}

/**
 * Runs the command in a world, which ends with it. Errors: those of `openWorld` and `runChild`, and
 * `NotStarted` with `policy_blocked` for a command that is refused.
 */
export function runInWorld(call: Call, given: WorldCommand): Promise<WorldResult> {
  return given.isJudged ? judged(call, given) : living(call, given, undefined);
}

async function judged(call: Call, given: WorldCommand): Promise<WorldResult> {
  const judge = new CommandJudge(call.home, given.ticket, (line) =>
    call.output.note(`sub: ${escapeText(line)}`),
  );
  try {
    const verdict = await judge.judge({ command: given.command, folder: given.view.cwd });
    if (!verdict.isAllowed) throw new NotStarted(126, 'policy_blocked', verdict.reason);
    const { spanId } = verdict;
    const startedAt = performance.now();
    let exit = 125;
    let programs: ProgramsTold = {};
    let diff: FsDiff | undefined;
    let isolated: string | undefined;
    try {
      const result = await living(call, given, spanId);
      exit = exitCodeOfChild(result.child);
      ({ programs, diff, isolated } = result);
      return result;
    } finally {
      judge.ended(spanId, { exit, latencyMs: performance.now() - startedAt, programs, diff, isolated });
    }
  } finally {
    await judge.close();
  }
}

async function living(call: Call, given: WorldCommand, spanId: string | undefined): Promise<WorldResult> {
  const { ticket, command, variables, envOutside, view, pass, onTerminal, stdoutToStderr } = given;
  const { environment, now } = call.session;
  const ask = (action: string, payload: Readonly<Record<string, unknown>>): Promise<JsonValue> =>
    withGateway(call.home, ticket.credential, now, async (client) =>
      dataOf(await client.request(action, payload)),
    );
  // Only what a run is started for may ask by a door: a command is asked for by us.
  const agent = given.isJudged ? undefined : worldAgent(call, ticket, command, { ...view, pass });
  for (const note of agent?.notes ?? []) call.output.note(`sub: ${escapeText(note)}`);
  const layer = await WorldLayer.take(call, view, {
    id: given.layer === undefined ? undefined : layerNamed(call.home.layersDir, given.layer).place.id,
    runId: ticket.run_id,
    label: command.join(' '),
  });
  const world = await openWorld(ask, {
    starter: processIdentity(process.pid),
    server: undefined,
    agent: agent?.view,
    sandboxOff: agent?.sandboxOff,
    command: agent?.command ?? command,
    envOutside,
    env: { ...worldEnvironment(environment.all, pass), ...variables, ...agent?.env },
    view,
    layer: layer?.about.place.folder,
    door: undefined,
    signals: onTerminal ? HANDED : [...HANDED, ...FROM_TERMINAL],
    now: now(),
  }).catch(async (error: unknown) => {
    await layer?.over();
    throw error;
  });
  const { id, launch, network, shortfall, testimony } = world;
  // In a world of an agent every command is the agent's, and so is the layer.
  const isolated = given.isJudged ? await isolationHere(world.isolated, command, view.cwd) : undefined;
  let heard: Promise<void> | undefined;
  let hasEnded = false;
  const session = network === 'full' ? sessionOf(call, ticket) : undefined;
  const onLine = (line: Duplex, child: number): void => {
    heard = hearWorld(line, testimony, child);
    const lost = (why: SublError): void => {
      call.output.note(`sub: the world ends, since no gateway serves it: ${escapeText(why.message)}`);
      // Its hooks could be answered by anybody there.
      line.destroy();
    };
    session?.watch(
      serveAgain({
        id,
        inside: processIdentity(child),
        ask,
        isConnected: false,
        isOver: () => hasEnded,
        lost,
      }),
    );
  };
  if (network !== 'full') call.output.note(`sub: ${escapeText(weakerLine(network, shortfall))}`);
  try {
    if (isolated !== undefined && layer === undefined) throw new NotStarted(126, 'policy_blocked', NO_LAYER);
    layer?.remember(world.asks);
    if (isolated !== undefined) call.output.note(`sub: in a layer of its own: ${escapeText(isolated)}`);
    const child = await runChild({ ...launch, onTerminal, stdoutToStderr, onLine });
    hasEnded = true;
    await heard;
    const diff = await layer?.over();
    return { child, worldId: id, spanId, programs: testimony.programs.told, diff, isolated };
  } finally {
    session?.close();
    const diff = await layer?.over();
    const { told, remarks } = await testimony.over();
    for (const remark of remarks) call.output.note(`sub: ${escapeText(remark)}`);
    if (layer !== undefined && diff !== undefined)
      call.output.note(`sub: ${layerRemark(call.home, layer.about, diff, isolated !== undefined)}`);
    const all = { ...told, ...(diff === undefined ? {} : { fs_diff: diff }) };
    await ask('world.close', { world_id: id, ...all }).catch((error: unknown) => {
      // Its network goes with the run, too.
      if (!isSublError(error)) throw error;
    });
  }
}

/** The connection by which a run hears of the next gateway. */
function sessionOf({ home }: Call, { credential }: Ticket): GatewaySession {
  const nextId = createRequestIds();
  return new GatewaySession({
    connect: () => connectOrStart({ paths: home, gatewayEntry: undefined, credential, nextId }),
    introduce: () => Promise.resolve(),
    monotonic: () => performance.now(),
  });
}
