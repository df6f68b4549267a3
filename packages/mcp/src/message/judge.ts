import {
  hasMoreParts,
  isJsonObject,
  isSublError,
  type JsonObject,
  type JsonValue,
  MAX_MESSAGE_PARTS,
  parseJson,
  own,
} from '@subluminal/core-types';
import type { Known, Message, MessageId, Outcome, Refusal } from './message.js';
import { refuse } from './message.js';
import { messageIdOf } from './message-id.js';
import { ENVELOPE_KEYS, isVariantOf, namesPrototype } from './names.js';

/**
 * A judged line: a message, a refusal, or `deep`. A reader without a limit of depth and of parts has to read
 * a deep one.
 */
export type Judgement = Message | Refusal | { readonly type: 'deep' };

const CARRIAGE_RETURN = 0x0d;
/** Without one of these no key is `__proto__`, however it is written. */
const MAY_NAME_PROTOTYPE = /__proto__|\\u/;

/**
 * Reads lines that are small enough to be inspected. A message that comes out means the same to every reader
 * of the bytes: valid UTF-8, strict JSON, no duplicate keys at any depth, no second spelling of an envelope
 * key, right types. Only then may its bytes be forwarded. ARCHITECTURE.md, "The shim".
 */
export class Judge {
  /** A byte order mark is not skipped but refused: not every reader skips it. */
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #framing: 'line' | 'body';

  /**
   * `line`: a carriage return inside of a message ends it for some readers. In a `body` it is a space like
   * any other.
   */
  constructor(framing: 'line' | 'body' = 'line') {
    this.#framing = framing;
  }

  /** `line` comes without its line feed. */
  judge(line: Buffer): Judgement {
    let text: string;
    try {
      text = this.#utf8.decode(line);
    } catch (error) {
      if (error instanceof TypeError) return refuse('invalid_utf8', 'the message is not valid utf-8');
      throw error;
    }
    const carriageReturn = line.indexOf(CARRIAGE_RETURN);
    if (this.#framing === 'line' && carriageReturn >= 0 && carriageReturn < line.length - 1) {
      return unreadable(text, 'a carriage return inside a message ends the line for some readers');
    }
    if (hasMoreParts(text, MAX_MESSAGE_PARTS)) return { type: 'deep' };
    try {
      const judged = judgeValue(parseJson(text));
      return MAY_NAME_PROTOTYPE.test(text) ? withoutPrototype(judged) : judged;
    } catch (error) {
      if (isSublError(error, 'too_deep')) return { type: 'deep' };
      if (isSublError(error, 'invalid_json')) return unreadable(text, error.message);
      throw error;
    }
  }
}

/**
 * Refuses a request with `__proto__` among its params, at any depth: it means more to some readers than its
 * names say.
 */
function withoutPrototype(message: Message | Refusal): Message | Refusal {
  if (message.type !== 'request' && message.type !== 'notification') return message;
  const { method, params } = message;
  if (!params.inspected || params.value === undefined || !namesPrototype(params.value)) return message;
  const id = message.type === 'request' ? message.id : undefined;
  return refuse('ambiguous', NAMES_PROTOTYPE, knownOf(id, method));
}

/** Checks the envelope of a value that has no duplicate keys. */
function judgeValue(value: JsonValue): Message | Refusal {
  if (Array.isArray(value)) return refuse('batch', 'batches are not supported', { ids: requestIds(value) });
  if (!isJsonObject(value)) return refuse('wrong_type', 'a message must be an object');
  const id = messageIdOf(own(value, 'id'));
  const method = own(value, 'method');
  for (const key of Object.keys(value)) {
    if (isVariantOf(ENVELOPE_KEYS, key))
      return refuse('ambiguous', `\`${key}\` is spelt unlike the standard`, knownOf(id, method));
  }
  if (own(value, 'jsonrpc') !== '2.0')
    return refuse('wrong_type', '`jsonrpc` must be "2.0"', knownOf(id, method));
  return method === undefined ? judgeAnswer(value, id) : judgeAsked(value, method, id);
}

function judgeAsked(value: JsonObject, method: JsonValue, id: MessageId | undefined): Message | Refusal {
  if (typeof method !== 'string') return refuse('wrong_type', '`method` must be a text', knownOf(id, method));
  if (own(value, 'result') !== undefined || own(value, 'error') !== undefined) {
    return refuse('ambiguous', 'a message cannot be a request and an answer', knownOf(id, method));
  }
  const params = own(value, 'params');
  if (params !== undefined && !isJsonObject(params)) {
    return refuse('wrong_type', '`params` must be an object', knownOf(id, method));
  }
  const inspected = { inspected: true, value: params } as const;
  if (own(value, 'id') === undefined) return { type: 'notification', method, params: inspected };
  if (id === undefined) return refuse('wrong_type', '`id` must be a text or a number', knownOf(id, method));
  return { type: 'request', id, method, params: inspected };
}

function judgeAnswer(value: JsonObject, id: MessageId | undefined): Message | Refusal {
  const result = own(value, 'result');
  const error = own(value, 'error');
  if ((result === undefined) === (error === undefined)) {
    const text = 'a message must have a method, a result or an error, and only one of them';
    return refuse('wrong_type', text, knownOf(id, undefined));
  }
  if (id === undefined) return refuse('unsolicited_answer', 'an answer must have the id of a request');
  const outcome: Outcome =
    error === undefined
      ? { kind: 'result', value: result, asksInput: false }
      : { kind: 'error', value: error, forged: false };
  return { type: 'answer', id, outcome };
}

/**
 * The refusal of a text that is not strict JSON. Where a lenient reader finds a request in it, that request
 * is answered, so that its sender does not wait; nothing else of it is used.
 */
function unreadable(text: string, why: string): Refusal {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return refuse('invalid_json', why);
    throw error;
  }
  return refuse('ambiguous', why, { ids: requestIds([value]), answers: answerIds(value) });
}

function requestIds(values: readonly unknown[]): MessageId[] {
  return values.flatMap((value) => (isRecord(value) && 'method' in value ? idIn(value) : []));
}

function answerIds(value: unknown): MessageId[] {
  return isRecord(value) && !('method' in value) ? idIn(value) : [];
}

function idIn(value: Readonly<Record<string, unknown>>): MessageId[] {
  const { id } = value;
  // A number that a double cannot hold has lost what it was: an error under another id would only mislead.
  const kept = typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
  const found = kept ? messageIdOf(id) : undefined;
  return found === undefined ? [] : [found];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Why it is refused, wherever it stands. */
export const NAMES_PROTOTYPE = 'a key is `__proto__`, which some readers take for the names inside of it';

/**
 * The sender of a message with this id and method (or without one), as far as an error can be sent to it.
 */
export function knownOf(id: MessageId | undefined, method: unknown): Known {
  const ids = id === undefined ? [] : [id];
  if (method === undefined) return { answers: ids };
  return { ids, method: typeof method === 'string' ? method : undefined };
}
