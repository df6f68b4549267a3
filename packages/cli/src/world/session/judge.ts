import { type Away, CoreClient, GatewaySession, refusalText, type SessionWatcher } from '@subluminal/agent';
import { canonicalize, type FsDiff, newId, type SublError, type Ticket } from '@subluminal/core-types';
import { createRequestIds, type HomePaths } from '@subluminal/ipc';
import { connectOrStart } from '@subluminal/shim';
import type { ProgramsTold } from '@subluminal/worlds';

/** A command as it is judged. */
export interface JudgedCommand {
  readonly command: readonly string[];
  readonly folder: string;
}

/** The gateway's word on a command. */
export type CommandVerdict =
  | { readonly isAllowed: true; readonly spanId: string }
  | { readonly isAllowed: false; readonly reason: string };

/** How a command ended. */
export interface CommandEnd {
  readonly exit: number;
  readonly latencyMs: number;
  readonly programs: ProgramsTold;
  /** The files that changed in its world meanwhile; undefined: none, or they are not looked at. */
  readonly diff: FsDiff | undefined;
  /** Why it had a layer of its own, if the policy says so. */
  readonly isolated: string | undefined;
}

/** The names under which policies and the record know a command that runs in a world. */
const SERVER = 'world';
const TOOL = 'exec';
const FLUSH_MS = 2000;

/** No gateway, no command: its world would have no network either. */
const NOTHING_ALONE: Away = {
  patience: undefined,
  decide: () => Promise.resolve(undefined),
  end: () => false,
};

/** Asks the gateway for the commands of a run that are to run in a world, and tells it of their ends. */
export class CommandJudge {
  readonly #session: GatewaySession;
  readonly #core: CoreClient;

  constructor(home: HomePaths, ticket: Ticket, log: (line: string) => void) {
    const nextId = createRequestIds();
    this.#session = new GatewaySession({
      connect: () =>
        connectOrStart({ paths: home, gatewayEntry: undefined, credential: ticket.credential, nextId }),
      introduce: () => Promise.resolve(),
      monotonic: () => performance.now(),
    });
    this.#core = new CoreClient({
      session: this.#session,
      runId: ticket.run_id,
      shimId: newId(),
      serverName: SERVER,
      command: [TOOL],
      nextId,
      away: NOTHING_ALONE,
      log,
    });
  }

  get isConnected(): boolean {
    return this.#session.isConnected;
  }

  /** Resolves when the run has ended. */
  get over(): Promise<SublError> {
    return this.#session.over;
  }

  /** Never rejects: whatever goes wrong is a refusal. */
  async judge({ command, folder }: JudgedCommand): Promise<CommandVerdict> {
    const args = { command: [...command] };
    const verdict = await this.#core.decide({
      server_name: SERVER,
      tool_name: TOOL,
      args,
      bytes_in: Buffer.byteLength(canonicalize(args)),
      transport: 'unknown',
      via: 'world_exec',
      cwd: folder,
      call_context: undefined,
    });
    return verdict.decision === 'ALLOW'
      ? { isAllowed: true, spanId: verdict.call_id }
      : { isAllowed: false, reason: refusalText(verdict) };
  }

  ended(spanId: string, { exit, latencyMs, programs, diff, isolated }: CommandEnd): void {
    const message = 'the command failed';
    const told = { exit, ...programs, ...(isolated === undefined ? {} : { isolated }) };
    this.#core.end(spanId, {
      status: exit === 0 ? 'OK' : 'ERROR',
      latency_ms: Math.round(latencyMs),
      bytes_out: 0,
      preview: { truncated: false, result_preview: canonicalize(told) },
      ...(diff === undefined ? {} : { fs_diff: diff }),
      ...(exit === 0 ? {} : { error: { class: 'upstream_error', message, code: exit } }),
    });
  }

  /** Waits a little until what was told is recorded, and lets the gateway go. */
  async close(): Promise<void> {
    await this.#core.flush(FLUSH_MS);
    this.#session.close();
  }

  /** Tells of the next connections: a new one may be to a new gateway. */
  watch(watcher: SessionWatcher): void {
    this.#session.watch(watcher);
  }
}
