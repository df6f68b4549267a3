import { startOf } from '@subluminal/core-types';
import type { Known, Message, MessageId, Params, Refusal } from '../message/message.js';
import { knownOf, NAMES_PROTOTYPE } from '../message/judge.js';
import { refuse } from '../message/message.js';
import { literalId, messageIdOf } from '../message/message-id.js';
import {
  ASKING_KEYS,
  ENVELOPE_KEYS,
  ERROR_KEYS,
  foldName,
  isReadAsAnother,
  isVariantOf,
  OWN_DATA_KEYS,
  shownName,
  TOOL_CALL_KEYS,
} from '../message/names.js';
import { isReservedCode } from '../message/reserved.js';
import { KeySet } from './key-set.js';
import { JsonScanner, type Scalar, type ScanHandler } from './scanner.js';

type Kind = 'object' | 'array' | Scalar['kind'];

/** The value of a member of interest: its kind, and its text where it is a scalar. */
interface Member {
  readonly kind: Kind;
  readonly text: string | undefined;
}

/**
 * Reads the envelope of a message of any size while it passes, in constant memory: the same rules as `Judge`,
 * with duplicate keys looked for in the message and its params, and the keys of the arguments collected.
 * ARCHITECTURE.md, "The shim".
 */
export class EnvelopeReader implements ScanHandler {
  readonly #scanner = new JsonScanner(this);
  /** The key that is being filled at each of the first levels. */
  readonly #path: (string | undefined)[] = [];
  readonly #levels = { message: new KeySet(), params: new KeySet(), arguments: new KeySet() };
  /** The names of `params` and of the arguments, as a lenient reader sees them. */
  readonly #folded = { params: new KeySet(), arguments: new KeySet() };
  readonly #members = new Map<string, Member>();
  #rootIsArray = false;
  #rootIsObject = false;
  #ambiguous: string | undefined;

  /** Reads on. False when the rest cannot change the outcome, which is then a refusal. */
  push(chunk: Buffer): boolean {
    return this.#scanner.push(chunk);
  }

  /** The message, after all its bytes were read. */
  finish(): Message | Refusal {
    if (this.#rootIsArray) return refuse('batch', 'batches are not supported');
    if (!this.#scanner.end()) return refuse('invalid_json', 'the message is not valid json', this.#known());
    if (!this.#rootIsObject) return refuse('wrong_type', 'a message must be an object');
    if (this.#ambiguous !== undefined) return refuse('ambiguous', this.#ambiguous, this.#known());
    const version = this.#members.get('jsonrpc');
    if (version?.kind !== 'string' || version.text !== '2.0') {
      return refuse('wrong_type', '`jsonrpc` must be "2.0"', this.#known());
    }
    return this.#members.has('method') ? this.#asked() : this.#answer();
  }

  /** All keys of what is asked: one of them may be `__proto__`. */
  wantsText(depth: number, of: 'key' | 'string'): boolean {
    return depth <= 3 || (of === 'key' && this.#path[0] === 'params');
  }

  key(depth: number, text: string | undefined): void {
    this.#path.length = Math.min(depth, 4);
    if (depth > 1 && text === '__proto__' && this.#path[0] === 'params') this.#ambiguous ??= NAMES_PROTOTYPE;
    if (depth > 3) return;
    this.#path[depth - 1] = text;
    const level = this.#levelAt(depth);
    if (level === undefined) {
      this.#nameInAnswer(depth, text);
      return;
    }
    if (text === undefined) this.#ambiguous ??= 'a key is too long';
    else this.#name(level, text);
  }

  scalar(depth: number, value: Scalar): void {
    this.#member(depth, { kind: value.kind, text: value.text });
  }

  open(depth: number, container: 'object' | 'array'): void {
    if (depth === 0) {
      this.#rootIsArray = container === 'array';
      this.#rootIsObject = container === 'object';
    }
    this.#member(depth, { kind: container, text: undefined });
    // Inside an array there are no keys, so nothing below is taken for a member of interest.
    if (depth < 4) this.#path[depth] = undefined;
  }

  close(depth: number): void {
    this.#path.length = Math.min(depth, 4);
  }

  #levelAt(depth: number): 'message' | 'params' | 'arguments' | undefined {
    if (depth === 1) return 'message';
    if (this.#path[0] !== 'params') return undefined;
    if (depth === 2) return 'params';
    return depth === 3 && this.#path[1] === 'arguments' ? 'arguments' : undefined;
  }

  #name(level: 'message' | 'params' | 'arguments', key: string): void {
    if (!this.#levels[level].add(key))
      this.#ambiguous ??= `the key \`${startOf(key, 40)}\` stands twice, or is one too many`;
    if (level !== 'message' && !this.#folded[level].add(foldName(key))) {
      this.#ambiguous ??= `the key \`${startOf(key, 40)}\` stands twice for some readers`;
    }
    if (level !== 'message' && isReadAsAnother(key))
      this.#ambiguous ??= `some readers take the key \`${shownName(key)}\` for another`;
    if (level === 'arguments') return;
    const names = level === 'message' ? ENVELOPE_KEYS : TOOL_CALL_KEYS;
    if (isVariantOf(names, key)) this.#ambiguous ??= `\`${startOf(key, 40)}\` is spelt unlike the standard`;
  }

  /**
   * The keys of an answer that decide what a client makes of it stand once, and as the standard spells them.
   */
  #nameInAnswer(depth: number, key: string | undefined): void {
    const around = this.#path.slice(0, depth - 1).join('\n');
    const names = NAMES_IN_ANSWER.get(around);
    if (names === undefined) return;
    if (key === undefined) {
      this.#ambiguous ??= 'a key is too long';
      return;
    }
    if (isVariantOf(names, key)) this.#ambiguous ??= `\`${startOf(key, 40)}\` is spelt unlike the standard`;
    if (!names.exact.has(key)) return;
    const path = `${around}\n${key}`;
    if (this.#members.has(path)) this.#ambiguous ??= `the key \`${key}\` stands twice`;
  }

  /** Remembers a value of the message, of its params, or of its error. */
  #member(depth: number, member: Member): void {
    if (depth < 1 || depth > 3 || this.#path.length < depth) return;
    const path = this.#path.slice(0, depth);
    const [first] = path;
    if (path.includes(undefined)) return;
    if (depth === 1 ? ENVELOPE_KEYS.exact.has(first ?? '') : INTERESTING.has(path.join('\n'))) {
      this.#members.set(path.join('\n'), member);
    }
  }

  #asked(): Message | Refusal {
    const method = this.#members.get('method');
    if (method?.kind !== 'string' || method.text === undefined) {
      return refuse('wrong_type', '`method` must be a text', this.#known());
    }
    if (this.#members.has('result') || this.#members.has('error')) {
      return refuse('ambiguous', 'a message cannot be a request and an answer', this.#known());
    }
    const paramsKind = this.#members.get('params')?.kind;
    if (paramsKind !== undefined && paramsKind !== 'object') {
      return refuse('wrong_type', '`params` must be an object', this.#known());
    }
    const params = this.#params();
    if (!this.#members.has('id')) return { type: 'notification', method: method.text, params };
    const id = this.#id();
    if (id === undefined) return refuse('wrong_type', '`id` must be a text or a number', this.#known());
    return { type: 'request', id, method: method.text, params };
  }

  #params(): Params {
    const name = this.#members.get('params\nname');
    const given = this.#members.get('params\narguments')?.kind;
    return {
      inspected: false,
      name: name?.kind === 'string' ? name.text : undefined,
      argumentsAre: given === undefined ? 'absent' : given === 'object' ? 'object' : 'other',
      argumentKeys: this.#levels.arguments.keys(),
      keys: this.#levels.params.keys(),
    };
  }

  #answer(): Message | Refusal {
    const hasResult = this.#members.has('result');
    if (hasResult === this.#members.has('error')) {
      const text = 'a message must have a method, a result or an error, and only one of them';
      return refuse('wrong_type', text, this.#known());
    }
    const id = this.#id();
    if (id === undefined) return refuse('unsolicited_answer', 'an answer must have the id of a request');
    if (hasResult) {
      const asksInput =
        this.#members.has('result\ninputRequests') ||
        this.#members.get('result\nresultType')?.text === 'input_required' ||
        this.#members.get('result\nerror')?.kind === 'object';
      return { type: 'answer', id, outcome: { kind: 'result', value: undefined, asksInput } };
    }
    const code = this.#members.get('error\ncode');
    const forged =
      this.#members.has('error\ndata\nsubluminal') ||
      (code?.text !== undefined && isReservedCode(Number(code.text)));
    return { type: 'answer', id, outcome: { kind: 'error', value: undefined, forged } };
  }

  #id(): MessageId | undefined {
    const id = this.#members.get('id');
    if (id?.text === undefined) return undefined;
    if (id.kind === 'string') return messageIdOf(id.text);
    return id.kind === 'number' ? literalId(id.text) : undefined;
  }

  #known(): Known {
    const method = this.#members.get('method');
    return knownOf(this.#id(), method === undefined ? undefined : (method.text ?? null));
  }
}

const NAMES_IN_ANSWER = new Map([
  ['result', ASKING_KEYS],
  ['error', ERROR_KEYS],
  ['error\ndata', OWN_DATA_KEYS],
]);

const INTERESTING = new Set([
  'params\nname',
  'params\narguments',
  ...[...NAMES_IN_ANSWER].flatMap(([around, { exact }]) => [...exact].map((key) => `${around}\n${key}`)),
]);
