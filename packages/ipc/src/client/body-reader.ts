import { isJsonObject, type JsonValue, parseJson } from '@subluminal/core-types';

const START = '{"data":{"args_hash":"';
const HASH_END = START.length + 64;
const SEQ = ',"seq":';
const HASH = /^[0-9a-f]{64}$/;
const END = /^(?:0|[1-9][0-9]{0,14})\}\}$/;
/** A longer text is not kept. */
const MAX_KEPT = 4096;

/**
 * Reads the bodies of answers. Two decisions in a row by one rule differ in the hash of the arguments and in
 * a number: what stands between the two is compared with the body before, and not parsed again where it is
 * the same.
 */
export class BodyReader {
  #between = '';
  #decision: JsonValue = null;
  #policy: JsonValue = null;

  /**
   * Gives the same value as `parseJson`, and the same errors. The parts of a value may be those of an earlier
   * one.
   */
  read(body: string): JsonValue {
    const at = body.startsWith(START) ? body.lastIndexOf(SEQ) : -1;
    if (at <= HASH_END) return parseJson(body);
    const hash = body.slice(START.length, HASH_END);
    const end = body.slice(at + SEQ.length);
    if (!HASH.test(hash) || !END.test(end)) return parseJson(body);
    const between = body.slice(HASH_END, at);
    const seq = Number(end.slice(0, -2));
    if (between === this.#between) {
      return { data: { args_hash: hash, decision: this.#decision, policy: this.#policy, seq } };
    }
    const value = parseJson(body);
    if (between.length <= MAX_KEPT) this.#keep(between, value, { hash, seq });
    return value;
  }

  /** The parser found the two where they were cut out: then any others could stand there. */
  #keep(between: string, value: JsonValue, found: { readonly hash: string; readonly seq: number }): void {
    if (!isJsonObject(value) || Object.keys(value).length !== 1) return;
    const data = value['data'];
    if (!isJsonObject(data)) return;
    const { args_hash: hash, decision, policy, seq } = data;
    if (hash !== found.hash || seq !== found.seq || Object.keys(data).length !== 4) return;
    if (decision === undefined || policy === undefined) return;
    this.#between = between;
    this.#decision = decision;
    this.#policy = policy;
  }
}
