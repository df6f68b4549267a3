import {
  type ActionResponse,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  macEquals,
  type MacKey,
  parseJson,
  pushMac,
  responseMac,
} from '@subluminal/core-types';
import { answerOf } from './answer.js';
import { BodyReader } from './body-reader.js';
import { lost } from './lost.js';
import type { PendingRequest } from './pending.js';
import { refusalOf } from './refusal.js';
import { type AnswerText, answerTextOf, readAnswerText } from './signed-text.js';

/** A verified message of the gateway: the answer to a request, or an event that nobody asked for. */
export type Arrived =
  | { readonly request: PendingRequest; readonly answer: ActionResponse }
  | { readonly event: JsonValue };

/**
 * Reads the frames of one connection in their order. Each is verified against the session key, its place in
 * the sequence and the request that it answers before anything of it is given out.
 */
export class Incoming {
  readonly #key: MacKey;
  readonly #pending: ReadonlyMap<string, PendingRequest>;
  readonly #bodies = new BodyReader();
  #received = 0;

  /** `pending`: the requests that were sent and not answered, by id; the owner takes those out that are. */
  constructor(key: MacKey, pending: ReadonlyMap<string, PendingRequest>) {
    this.#key = key;
    this.#pending = pending;
  }

  /** @throws SublError for a frame that does not verify: nothing behind it may be read. */
  read(text: string): Arrived {
    const arrived = this.#signedAnswer(text) ?? this.#frame(text);
    this.#received += 1;
    return arrived;
  }

  /**
   * An answer in the gateway's own words: its body is verified as it stands, and only then read. Undefined
   * for any other.
   */
  #signedAnswer(text: string): Arrived | undefined {
    const cut = answerTextOf(text);
    const request = cut === undefined ? undefined : this.#pending.get(cut.requestId);
    if (cut === undefined || request === undefined) return undefined;
    if (!this.#isSigned(request, cut, { bodyCanonical: cut.body })) return undefined;
    const answer = readAnswerText(cut, this.#bodies);
    return answer === undefined ? undefined : { request, answer };
  }

  #frame(text: string): Arrived {
    const frame = parseJson(text);
    if (!isJsonObject(frame)) throw lost('the gateway sent a frame that is no object');
    if (Object.hasOwn(frame, 'requestId')) return this.#answer(frame);
    if (Object.hasOwn(frame, 'event')) return this.#push(frame);
    throw (this.#received === 0 ? refusalOf(frame) : undefined) ?? lost('the gateway sent an unknown frame');
  }

  #answer(frame: JsonObject): Arrived {
    const answer = answerOf(frame);
    const request = answer === undefined ? undefined : this.#pending.get(answer.requestId);
    if (answer === undefined || request === undefined) throw lost('an answer fits no request');
    const { data, error } = answer;
    if (!this.#isSigned(request, answer, { data, error }))
      throw lost('an answer is not signed by the gateway');
    return { request, answer };
  }

  #push(frame: JsonObject): Arrived {
    const event = frame['event'] ?? null;
    const expected = pushMac(this.#key, { seq: this.#received + 1, body: { event } });
    if (!macEquals(frame['signature'], expected)) throw lost('a push is not signed by the gateway');
    return { event };
  }

  #isSigned(
    request: PendingRequest,
    head: Omit<AnswerText, 'body'>,
    body: { readonly bodyCanonical: string } | Pick<ActionResponse, 'data' | 'error'>,
  ): boolean {
    const { requestId, timestamp, status, auditRef, signature } = head;
    const expected = responseMac(this.#key, {
      ...body,
      seq: this.#received + 1,
      requestId,
      requestMac: request.mac,
      timestamp,
      status,
      auditRef,
    });
    return macEquals(signature, expected);
  }
}
