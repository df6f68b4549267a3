import {
  type ActionDefinition,
  type ActionName,
  type ActionRequest,
  type JsonObject,
  type MacKey,
  sha256Hex,
} from '@subluminal/core-types';
import type { CheckedDestination, Destination } from '@subluminal/egress';
import type { ConnectionFacts } from '../families/connection/facts.js';
import type { Verdict } from '../policy/judge.js';
import type { AnomalyFlag } from '../anomaly/flag.js';
import type { ServiceOutcome } from '../families/service/service-adapter.js';
import { runIdOf, type Caller } from './caller.js';
import type { QuickFrame } from './quick-frame.js';
import type { Outcome } from './reply.js';

/** A request as it came, with what is known before it is read. */
export interface Incoming {
  readonly caller: Caller;
  readonly verifyKey: MacKey;
  /** Its place among the client's messages, from 1. */
  readonly seq: number;
  /** The text of its frame; of what the gateway asks for a run itself (`InnerSession`), what would have been read in it. */
  readonly frame: string | QuickFrame;
  /** Epoch milliseconds of its arrival. */
  readonly now: number;
  /** Has nothing taken that follows on its connection. */
  readonly cut: () => void;
}

/** What the schema stage read. */
export interface ReadRequest {
  readonly request: ActionRequest;
  readonly action: ActionName;
  readonly definition: ActionDefinition;
  /** The payload as its schema gives it, defaults filled in. */
  readonly payload: JsonObject;
  /** Canonical text of the payload without `speaks`: what is hashed. */
  readonly payloadCanonical: string;
  /** Canonical text of the payload as it was sent: what is signed. */
  readonly signedCanonical: string;
  /** Whether the request says what its client speaks; it is then what this gateway speaks. */
  readonly introduces: boolean;
  /** Canonical text of a tool call's arguments, undefined where there are none. */
  readonly argsCanonical: string | undefined;
}

/** Where a service action goes, and under which allowlist this was decided. */
export interface DecidedDestination {
  readonly destination: CheckedDestination | undefined;
  readonly generation: number;
  /** What is left of the action's time after its name was resolved, in milliseconds. */
  readonly leftMs: number;
}

/** One request on its way through the stages. Each stage may rely on what the stages before it have set. */
export class PipelineCall {
  readonly incoming: Incoming;
  /** The id and signature as sent, empty where none could be read: the answer is bound to them. */
  requestId = '';
  requestMac = '';
  /** The action that was asked for, where there is such a one, also where nothing else of the request could be read. */
  named: ActionName | undefined;
  /** Where a service action asks to go, whether or not it may. */
  wanted: Destination | undefined;
  /** The account whose secret it gets, by name. */
  accountName: string | undefined;
  decided: DecidedDestination | undefined;
  /** What is asked for by `net.connect`, and what was decided on it. */
  connection: ConnectionFacts | undefined;
  verdict: Verdict | undefined;
  callSeq = 0;
  argsHash: string | undefined;
  flags: readonly AnomalyFlag[] = [];
  grant: { readonly approvalId: string; readonly grantSeq: number } | undefined;
  /** Counted against rate limits and looked at for anomalies: once a request, however often it restarts. */
  counted = false;
  /** One of the places in which service actions of its caller are carried out. */
  hasPlace = false;
  /** When it was counted, epoch ms: the time that its entry has, so that a restart counts it at the same one. */
  countedMs: number | undefined;
  /** The durable entry without which nothing is executed. */
  pendingSeq: number | undefined;
  auditRef = '';
  service: ServiceOutcome | undefined;
  outcome: Outcome | undefined;
  /** How many redirects led here. */
  hops = 0;
  /** How often what was decided was outdated before it could be executed. */
  restarts = 0;
  /** What was asked before each of them. */
  readonly redirectedFrom: JsonObject[] = [];
  readonly #atEnd: (() => void)[] = [];
  #abort: AbortController | undefined;
  #read: ReadRequest | undefined;
  #payloadHash: string | undefined;

  constructor(incoming: Incoming) {
    this.incoming = incoming;
  }

  get caller(): Caller {
    return this.incoming.caller;
  }

  get runId(): string | null {
    return runIdOf(this.incoming.caller);
  }

  get now(): number {
    return this.incoming.now;
  }

  /** What was asked. Only behind the schema stage. */
  get read(): ReadRequest {
    if (this.#read === undefined) throw new Error('a stage ran before the schema stage');
    return this.#read;
  }

  set read(read: ReadRequest) {
    this.#read = read;
    this.#payloadHash = undefined;
  }

  get isRead(): boolean {
    return this.#read !== undefined;
  }

  /** SHA-256 of the canonical payload: what approvals are bound to. */
  get payloadHash(): string {
    this.#payloadHash ??= sha256Hex(this.read.payloadCanonical);
    return this.#payloadHash;
  }

  /** Aborted when the caller's run ends. One for each call: signals that many share have to keep a listener for each. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      const { run } = this.caller;
      if (run !== undefined) this.atEnd(run.onEnd(abort));
      this.#abort = abort;
    }
    return this.#abort.signal;
  }

  /** Has `release` called once when the call leaves the pipeline, or earlier by `finish`. */
  atEnd(release: () => void): void {
    this.#atEnd.push(release);
  }

  /** Calls what `atEnd` collected. */
  finish(): void {
    for (const release of this.#atEnd.splice(0)) release();
  }

  /** Becomes the request that a service's redirect asks for: a new action, under the same request id. */
  redirect(payload: JsonObject, payloadCanonical: string): void {
    this.redirectedFrom.push(this.read.payload);
    this.read = { ...this.read, payload, payloadCanonical };
    this.hops += 1;
    this.wanted = undefined;
    this.decided = undefined;
    this.flags = [];
    this.grant = undefined;
    this.counted = false;
    this.countedMs = undefined;
    this.pendingSeq = undefined;
    this.service = undefined;
  }
}
