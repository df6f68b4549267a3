import {
  errorOf,
  type ActionResponse,
  canonicalize,
  isJsonObject,
  type JsonValue,
} from '@subluminal/core-types';
import { hasPanicMark } from '@subluminal/ipc';
import {
  type Away,
  type CallEnd,
  type GatewaySession,
  type SessionWatcher,
  type ToolCall,
  UninspectedArgs,
} from '@subluminal/agent';
import type { AwayEngine } from './engine.js';
import type { AwayOptions } from './options.js';

/** Sends one request on a connection. */
export type Ask = (action: string, payload: unknown) => Promise<ActionResponse>;

/** A gateway that has not decided a call in so long does not answer. */
const PATIENCE = { timeoutMs: 10_000 } as const;

/**
 * The decisions of a shim while no gateway answers, where the policy wants reads to go on
 * (`fail_open_read_tools`). Until a gateway sends a snapshot nothing of it is loaded: the policy engine costs
 * a start and memory that no other shim needs.
 */
export class AwayGuard implements Away, SessionWatcher {
  readonly #options: AwayOptions;
  #engine: AwayEngine | undefined;
  /** Pushes are taken in their order, and behind the loading of the engine. */
  #turn: Promise<unknown> = Promise.resolve();
  #connections = 0;
  #closed = false;
  /** Looks for a gateway as long as this watches it. */
  #session: Pick<GatewaySession, 'watch' | 'unwatch'> | undefined;
  #watches = false;
  #deliver: (callId: string, end: CallEnd) => void = () => undefined;

  constructor(options: AwayOptions) {
    this.#options = options;
  }

  /** `deliver` reports ends that came when the calls were no longer this guard's. */
  connectWith(
    session: Pick<GatewaySession, 'watch' | 'unwatch'>,
    deliver: (callId: string, end: CallEnd) => void,
  ): void {
    this.#session = session;
    this.#deliver = deliver;
  }

  /** The spool has gone already, in `introduce`. */
  connected(): void {}

  over(): void {}

  /** Takes what the gateway pushes; anything that is not for a guard is none of its business. */
  onPush(event: JsonValue): void {
    if (!isJsonObject(event)) return;
    const { type } = event;
    // A gateway that goes right behind the run does not leave it reads.
    if (type === 'run_ended') this.#after(async () => this.#engine?.drop());
    if (typeof type !== 'string' || !type.startsWith('snapshot')) return;
    if (this.#engine === undefined && type !== 'snapshot') return;
    this.#after(async () => {
      this.#engine ??= await this.#load();
      this.#engine.take(canonicalize(event));
    });
  }

  /**
   * How long an answer is waited for while something else can be done than waiting; undefined: as long as
   * ever.
   */
  get patience(): { readonly timeoutMs: number } | undefined {
    return this.#engine?.holds === true ? PATIENCE : undefined;
  }

  /**
   * A new connection: a gateway answers, so that nothing is decided here any more. The spool is handed over
   * before anything else is asked. On the first connection there is nothing to say.
   *
   * @throws SublError where a gateway answers and does not take it in: it has to be asked again.
   */
  async introduce(ask: Ask): Promise<void> {
    this.#connections += 1;
    await this.#turn;
    this.#engine?.drop();
    if (this.#connections === 1) return;
    const { shimId: shim_id, serverName: server_name } = this.#options;
    const spool = this.#engine?.handOver();
    let answer: ActionResponse;
    try {
      answer = await ask('spool.ingest', { shim_id, server_name, ...(spool === undefined ? {} : { spool }) });
    } catch (error) {
      this.#engine?.keep();
      throw error;
    }
    if (spool === undefined) return;
    if (!isConcluded(answer)) {
      this.#engine?.keep();
      throw errorOf(answer);
    }
    if (answer.status !== 'success')
      this.#options.log(`what was done alone was refused: ${answer.error?.message}`);
    for (const { callId, end } of this.#engine?.handedOver() ?? []) this.#deliver(callId, end);
    this.#watch(false);
  }

  /**
   * The id under which a call may be made alone; undefined where it may not. `asked`: under which the gateway
   * was asked.
   */
  async decide(call: ToolCall, asked: string): Promise<string | undefined> {
    await this.#turn;
    // The operator who stopped everything may have found no gateway that could tell us.
    if (this.#closed || hasPanicMark(this.#options.panicMark)) return undefined;
    const { args, tool_name, bytes_in } = call;
    if (this.#engine === undefined || args instanceof UninspectedArgs) return undefined;
    const argsText = canonicalize(args);
    // It would be written down, and a spool is a file.
    const { holdsSecret } = this.#options;
    if (holdsSecret !== undefined && [tool_name, argsText].some(holdsSecret)) return undefined;
    const callId = this.#engine.decide({ asked, tool_name, args_text: argsText, bytes_in });
    if (callId !== undefined) this.#watch(true);
    return callId;
  }

  /** Takes the end of a call that was decided here; false for any other. */
  end(callId: string, end: CallEnd): boolean {
    return this.#engine?.end(callId, end) ?? false;
  }

  /** The session is over. The spool stays for the gateway to find. */
  close(): void {
    this.#closed = true;
    this.#watch(false);
  }

  #watch(watches: boolean): void {
    if (watches === this.#watches) return;
    this.#watches = watches;
    if (watches) this.#session?.watch(this);
    else this.#session?.unwatch(this);
  }

  async #load(): Promise<AwayEngine> {
    const { AwayEngine: Engine } = await import('./engine.js');
    return new Engine(this.#options);
  }

  #after(work: () => Promise<void>): void {
    this.#turn = this.#turn.then(work).catch((error: unknown) => {
      this.#options.log(
        `a snapshot could not be used: ${error instanceof Error ? error.message : 'unknown'}`,
      );
    });
  }
}

/** Whether the gateway has said what became of a spool, for better or worse. */
function isConcluded({ status, data }: ActionResponse): boolean {
  if (status === 'success') return true;
  return isJsonObject(data) && typeof data['outcome'] === 'string';
}
