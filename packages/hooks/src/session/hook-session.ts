import {
  argsHash,
  canonicalize,
  type HookContextPayload,
  type HookEventPayload,
  isSublError,
  type JsonObject,
  sha256Hex,
} from '@subluminal/core-types';
import { refusalText, UninspectedArgs } from '@subluminal/agent';
import { isOfServer } from '../dialect/mcp-name.js';
import type { Begins, ClientTool, Dialect, Ends, Happened, Source, Told } from '../dialect/told.js';
import type { HookGateway } from './gateway.js';
import { OpenCalls, type OpenCall } from './open-calls.js';
import { endOf, givenUp } from './result.js';
import { TerminalNotices } from './terminal-notices.js';

/** Events that are told and not answered yet, at most. */
const MAX_TELLING = 64;

/** Of so many calls it is known that they were asked for; then the session has long begun. */
const MAX_BEGUN = 512;

/** The gateway is not asked for a text for so long after it has said that it tells nobody anything. */
const QUIET_MS = 10_000;

/** An event that is to be recorded first holds up its answer no longer than this. */
const RECORDED_MS = 500;

/** Claude Code tells of no call that its person refused. */
const NOT_TOLD = 'it was not made, or its end was not told';

/** Why a call is not made, and a notice for the person at the client. */
interface Refusal {
  readonly reason: string;
  readonly notice: string | undefined;
}

export interface HookSessionParts {
  readonly dialect: Dialect;
  readonly gateway: HookGateway;
  /** Whether a call of that tool is made while no gateway decides it. */
  readonly whenAway: (tool: string) => 'block' | 'pass';
  /** Whether the client shows its person that a question waits. */
  readonly tellsTerminal: () => boolean;
  /** How much of a call is inspected, in bytes. */
  readonly maxInspectBytes: () => number;
  readonly monotonic: () => number;
  readonly log: (line: string) => void;
}

/** The hooks of one client in one run: asks for every call that it makes itself, and tells what happens. */
export class HookSession {
  readonly #parts: HookSessionParts;
  readonly #open = new OpenCalls();
  readonly #notices: TerminalNotices;
  /** The first calls that were asked for, by the client's ids of them. */
  readonly #begun = new Set<string>();
  /** The routed servers, as the gateway said last. */
  #routed: readonly string[] = [];
  #telling = 0;
  #quietUntil = Number.NEGATIVE_INFINITY;
  #untold = 0;

  constructor(parts: HookSessionParts) {
    this.#parts = parts;
    this.#notices = new TerminalNotices(parts.tellsTerminal, parts.monotonic);
  }

  /** The answer to one event, of `bytes` bytes; undefined for what this client does not send. */
  async answer(body: JsonObject, bytes: number): Promise<JsonObject | undefined> {
    const told = this.#parts.dialect.read(body);
    return told === undefined ? undefined : this.answerTo(told, bytes);
  }

  /** The same for an event that was read. */
  async answerTo(told: Told, bytes: number): Promise<JsonObject> {
    const { dialect } = this.#parts;
    if (told.kind === 'begins') {
      const refusal = await this.#begins(told, bytes);
      return refusal === undefined ? dialect.pass() : dialect.refuse(refusal.reason, refusal.notice);
    }
    const recorded = told.kind === 'ends' ? this.#ends(told) : this.#happened(told);
    const text = await this.#textAt(told, recorded);
    return dialect.pass(text === undefined ? undefined : { event: told.event, text });
  }

  /** A text for the agent, in the answer to this event; undefined for none. */
  async #textAt(told: Ends | Happened, recorded: Promise<void>): Promise<string | undefined> {
    const { dialect, gateway } = this.#parts;
    if (!dialect.takesContext.has(told.event) || this.#now < this.#quietUntil) return undefined;
    const { agentId, session } = told.source;
    const of: HookContextPayload = {
      via: dialect.via,
      ...(session === undefined ? {} : { session_id: session }),
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      ...(told.kind === 'ends' ? { tool_use_id: told.id, status: told.status } : {}),
    };
    await inTime(recorded);
    const { steers, text } = await gateway.context(of);
    if (!steers) this.#quietUntil = this.#now + QUIET_MS;
    return text;
  }

  /** The answer to a call that could not be judged. */
  refuse(reason: string): JsonObject {
    return this.#parts.dialect.refuse(reason);
  }

  /** Tells an event that needs no answer, and waits until it is recorded. @throws SublError */
  async told(body: JsonObject): Promise<void> {
    const told = this.#parts.dialect.read(body);
    if (told?.kind !== 'happened') return;
    await this.#parts.gateway.tell(this.#eventOf(told.source, told.event, told.facts));
  }

  /** The client is gone: nothing more is told of its calls. */
  over(): void {
    for (const call of this.#open.takeEvery()) this.#giveUp(call, 'the client ended before the call did');
  }

  /** Why a call is not made; undefined where nothing is said against it. */
  async #begins(told: Begins, bytes: number): Promise<Refusal | undefined> {
    const { id, input, mode, source, tool } = told;
    if (this.#begun.size < MAX_BEGUN) this.#begun.add(id);
    if (tool.isMcp && (await this.#isRouted(tool))) {
      void this.#tellOf(told, 'PreToolUse', { linked: true }, {});
      return undefined;
    }
    const isLarge = bytes > this.#parts.maxInspectBytes();
    const verdict = await this.#parts.gateway.core.decide({
      server_name: tool.server,
      tool_name: tool.name,
      args: isLarge ? uninspected(input) : input,
      bytes_in: bytes,
      transport: 'unknown',
      via: this.#parts.dialect.via,
      cwd: source.cwd,
      call_context: contextOf(source, id, mode),
    });
    if (verdict.decision !== 'ALLOW') {
      const isAway = verdict.details.reason_code === 'GATEWAY_UNREACHABLE';
      if (isAway && this.#parts.whenAway(tool.name) === 'pass') return undefined;
      return { reason: refusalText(verdict), notice: this.#notices.of(verdict) };
    }
    const call = {
      callId: verdict.call_id,
      source,
      inputHash: verdict.args_hash ?? argsHash(input),
      startedAt: this.#now,
    };
    for (const old of this.#open.add(id, call)) this.#giveUp(old, NOT_TOLD);
    return undefined;
  }

  /** Resolves when the event is recorded, if that has to be waited for. */
  #ends(told: Ends): Promise<void> {
    const { event, id, input, source, tool } = told;
    const call = this.#open.take(source, id);
    if (call === undefined) {
      // Of a call whose message passes the gateway, or of one that was never asked for.
      const isLinked = tool.isMcp && this.#knows(tool);
      const unguarded = !isLinked && this.#isUnguarded(id) ? { unguarded_start: true } : {};
      return this.#tellOf(told, event, isLinked ? { linked: true } : {}, {
        status: told.status,
        ...unguarded,
      });
    }
    // Another hook may have changed what was judged.
    const hash = input === undefined ? call.inputHash : argsHash(input);
    if (hash !== call.inputHash) void this.#tellOf(told, event, {}, { input_changed: true, args_hash: hash });
    this.#parts.gateway.core.end(call.callId, endOf(told, this.#now - call.startedAt));
    return RECORDED;
  }

  /** The client made the call before we could be asked. */
  #isUnguarded(id: string): boolean {
    const { waitsForHooks } = this.#parts.dialect;
    return !waitsForHooks && this.#begun.size < MAX_BEGUN && !this.#begun.has(id);
  }

  #happened({ closes, event, facts, id, source }: Happened): Promise<void> {
    const named = id === undefined ? {} : { tool_use_id: id };
    const recorded = this.#tell({ ...this.#eventOf(source, event, facts), ...named });
    if (closes === 'call') {
      const call = id === undefined ? undefined : this.#open.take(source, id);
      if (call !== undefined) this.#giveUp(call, 'the client did not make the call');
    } else if (closes !== 'nothing') {
      for (const call of this.#open.takeAll(source, closes)) this.#giveUp(call, NOT_TOLD);
    }
    return recorded;
  }

  /** Asked for each call: a server of which a call went unseen is not routed any more. */
  async #isRouted(tool: ClientTool): Promise<boolean> {
    this.#routed = await this.#parts.gateway.routes();
    return this.#knows(tool);
  }

  #knows(tool: ClientTool): boolean {
    return this.#routed.some((name) => isOfServer(tool, name));
  }

  #giveUp({ callId, startedAt }: OpenCall, why: string): void {
    this.#parts.gateway.core.end(callId, givenUp(this.#now - startedAt, why));
  }

  #tellOf(
    { id, source, tool }: Begins | Ends,
    event: string,
    more: Pick<HookEventPayload, 'linked'>,
    facts: JsonObject,
  ): Promise<void> {
    const of = { tool_use_id: id, server_name: tool.server, tool_name: tool.name, ...more };
    return this.#tell({ ...this.#eventOf(source, event, facts), ...of });
  }

  #eventOf({ session, agentId, agentType }: Source, event: string, facts: JsonObject): HookEventPayload {
    return {
      via: this.#parts.dialect.via,
      event,
      ...(session === undefined ? {} : { session_id: session }),
      ...(agentId === undefined ? {} : { agent_id: agentId }),
      ...(agentType === undefined ? {} : { agent_type: agentType }),
      facts,
    };
  }

  /** The client need not wait for it. Never rejects. */
  #tell(event: HookEventPayload): Promise<void> {
    if (this.#telling >= MAX_TELLING) {
      this.#lose('too many events at once');
      return RECORDED;
    }
    this.#telling += 1;
    return this.#parts.gateway
      .tell(event)
      .catch((error: unknown) => {
        if (!isSublError(error)) throw error;
        this.#lose(error.message);
      })
      .finally(() => {
        this.#telling -= 1;
      });
  }

  #lose(why: string): void {
    this.#untold += 1;
    if (this.#untold === 1) this.#parts.log(`an event of a client was not recorded: ${why}`);
  }

  get #now(): number {
    return this.#parts.monotonic();
  }
}

const RECORDED = Promise.resolve();

async function inTime(recorded: Promise<void>): Promise<void> {
  if (recorded === RECORDED) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, RECORDED_MS);
  });
  await Promise.race([recorded, late]);
  clearTimeout(timer);
}

/** The words of the client besides the arguments. A member `session_id` would be taken for a credential. */
function contextOf(
  { session, agentId, agentType }: Source,
  id: string,
  mode: string | undefined,
): JsonObject {
  return {
    tool_use_id: id,
    ...(session === undefined ? {} : { session }),
    ...(agentId === undefined ? {} : { agent_id: agentId }),
    ...(agentType === undefined ? {} : { agent_type: agentType }),
    ...(mode === undefined ? {} : { permission_mode: mode }),
  };
}

function uninspected(input: JsonObject): UninspectedArgs {
  const text = canonicalize(input);
  return new UninspectedArgs(sha256Hex(text), Buffer.byteLength(text), Object.keys(input).slice(0, 256));
}
