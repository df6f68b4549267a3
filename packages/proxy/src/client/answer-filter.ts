import { parseAnswerHead } from './answer-head.js';
import { HeadReader } from './head-reader.js';

/** What a server answers to one request, as the client gets it. */
export class AnswerFilter {
  readonly #method: string;
  readonly #upgrades: boolean;
  readonly #maxHeadBytes: number;
  #head: HeadReader;
  #state: 'head' | 'body' | 'raw' | 'over' = 'head';
  /** What is left of a body of known length. */
  #left: number | undefined;

  constructor(method: string, upgrades: boolean, maxHeadBytes: number) {
    this.#method = method;
    this.#upgrades = upgrades;
    this.#maxHeadBytes = maxHeadBytes;
    this.#head = new HeadReader(maxHeadBytes);
  }

  /** The client has not been told anything final. */
  get isUnanswered(): boolean {
    return this.#state === 'head';
  }

  /** All of the answer has passed. */
  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** Both sides say what they want. */
  get isUpgraded(): boolean {
    return this.#state === 'raw';
  }

  /** Takes bytes of the server and gives those for the client. Throws `MalformedHead`. */
  push(chunk: Buffer): Buffer | undefined {
    const passed: Buffer[] = [];
    let bytes = chunk;
    while (this.#state === 'head' && bytes.length > 0) {
      const head = this.#head.push(bytes);
      if (head === undefined) return passed.length === 0 ? undefined : Buffer.concat(passed);
      const answer = parseAnswerHead(head.lines, this.#method, this.#upgrades);
      passed.push(answer.bytes);
      bytes = head.rest;
      if (answer.isInterim) this.#head = new HeadReader(this.#maxHeadBytes);
      else {
        this.#left = answer.bodyBytes;
        this.#state = answer.isUpgraded ? 'raw' : 'body';
        if (this.#left === 0 && !answer.isUpgraded) this.#state = 'over';
      }
    }
    const body = this.#body(bytes);
    if (passed.length === 0) return body;
    return body.length === 0 ? Buffer.concat(passed) : Buffer.concat([...passed, body]);
  }

  /** What a server says behind the end of its answer is no part of it. */
  #body(bytes: Buffer): Buffer {
    if (this.#state === 'over') return bytes.subarray(0, 0);
    if (this.#state !== 'body' || this.#left === undefined) return bytes;
    const body = bytes.subarray(0, this.#left);
    this.#left -= body.length;
    if (this.#left === 0) this.#state = 'over';
    return body;
  }
}
