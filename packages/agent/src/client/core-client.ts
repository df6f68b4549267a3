import {
  type ActionResponse,
  errorOf,
  isJsonObject,
  isSublError,
  type JsonValue,
  NO_VALUES,
  type ProcessIdentity,
  type SublError,
} from '@subluminal/core-types';
import { CanonicalText, readProxyTold, type ProxyTold } from '@subluminal/ipc';
import { AskWindow } from './ask-window.js';
import { type Away, isAway } from './away.js';
import type {
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
import { decisionDataOf, policyTold } from './decision-shape.js';
import { DroppedMessages } from './dropped-messages.js';
import type { GatewaySession } from './gateway-session.js';
import { HeldEnds } from './held-ends.js';
import { ListedTools } from './listed-tools.js';
import { beginText } from './request-text.js';
import { Verdicts } from './verdicts.js';

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
  readonly #verdicts: Verdicts;
  readonly #ends: HeldEnds;
  readonly #dropped: DroppedMessages;

  constructor(options: CoreClientOptions) {
    this.#options = options;
    this.#listed = new ListedTools(options);
    this.#verdicts = new Verdicts(options.runId);
    this.#ends = new HeldEnds(options);
    this.#dropped = new DroppedMessages(this.#ends.reports, options.shimId, options.serverName);
  }

  onPush(event: JsonValue): void {
    this.#verdicts.onPush(event);
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
    const ends = this.#ends.take();
    let payload: CanonicalText;
    try {
      payload = new CanonicalText(beginText(call, { callId, shimId: this.#options.shimId, ends }));
    } catch (error) {
      if (!isSublError(error)) throw error;
      this.#ends.report(ends);
      return Promise.resolve(this.#unanswered(callId, call, error));
    }
    this.#ends.carry(ends);
    const { away, session } = this.#options;
    return session.request('tool.call.begin', payload, true, away.patience).then(
      (answer) => {
        const found = decisionDataOf(answer.data);
        if (found === undefined) this.#ends.undelivered(ends, false);
        else this.#ends.delivered(ends);
        return this.#verdicts.answered(callId, call, answer, found);
      },
      (error: unknown) => {
        if (!isSublError(error)) throw error;
        this.#ends.undelivered(ends, isAway(error));
        return isAway(error) ? this.#alone(callId, call, error) : this.#unanswered(callId, call, error);
      },
    );
  }

  end(callId: string, end: CallEnd): void {
    if (!this.#options.away.end(callId, end)) this.#ends.hold(callId, end);
  }

  dropped(message: DroppedMessage): void {
    this.#dropped.add(message);
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
    const policy = policyTold(answer.data);
    if (policy !== undefined) this.#verdicts.decidesBy(policy);
    return { proxy: readProxyTold(answer.data), maxInspectBytes: inspectTold(answer.data) };
  }

  /** Resolves when all calls that were asked for are decided. */
  decided(): Promise<void> {
    return this.#window.idle();
  }

  /** Reports that nothing of the upstream is left; does not wait. */
  upstreamEnd(token: string, exit: { readonly code: number | null; readonly signal: string | null }): void {
    const { shimId } = this.#options;
    this.#ends.send();
    const { code: exit_code, signal } = exit;
    this.#ends.reports.add('upstream.end', { shim_id: shimId, token, exit_code, signal });
  }

  /** Waits until all reports are answered, as `HeldEnds.flush` does. */
  flush(timeoutMs: number): Promise<void> {
    this.#ends.send();
    if (!this.#options.session.isConnected) this.#options.session.lookNow();
    return this.#ends.flush(timeoutMs);
  }

  /** No gateway answers: only what its last snapshot lets through is made, under an id of its own. */
  async #alone(callId: string, call: ToolCall, error: SublError): Promise<Verdict> {
    const { away, session } = this.#options;
    const own = await away.decide(call, callId);
    if (own === undefined) return this.#unanswered(callId, call, error);
    // One that hangs is as good as gone: it is asked again only on a new connection, which tells it what was
    // done.
    if (error.code === 'timed_out') session.drop();
    return this.#verdicts.allowed(own);
  }

  #unanswered(callId: string, call: ToolCall, error: SublError): Refused {
    if (isAway(error)) this.#options.log(`${error.message}; the call of \`${call.tool_name}\` was refused`);
    return this.#verdicts.unanswered(callId, call, error);
  }
}

function inspectTold(data: ActionResponse['data']): number | undefined {
  const bytes = isJsonObject(data) ? data['max_inspect_bytes'] : undefined;
  return typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}
