import {
  decodeKey,
  deriveSpoolKey,
  isJsonObject,
  isSublError,
  type JsonObject,
  parseJson,
  PROTOCOL_PREFIX,
  sha256Hex,
} from '@subluminal/core-types';
import { createRequestIds } from '@subluminal/ipc';
import { chargeFrom, type Charge, type PolicyCall } from '@subluminal/policy';
import type { CallEnd } from '@subluminal/agent';
import type { AwayOptions } from './options.js';
import { recordedArgs } from './recorded-args.js';
import { reserve } from './reserve.js';
import { readSnapshot, type Snapshot } from './snapshot.js';
import { type AskedCall, beginBody, endBody, shortened } from './spool-bodies.js';
import { type HandedSpool, SpoolWriter } from './spool-writer.js';

/** A snapshot, and when it came by the clock that only goes forward. */
interface Arrived {
  readonly content: Snapshot;
  readonly arrivedAt: number;
}

/** A call that ended while the spool was on its way. */
interface Ended {
  readonly callId: string;
  readonly charge: Charge;
  readonly end: CallEnd;
}

/**
 * Decides reads from the last snapshot, charges them where it counts, and writes each down before it is made.
 * Loaded only where a gateway has sent a snapshot, and from a file of its own, so that calls and what is
 * pushed come as JSON texts: values of our own classes would not be the same ones here. Whatever it cannot
 * tell for sure is refused.
 */
export class AwayEngine {
  readonly #options: AwayOptions;
  #publicKey: string | undefined;
  #snapshot: Arrived | undefined;
  #spool:
    | { readonly writer: SpoolWriter; readonly under: Arrived; readonly nextId: () => string }
    | undefined;
  /** The charges of calls that were let through and have not ended. */
  readonly #open = new Map<string, Charge>();
  /** Calls that ended while the spool was on its way; undefined while it is not. */
  #ended: Ended[] | undefined;

  constructor(options: AwayOptions) {
    this.#options = options;
  }

  /** @throws SublError for a snapshot that cannot be believed; then there is none. */
  take(text: string): void {
    const { monotonic } = this.#options;
    const event = parseJson(text);
    if (!isJsonObject(event)) return;
    if (event['type'] === 'snapshot') {
      this.#snapshot = undefined;
      const content = readSnapshot(event, this.#options, this.#publicKey);
      this.#publicKey = content.publicKey;
      this.#snapshot = { content, arrivedAt: monotonic() };
      return;
    }
    const content = this.#snapshot?.content;
    if (content === undefined || event['id'] !== content.head.id) return;
    if (event['type'] === 'snapshot_dropped') this.#snapshot = undefined;
    else this.#follow(content, event);
  }

  /**
   * The gateway's charges of the run count here as well. A charge that cannot be followed leaves no snapshot.
   */
  #follow({ state }: Snapshot, event: JsonObject): void {
    const { type, ts, status, latency_ms: latency } = event;
    const kept = this.#snapshot;
    this.#snapshot = undefined;
    if (typeof ts !== 'number') return;
    const charge = chargeFrom(event['charge']);
    if (type === 'snapshot_charged') state.apply(charge, ts);
    else if (type === 'snapshot_settled' && isStatus(status) && typeof latency === 'number')
      state.settle(charge, { status, latency_ms: latency }, ts);
    else return;
    this.#snapshot = kept;
  }

  /** Whether there is a snapshot, which may have come to its end. */
  get holds(): boolean {
    return this.#snapshot !== undefined;
  }

  /** A gateway answers: the snapshot of the one before says nothing any more. */
  drop(): void {
    this.#snapshot = undefined;
  }

  /** The id under which the call may be made, durable in the spool; undefined where it may not be made. */
  decide(call: AskedCall): string | undefined {
    const held = this.#held();
    if (held === undefined) return undefined;
    const { content } = held;
    const { tool_name: tool, args_text: argsText } = call;
    const args = parseJson(argsText);
    if (!isJsonObject(args) || tool.startsWith(PROTOCOL_PREFIX)) return undefined;
    if (content.only?.includes(tool) === false) return undefined;
    const kept = recordedArgs(args, content.policy.argKeys);
    if (kept === undefined) return undefined;
    const question: PolicyCall = {
      server_name: content.head.server_name,
      tool_name: tool,
      args,
      args_hash: sha256Hex(argsText),
      identity: content.identity,
      raised: content.raised.get(tool) ?? [],
    };
    const now = this.#timeUnder(held);
    const found = reserve(content, question, now);
    if (found === undefined) return undefined;
    return this.#write(held, found.charge, (callId) =>
      beginBody(question, { call, args: kept, now, found, callId, previewBytes: content.previewBytes }),
    );
  }

  /**
   * The snapshot, while it holds: not past its time by either clock, and not another one than the spool is
   * under.
   */
  #held(): Arrived | undefined {
    const { clock, monotonic } = this.#options;
    if (this.#snapshot === undefined || this.#ended !== undefined) return undefined;
    const { content, arrivedAt } = this.#snapshot;
    const age = monotonic() - arrivedAt;
    if (age >= 0 && age <= content.lifeMs && clock() <= content.head.expires_ms) {
      return this.#spool === undefined || this.#spool.under === this.#snapshot ? this.#snapshot : undefined;
    }
    this.#snapshot = undefined;
    return undefined;
  }

  /** The time that it would be for the gateway: setting this machine's clock changes nothing of it. */
  #timeUnder({ content, arrivedAt }: Arrived): number {
    return content.head.issued_ms + Math.floor(this.#options.monotonic() - arrivedAt);
  }

  /**
   * The id of the call once it stands on the disk. A spool that could not be written is no longer written to.
   */
  #write(under: Arrived, charge: Charge, bodyOf: (callId: string) => JsonObject): string | undefined {
    try {
      this.#spool ??= { writer: this.#begin(under.content), under, nextId: createRequestIds() };
      const callId = this.#spool.nextId();
      if (!this.#spool.writer.begin(bodyOf(callId))) return undefined;
      this.#open.set(callId, charge);
      return callId;
    } catch (error) {
      this.#snapshot = undefined;
      this.#options.log(`reads are refused, because they cannot be written down: ${messageOf(error)}`);
      return undefined;
    }
  }

  #begin({ head, signature, secret }: Snapshot): SpoolWriter {
    const { credential, folder, owner, log } = this.#options;
    log('no gateway answers: reads are decided from its last snapshot, and written down');
    return new SpoolWriter({
      folder,
      snapshotId: head.id,
      owner,
      key: deriveSpoolKey(decodeKey(credential.key), credential.ledger_id, head.id, secret),
      header: {
        kind: 'head',
        head: { ...head, policy: { ...head.policy } },
        signature,
        owner: { pid: owner.pid, start: owner.start },
      },
    });
  }

  /** Takes the end of a call of this engine; false for any other. */
  end(callId: string, end: CallEnd): boolean {
    const charge = this.#open.get(callId);
    if (charge === undefined) return false;
    this.#open.delete(callId);
    const ended = { callId, charge, end };
    if (this.#ended === undefined) this.#writeEnd(ended);
    else this.#ended.push(ended);
    return true;
  }

  #writeEnd({ callId, charge, end }: Ended): void {
    if (this.#spool === undefined) return;
    const { writer, under } = this.#spool;
    const now = this.#timeUnder(under);
    under.content.state.settle(charge, end, now);
    try {
      const short = endBody(callId, shortened(end), now);
      writer.end(under.content.previewBytes === 0 ? short : endBody(callId, end, now), short);
    } catch (error) {
      this.#snapshot = undefined;
      this.#options.log(`the end of a call could not be written down: ${messageOf(error)}`);
    }
  }

  /** The spool that the gateway has to be told of; from here on ends wait for `keep` or `handedOver`. */
  handOver(): HandedSpool | undefined {
    if (this.#spool === undefined) return undefined;
    this.#ended = [];
    return this.#spool.writer.handOver();
  }

  /** The gateway did not take it in: it goes on as it is. */
  keep(): void {
    const ended = this.#ended ?? [];
    this.#ended = undefined;
    for (const one of ended) this.#writeEnd(one);
  }

  /**
   * The gateway has taken it in. Gives the ends that have come meanwhile; later ones are not this engine's
   * any more.
   */
  handedOver(): readonly { readonly callId: string; readonly end: CallEnd }[] {
    const ended = this.#ended ?? [];
    this.#ended = undefined;
    this.#open.clear();
    this.#spool?.writer.remove();
    this.#spool = undefined;
    return ended;
  }
}

function isStatus(value: unknown): value is CallEnd['status'] {
  return value === 'OK' || value === 'ERROR' || value === 'TIMEOUT' || value === 'CANCELLED';
}

function messageOf(error: unknown): string {
  return isSublError(error) || error instanceof Error ? error.message : 'unknown';
}
