import {
  type ActionDefinition,
  type ActionName,
  type ActionRequest,
  type JsonObject,
  type MacKey,
  sha256Hex,
} from '@subluminal/core-types';
import type { AnomalyFlag } from '../anomaly/flag.js';
import type { Run } from '../runs/run.js';
import { runIdOf, type Caller } from './caller.js';
import type { FrameStream } from './frame-stream.js';
import type { Outcome } from './reply.js';

/** Where a request comes from, before it is read. */
export interface Origin {
  readonly caller: Caller;
  /** Epoch milliseconds of its arrival. */
  readonly now: number;
  /** Stops reading from the caller's connection. */
  readonly cut: () => void;
}

/**
 * A frame of more characters takes a good part of a turn of the event loop until it is read and verified: all
 * else is done in the next one.
 */
export const LARGE_FRAME = 1_048_576;

/** A request as it came over a connection. */
export interface Frame {
  readonly text: string;
  readonly stream: FrameStream;
  readonly verifyKey: MacKey;
  /** Its place among the client's messages, from 1. */
  readonly seq: number;
}

/** A request as it was read, before anything is decided. */
export interface ReadRequest {
  readonly action: ActionName;
  readonly definition: ActionDefinition;
  /** The payload as its schema gives it, defaults filled in. */
  readonly payload: JsonObject;
  /** Canonical text of the payload without `speaks`: the part that is hashed. */
  readonly payloadCanonical: string;
  /** Canonical text of a tool call's arguments, undefined where there are none. */
  readonly argsCanonical: string | undefined;
}

/** The envelope of a request that came as a frame. */
export interface Envelope {
  readonly request: ActionRequest;
  /** Canonical text of the payload as it was sent: the part that is signed. */
  readonly signedCanonical: string;
  /** The request says what its client speaks; it is then what this gateway speaks. */
  readonly introduces: boolean;
}

/** One request on its way through the stages. Its steps hold the facts of its kind of action. */
export class Call {
  readonly origin: Origin;
  readonly #frame: Frame | undefined;
  /** The id and signature as sent, empty where none could be read: the answer is bound to them. */
  requestId = '';
  requestMac = '';
  /** The action that was asked for, also where nothing else of the request could be read. */
  named: ActionName | undefined;
  flags: readonly AnomalyFlag[] = [];
  /** The operator's answer that lets it pass stage 5. */
  grant: { readonly approvalId: string; readonly grantSeq: number } | undefined;
  /** The durable entry without which nothing is executed. */
  pendingSeq: number | undefined;
  auditRef = '';
  outcome: Outcome | undefined;
  /** How many redirects led here. */
  hops = 0;
  /** How often its decision was outdated before it could be executed. */
  restarts = 0;
  readonly #atEnd: (() => void)[] = [];
  #abort: AbortController | undefined;
  #envelope: Envelope | undefined;
  #read: ReadRequest | undefined;
  #payloadHash: string | undefined;

  /** `frame` is undefined for what the gateway asks itself: nothing can be read or verified of it. */
  constructor(origin: Origin, frame: Frame | undefined) {
    this.origin = origin;
    this.#frame = frame;
  }

  get caller(): Caller {
    return this.origin.caller;
  }

  get runId(): string | null {
    return runIdOf(this.origin.caller);
  }

  get now(): number {
    return this.origin.now;
  }

  /** The caller's run, for an action that only a run may ask for. */
  get run(): Run {
    const { run } = this.caller;
    if (run === undefined) throw new Error('a request without a run passed the capability check');
    return run;
  }

  /** The frame to read and verify. Throws where there is none: then nothing was verified. */
  get frame(): Frame {
    if (this.#frame === undefined) throw new Error('a request without a frame reached a stage that reads it');
    return this.#frame;
  }

  /** Whether it came in a large frame. */
  get isLarge(): boolean {
    return this.#frame !== undefined && this.#frame.text.length > LARGE_FRAME;
  }

  /** The request as it was sent. Only behind the schema stage, and where there is a frame. */
  get envelope(): Envelope {
    if (this.#envelope === undefined) throw new Error('a stage ran before the schema stage');
    return this.#envelope;
  }

  set envelope(envelope: Envelope) {
    this.#envelope = envelope;
  }

  /** The request as it was read. Only behind the schema stage. */
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

  /** The request as entries name it. A signature makes it the client's word, and not only ours. */
  get requestFields(): JsonObject {
    const id = this.requestId;
    return this.#frame === undefined ? { id } : { id, sig: this.requestMac };
  }

  /** SHA-256 of the canonical payload: approvals are bound to it. */
  get payloadHash(): string {
    this.#payloadHash ??= sha256Hex(this.read.payloadCanonical);
    return this.#payloadHash;
  }

  /**
   * Aborted when the caller's run ends. One for each call: signals that many share have to keep a listener
   * for each.
   */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      const { run } = this.caller;
      if (run !== undefined) this.atEnd(run.onEnd(abort));
      this.#abort = abort;
    }
    return this.#abort.signal;
  }

  /** Calls `release` once when the call leaves the pipeline, or earlier by `finish`. */
  atEnd(release: () => void): void {
    this.#atEnd.push(release);
  }

  /** Calls what `atEnd` collected. */
  finish(): void {
    for (const release of this.#atEnd.splice(0)) release();
  }

  /** Becomes the request that a service's redirect asks for: a new action, under the same request id. */
  redirect(payload: JsonObject, payloadCanonical: string): void {
    this.read = { ...this.read, payload, payloadCanonical };
    this.hops += 1;
    this.flags = [];
    this.grant = undefined;
    this.pendingSeq = undefined;
  }
}
