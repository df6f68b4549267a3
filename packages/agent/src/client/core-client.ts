import {
  errorOf,
  NO_VALUES,
  type ActionResponse,
  argsHash,
  type Decision,
  isJsonObject,
  isSublError,
  type JsonValue,
  MAX_CARRIED_ENDS,
  type PolicyRef,
  type ProcessIdentity,
  startOf,
  type SublError,
} from '@subluminal/core-types';
import { CanonicalText, readProxyTold, type ProxyTold } from '@subluminal/ipc';
import { AskWindow } from './ask-window.js';
import type { Away } from './away.js';
import type {
  Allowed,
  CallEnd,
  Core,
  DroppedMessage,
  ListedPage,
  ListVerdict,
  Refused,
  ToolCall,
  Verdict,
} from './contract.js';
import { UninspectedArgs } from './contract.js';
import { type DecisionData, decisionDataOf, policyTold } from './decision-shape.js';
import { EndedRun } from './ended-run.js';
import type { GatewaySession } from './gateway-session.js';
import { ListedTools } from './listed-tools.js';
import { MAX_REPORTS, Reports } from './reports.js';
import { beginText, endText } from './request-text.js';

const MAX_DROP_REPORTS = 32;
/** How long the end of a call waits for a next call to travel with, in milliseconds. */
const HOLD_MS = 5;
/** How often the end waits once more for reports, as long as some of them are answered meanwhile. */
const FLUSHES = 5;

/** After these the run is over, and with it the session. */
const RUN_OVER = ['handshake_refused', 'run_ended', 'run_terminated'] as const;

const NO_POLICY = { policy_id: '', policy_version: '', policy_hash: '' };

/** The server that is about to be started. */
export interface UpstreamBegin {
  readonly token: string;
  /** SHA-256 of the canonical JSON of program and arguments. */
  readonly argvHash: string;
  readonly shim: ProcessIdentity;
  /** The folder in which the server starts, unless it gets secrets. */
  readonly cwd: string;
}

/** The gateway's word on a server that is about to be started. */
export interface UpstreamTold {
  readonly proxy: ProxyTold | undefined;
  /** `[inspect] max_inspect_bytes`; undefined where it does not say. */
  readonly maxInspectBytes: number | undefined;
}

export interface CoreClientOptions {
  readonly session: GatewaySession;
  readonly runId: string;
  readonly shimId: string;
  readonly serverName: string;
  /** The MCP server: program and arguments. */
  readonly command: readonly string[];
  readonly nextId: () => string;
  /** Decides what may be made while no gateway answers. */
  readonly away: Away;
  /** Tells the operator, on the shim's stderr, what the protocol has no place for. */
  readonly log: (line: string) => void;
}

/**
 * Asks the gateway for every decision and reports every end, and knows nothing of the protocol. It decides
 * nothing itself, except that no answer is no permission.
 */
export class CoreClient implements Core {
  readonly values = NO_VALUES;
  readonly #options: CoreClientOptions;
  readonly #listed: ListedTools;
  readonly #window = new AskWindow();
  readonly #ended = new EndedRun();
  /** By which the gateway decided last. */
  #policy: PolicyRef = NO_POLICY;
  /** Ends as canonical texts. */
  #heldEnds: string[] = [];
  #heldTimer: NodeJS.Timeout | undefined;
  readonly #reports: Reports;
  /** Requests that carry reports and are not answered yet. */
  #carrying = 0;
  #idleWaiters: (() => void)[] = [];
  #dropReports = 0;
  /** Dropped messages that found no place among those, by what they were: as many as there are reasons. */
  readonly #uncounted = new Map<string, { readonly message: DroppedMessage; readonly count: number }>();
  #timeoutMs: number | undefined;
  #lost = 0;

  constructor(options: CoreClientOptions) {
    this.#options = options;
    this.#listed = new ListedTools(options);
    this.#reports = new Reports({
      session: options.session,
      nextId: options.nextId,
      onIdle: () => this.#settled(),
      onLost: (why) => this.#lose(why),
    });
  }

  /** Takes events that the gateway sends unasked. */
  onPush(event: JsonValue): void {
    this.#ended.onPush(event);
  }

  listed(page: ListedPage): Promise<ListVerdict> {
    return this.#listed.judge(page);
  }

  decide(call: ToolCall): Promise<Verdict> {
    const bytes = call.args instanceof UninspectedArgs ? 0 : call.bytes_in;
    return this.#window.run(bytes, () => this.#ask(call));
  }

  #ask(call: ToolCall): Promise<Verdict> {
    const callId = this.#options.nextId();
    const ends = this.#takeEnds();
    let payload: CanonicalText;
    try {
      payload = new CanonicalText(beginText(call, { callId, shimId: this.#options.shimId, ends }));
    } catch (error) {
      if (!isSublError(error)) throw error;
      this.#reportEnds(ends);
      return Promise.resolve(this.#unanswered(callId, call, error));
    }
    if (ends.length > 0) this.#carrying += 1;
    const { away, session } = this.#options;
    return session.request('tool.call.begin', payload, true, away.patience).then(
      (answer) => {
        const found = decisionDataOf(answer.data);
        // Ends that travelled with a request which got no decision were not recorded with it.
        if (ends.length > 0) this.#carried(found === undefined ? ends : [], false);
        return this.#verdict(callId, call, answer, found);
      },
      (error: unknown) => {
        if (!isSublError(error)) throw error;
        if (ends.length > 0) this.#carried(ends, isAway(error));
        return isAway(error) ? this.#alone(callId, call, error) : this.#unanswered(callId, call, error);
      },
    );
  }

  end(callId: string, end: CallEnd): void {
    if (this.#options.away.end(callId, end)) return;
    if (this.#reports.size + this.#carrying + this.#heldEnds.length >= MAX_REPORTS) {
      this.#lose('too many calls ended at once');
      return;
    }
    try {
      this.#heldEnds.push(endText(callId, end));
    } catch (error) {
      if (!isSublError(error)) throw error;
      this.#lose(error.message);
      return;
    }
    this.#heldTimer ??= setTimeout(() => this.#sendEnds(), HOLD_MS);
  }

  dropped(message: DroppedMessage): void {
    if (this.#dropReports < MAX_DROP_REPORTS) {
      this.#reportDrop(message);
      return;
    }
    const { direction, reason, bytes } = message;
    const { count = 0, message: first } = this.#uncounted.get(`${direction} ${reason}`) ?? {};
    const all = {
      direction,
      reason,
      bytes: (first?.bytes ?? 0) + bytes,
      method: undefined,
      streamHash: undefined,
    };
    this.#uncounted.set(`${direction} ${reason}`, { message: all, count: count + 1 });
  }

  #reportDrop(message: DroppedMessage, count?: number): void {
    this.#dropReports += 1;
    const { direction, reason, bytes, method, streamHash } = message;
    const payload = {
      shim_id: this.#options.shimId,
      server_name: this.#options.serverName,
      direction,
      reason,
      bytes,
      ...(method === undefined ? {} : { method: startOf(method, 256) }),
      ...(streamHash === undefined ? {} : { stream_hash: streamHash }),
      ...(count === undefined ? {} : { count }),
    };
    this.#reports.add('message.dropped', payload, {
      onDone: () => {
        this.#dropReports -= 1;
        for (const [key, more] of this.#uncounted) {
          this.#uncounted.delete(key);
          this.#reportDrop(more.message, more.count);
          return;
        }
      },
    });
  }

  /**
   * Tells the gateway which server is about to be started, and waits until that is recorded. From then on the
   * gateway ends every process that carries the token when this process is gone. Gives the address of its
   * proxy, and how much of a message is inspected. Throws the gateway's refusal, or `gateway_unreachable`.
   */
  async upstreamBegin(begin: UpstreamBegin): Promise<UpstreamTold> {
    const { shimId, serverName } = this.#options;
    const payload = {
      shim_id: shimId,
      proc_id: `${begin.shim.pid}-${begin.shim.start}`,
      server_name: serverName,
      argv_hash: begin.argvHash,
      token: begin.token,
      shim: begin.shim,
      cwd: begin.cwd,
    };
    const answer = await this.#options.session.request('upstream.begin', payload, true);
    if (answer.status !== 'success') throw errorOf(answer);
    this.#policy = policyTold(answer.data) ?? this.#policy;
    return { proxy: readProxyTold(answer.data), maxInspectBytes: inspectTold(answer.data) };
  }

  /** Reports that nothing of the upstream is left; does not wait. */
  upstreamEnd(token: string, exit: { readonly code: number | null; readonly signal: string | null }): void {
    const { shimId } = this.#options;
    this.#sendEnds();
    this.#reports.add('upstream.end', { shim_id: shimId, token, exit_code: exit.code, signal: exit.signal });
  }

  /**
   * Waits until all reports are answered, at most `timeoutMs`, and as long again while some are (a gateway
   * may let a run wait), five times at most; what is not answered by then is lost.
   */
  async flush(timeoutMs: number): Promise<void> {
    this.#sendEnds();
    if (!this.#options.session.isConnected) this.#options.session.lookNow();
    let before = Number.POSITIVE_INFINITY;
    for (let waits = 0; waits < FLUSHES && this.#open < before; waits += 1) {
      before = this.#open;
      await this.#idleOrLate(timeoutMs);
    }
    const left = this.#reports.size;
    if (left > 0 || this.#lost > 1)
      this.#options.log(`reports that could not be delivered to the gateway: ${this.#lost + left}`);
  }

  /**
   * An end waits a moment for the next call, which an agent often makes at once: both are then one request
   * and one write to the disk, instead of the call waiting for the write of the end.
   */
  #takeEnds(): string[] {
    if (this.#heldEnds.length > MAX_CARRIED_ENDS) return this.#heldEnds.splice(0, MAX_CARRIED_ENDS);
    return this.#takeAllEnds();
  }

  #takeAllEnds(): string[] {
    const ends = this.#heldEnds;
    this.#heldEnds = [];
    if (this.#heldTimer !== undefined) clearTimeout(this.#heldTimer);
    this.#heldTimer = undefined;
    return ends;
  }

  /** Ends that no call came for in time. */
  #sendEnds(): void {
    this.#reportEnds(this.#takeAllEnds());
  }

  #reportEnds(ends: readonly string[], isAgain = false): void {
    for (const text of ends) this.#reports.add('tool.call.end', new CanonicalText(text), { isAgain });
  }

  /** A request with ends is over; `left` are those that it may not have delivered. */
  #carried(left: readonly string[], isAgain: boolean): void {
    this.#carrying -= 1;
    this.#reportEnds(left, isAgain);
    this.#settled();
  }

  /** ALLOW needs both: an answer of success, and a decision that says so. */
  #verdict(callId: string, call: ToolCall, answer: ActionResponse, found: DecisionData | undefined): Verdict {
    const allows = found?.decision.action === 'ALLOW';
    if (found !== undefined) this.#policy = found.policy;
    if (allows && answer.status === 'success') {
      this.#timeoutMs = found.timeoutMs;
      const allowed = this.#allowed(callId);
      return call.args instanceof UninspectedArgs ? allowed : { ...allowed, args_hash: found.argsHash };
    }
    const code = answer.error?.code ?? 'failed';
    const over = RUN_OVER.some((candidate) => candidate === code);
    if (found === undefined || allows) {
      const details = over ? this.#ended.answer(code) : blocked(code.toUpperCase(), summaryOf(answer));
      return this.#refusal(callId, call, details, {
        over,
        auditRef: answer.auditRef,
      });
    }
    const { decision, argsHash: hash } = found;
    this.#ended.decided(decision);
    const ends = over || decision.action === 'TERMINATE_RUN';
    const known = { over: ends, auditRef: answer.auditRef, hash };
    return this.#refusal(callId, call, decision, known);
  }

  /** No gateway answers: only what its last snapshot lets through is made, under an id of its own. */
  async #alone(callId: string, call: ToolCall, error: SublError): Promise<Verdict> {
    const { away, session } = this.#options;
    const own = await away.decide(call, callId);
    if (own === undefined) return this.#unanswered(callId, call, error);
    // One that hangs is as good as gone: it is asked again only on a new connection, which tells it what was
    // done.
    if (error.code === 'timed_out') session.drop();
    return this.#allowed(own);
  }

  /** The gateway's last word on how long calls may take holds while none answers, too. */
  #allowed(callId: string): Allowed {
    const timeout = this.#timeoutMs === undefined ? {} : { timeout_ms: this.#timeoutMs };
    return { decision: 'ALLOW', call_id: callId, ...timeout };
  }

  #unanswered(callId: string, call: ToolCall, error: SublError): Refused {
    if (RUN_OVER.some((code) => code === error.code)) {
      return this.#refusal(callId, call, this.#ended.answer(error.code), { over: true });
    }
    // A gateway that is there and slow is not away: a flood makes nothing pass.
    const away = error.code === 'gateway_unreachable';
    const decision = away
      ? blocked('GATEWAY_UNREACHABLE', 'no gateway decided this call, so it was not made')
      : blocked(error.code.toUpperCase(), withAdvice(error.code, error.message, error.help));
    if (isAway(error)) this.#options.log(`${error.message}; the call of \`${call.tool_name}\` was refused`);
    return this.#refusal(callId, call, decision, { over: false });
  }

  #refusal(
    callId: string,
    call: ToolCall,
    details: Decision,
    known: { over: boolean; auditRef?: string; hash?: string },
  ): Refused {
    const { action } = details;
    return {
      decision: action === 'ALLOW' ? 'BLOCK' : action,
      call_id: callId,
      run_id: this.#options.runId,
      details,
      policy: this.#policy,
      args_hash: known.hash ?? hashOf(call),
      audit_ref: known.auditRef === undefined || known.auditRef === '' ? undefined : known.auditRef,
      ends_session: known.over,
    };
  }

  #settled(): void {
    if (this.#isIdle) for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  get #isIdle(): boolean {
    return this.#open === 0;
  }

  /** Requests with reports that are not answered. */
  get #open(): number {
    return this.#carrying + this.#reports.size;
  }

  async #idleOrLate(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([this.#idle(), late]);
    clearTimeout(timer);
  }

  /** Resolves when all reports are answered. */
  #idle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** A report that did not arrive: the gateway closes the entry as interrupted. Said once, not for each. */
  #lose(why: string): void {
    this.#lost += 1;
    if (this.#lost === 1) this.#options.log(`a report could not be delivered to the gateway: ${why}`);
  }
}

function inspectTold(data: ActionResponse['data']): number | undefined {
  const bytes =
    data !== undefined && data !== null && isJsonObject(data) ? data['max_inspect_bytes'] : undefined;
  return typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}

/** No answer came. A gateway that refuses is not away, and an ended run is not either. */
function isAway({ code }: SublError): boolean {
  return code === 'gateway_unreachable' || code === 'timed_out';
}

function hashOf(call: ToolCall): string {
  return call.args instanceof UninspectedArgs ? call.args.streamHash : argsHash(call.args);
}

function blocked(reasonCode: string, summary: string): Decision {
  return { action: 'BLOCK', rule_id: null, severity: 'critical', reason_code: reasonCode, summary };
}

function summaryOf({ error }: ActionResponse): string {
  return error === undefined
    ? 'the gateway gave no decision'
    : withAdvice(error.code, error.message, error.help);
}

/** The people in front of the client have to do something about two versions that do not fit. */
function withAdvice(code: string, message: string, help: string | undefined): string {
  return code === 'version_mismatch' && help !== undefined ? `${message}; ${help}` : message;
}
