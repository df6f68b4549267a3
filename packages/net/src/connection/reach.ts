import { isSublError, SublError, type GatewayConfig, type PayloadOf } from '@subluminal/core-types';
import { type Destination, parseDestination, parseEndpoint } from '@subluminal/egress';
import type { EntryInput } from '@subluminal/ledger';
import type { Allowlist } from '../allowlist/allowlist.js';
import {
  type ActionOf,
  type Call,
  type Executed,
  type HeaderSecrets,
  type HoldParts,
  type Passed,
  REACHES_NOTHING,
  type Reached,
  type RecordedSteps,
  type Refusal,
  type ServerClaims,
  type SettleParts,
  type Settled,
  decidedData,
  listed,
  notListed,
  pendingEntry,
  refuseFor,
  settle,
  shownOrigin,
  stillHolds,
  success,
} from '@subluminal/gateway';
import type { HeaderRelease, Releasing } from './header-release.js';

export interface ReachParts extends SettleParts, HoldParts {
  readonly allowlist: Pick<Allowlist, 'find' | 'generation'>;
  /** Which remote server has which address. */
  readonly claims: ServerClaims;
  /** Which remote server has which secrets. */
  readonly headers: Pick<HeaderSecrets, 'boundTo'>;
  readonly release: HeaderRelease;
  readonly egress: () => Pick<GatewayConfig['egress'], 'timeout_ms'>;
}

/**
 * `http.reach`: where the gateway will dial for a remote MCP server. The secrets that its requests will hold
 * are recorded with it, once.
 */
export function httpReach(parts: ReachParts): ActionOf<'http.reach'> {
  return (call, payload) => new Reach(parts, call, payload);
}

class Reach implements RecordedSteps {
  readonly whenStopped = 'refused';
  readonly whenFull = 'refused';
  readonly result = 'now';
  readonly admit = REACHES_NOTHING.admit;
  readonly unusual = REACHES_NOTHING.unusual;
  readonly concluded = REACHES_NOTHING.concluded;
  readonly #parts: ReachParts;
  readonly #call: Call;
  readonly #payload: PayloadOf<'http.reach'>;
  #wanted: Destination | undefined;
  #decided: Settled | undefined;
  #releasing: Releasing | undefined;

  constructor(parts: ReachParts, call: Call, payload: PayloadOf<'http.reach'>) {
    this.#parts = parts;
    this.#call = call;
    this.#payload = payload;
  }

  async decide(): Promise<Passed | Refusal> {
    const parts = this.#parts;
    const call = this.#call;
    const { generation } = parts.allowlist;
    const timeoutMs = this.#decided?.leftMs ?? parts.egress().timeout_ms;
    try {
      const wanted = parseDestination(this.#payload.upstream);
      this.#wanted = wanted;
      this.#checkName();
      const before = call.pendingSeq === undefined ? undefined : this.#decided;
      // A request that is decided again has its entry already, which names where it goes.
      if (before !== undefined && before.destination.origin !== wanted.origin)
        throw new SublError('not_allowed', `\`${wanted.origin}\` is not what was decided on`);
      const { allow_private: allowPrivate } = listed(parts.allowlist, wanted, call.caller);
      this.#decided = await settle(parts, call, generation, { wanted, allowPrivate, timeoutMs, before });
      return 'pass';
    } catch (error) {
      if (isSublError(error)) return refuseFor(error);
      throw error;
    }
  }

  readonly record = (): readonly EntryInput[] | Refusal => {
    const decided = this.#decided;
    if (decided === undefined) throw new Error('a destination passed without a decision');
    const releasing = this.#parts.release.begin(this.#call, decided.destination, this.#payload);
    if ('error' in releasing) return releasing;
    this.#releasing = releasing;
    return [...releasing.entries, pendingEntry(this.#call, this.#call.now, decidedData(decided))];
  };

  recorded(): void {
    this.#releasing?.recorded();
  }

  execute(): Executed {
    const decided = this.#decided;
    if (!stillHolds(this.#parts, decided)) return 'again';
    if (decided === undefined) throw new Error('a destination passed without a decision');
    const { addresses, allowPrivate } = decided.destination;
    const reached: Reached = { addresses, allow_private: allowPrivate, generation: decided.generation };
    return success(reached);
  }

  get place(): string | undefined {
    return this.#decided?.destination.origin;
  }

  about(): Readonly<Record<string, string>> {
    return this.#wanted === undefined ? {} : { destination: shownOrigin(this.#wanted) };
  }

  /**
   * A server is reached at its own address, and its address under its own name. One with secrets is reached
   * at the address that they are bound to.
   */
  #checkName(): void {
    const { claims, headers } = this.#parts;
    const { server_name: name, upstream, redirect } = this.#payload;
    const endpoint = parseEndpoint(upstream);
    claims.check(name, endpoint);
    headers.boundTo(name, endpoint);
    if (redirect === undefined) return;
    const target = parseEndpoint(redirect);
    if (target.destination.origin !== endpoint.destination.origin) throw notListed(target.destination);
    claims.checkRedirect(name, target);
  }
}
