import { CoreClient, GatewaySession, joinRun, runLabels, type Away } from '@subluminal/agent';
import { type Credential, newId } from '@subluminal/core-types';
import { type Dialect, hookGateway, HookSession } from '@subluminal/hooks';
import {
  ancestors,
  assertHome,
  createRequestIds,
  type GatewayClient,
  type HomePaths,
  processIdentity,
  processName,
} from '@subluminal/ipc';
import { connectOrStart, startGateway } from '@subluminal/shim';

/** How much of a call is inspected, in bytes, where no gateway has said otherwise. */
const MAX_INSPECT = 1_048_576;

export interface AgentSessionParts {
  readonly home: HomePaths;
  /** The gateway's program, to start one where none runs; undefined: do not start one. */
  readonly gatewayEntry: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly dialect: Dialect;
  /** Tools that are not called while no gateway answers. */
  readonly blockedWhenAway: readonly string[];
  readonly log: (line: string) => void;
}

/** The hooks of the client that this process stands below, in its run. */
export interface AgentHooks {
  readonly hooks: HookSession;
  readonly core: CoreClient;
  readonly session: GatewaySession;
}

/** Codex waits for 15 s, and then makes the call: a late decision is a refusal before that. */
const DECIDE_MS = 10_000;

/** Nothing is decided here: the client's own configuration says what is done without a gateway. */
const NOTHING_ALONE: Away = {
  patience: { timeoutMs: DECIDE_MS },
  decide: () => Promise.resolve(undefined),
  end: () => false,
};

/** Joins the run of the client that this process stands below. @throws SublError as a shim does */
export async function openAgentHooks(parts: AgentSessionParts): Promise<AgentHooks> {
  const { home, gatewayEntry, env, dialect, log } = parts;
  assertHome(home);
  const nextId = createRequestIds();
  const reach = (credential: Credential, mayStart: boolean): Promise<GatewayClient> =>
    connectOrStart({ paths: home, gatewayEntry: mayStart ? gatewayEntry : undefined, credential, nextId });
  const ticket = await joinRun({
    paths: home,
    labels: runLabels(env, processName(process.ppid), process.cwd()),
    joins: processIdentity(process.pid),
    lineage: ancestors(),
    connect: (credential) => reach(credential, true),
    ensureGateway: async () => {
      if (gatewayEntry !== undefined) await startGateway({ paths: home, entry: gatewayEntry });
    },
    log,
  });
  const monotonic = (): number => performance.now();
  const session = new GatewaySession({
    connect: (mayStart) => reach(ticket.credential, mayStart),
    introduce: () => Promise.resolve(),
    monotonic,
  });
  const core = new CoreClient({
    session,
    runId: ticket.run_id,
    shimId: newId(),
    serverName: dialect.via,
    command: [dialect.via],
    nextId,
    away: NOTHING_ALONE,
    log,
  });
  const hooks = new HookSession({
    dialect,
    gateway: hookGateway(session, core),
    whenAway: (tool) => (parts.blockedWhenAway.includes(tool) ? 'block' : 'pass'),
    tellsTerminal: () => false,
    maxInspectBytes: () => MAX_INSPECT,
    monotonic,
    log,
  });
  return { hooks, core, session };
}
