import { argsHash, isJsonObject, isSublError, type JsonValue, sha256Hex, own } from '@subluminal/core-types';
import { type ToolCall, UninspectedArgs } from '@subluminal/agent';
import type { Params } from '../message/message.js';

/** Answers that asked for input, and whose calls were not made again; the oldest is forgotten first. */
const MAX_ASKED = 256;

/** A call of a tool that was allowed. */
export interface MadeCall {
  readonly callId: string;
  readonly toolName: string;
  /** The hash of its arguments, as the gateway has it. */
  readonly argsHash: string;
}

/** The call that a request goes on with. */
export interface Continued {
  readonly callId: string;
  /** The key by which it was found. */
  readonly key: string;
}

/**
 * Which calls go on with others (revision 2026-07-28): a server that needs input answers with
 * `input_required`, and the client makes the same call under another id, with `inputResponses` and the
 * `requestState` that it was given. Both are one action. A request is the other half of a call only where it
 * has the tool and the arguments of that call, and brings what the server gave as the answer to it: its
 * state, or, where it gave none, responses to exactly what it asked. Each answer serves one request; what a
 * client makes up finds nothing. Only hashes are kept.
 */
export class Continuations {
  /** Names of calls, by the hash of what the other half brings. */
  readonly #calls = new Map<string, string>();

  /**
   * Remembers a call whose result asks for input. False where it does not, or names nothing by which it is
   * found again.
   */
  note(result: JsonValue | undefined, { callId, toolName, argsHash: hash }: MadeCall): boolean {
    if (!isJsonObject(result)) return false;
    if (own(result, 'resultType') !== 'input_required' || own(result, 'isError') === true) return false;
    const key = keyOf(toolName, hash, own(result, 'requestState'), own(result, 'inputRequests'));
    if (key === undefined) return false;
    this.#put(key, callId);
    return true;
  }

  /**
   * The call that this one goes on with, which no other finds from now on; undefined for a call of its own.
   */
  take(params: Params, { tool_name: toolName, args }: ToolCall): Continued | undefined {
    if (this.#calls.size === 0 || !params.inspected || params.value === undefined) return undefined;
    if (args instanceof UninspectedArgs) return undefined;
    const [state, responses] = [own(params.value, 'requestState'), own(params.value, 'inputResponses')];
    if (state === undefined && responses === undefined) return undefined;
    const hash = hashOf(args);
    const key = hash === undefined ? undefined : keyOf(toolName, hash, state, responses);
    const callId = key === undefined ? undefined : this.#calls.get(key);
    if (key === undefined || callId === undefined) return undefined;
    this.#calls.delete(key);
    return { callId, key };
  }

  /** It was told to come again later. */
  putBack({ key, callId }: Continued): void {
    if (!this.#calls.has(key)) this.#put(key, callId);
  }

  #put(key: string, callId: string): void {
    this.#calls.delete(key);
    this.#calls.set(key, callId);
    if (this.#calls.size <= MAX_ASKED) return;
    for (const oldest of this.#calls.keys()) {
      this.#calls.delete(oldest);
      return;
    }
  }
}

/** By the state where there is one, else by the names of what is asked, or answered. */
function keyOf(
  toolName: string,
  hash: string,
  state: JsonValue | undefined,
  named: JsonValue | undefined,
): string | undefined {
  if (state !== undefined) {
    return typeof state === 'string'
      ? sha256Hex(JSON.stringify(['state', toolName, hash, state]))
      : undefined;
  }
  if (!isJsonObject(named)) return undefined;
  const names = Object.keys(named).toSorted();
  return names.length === 0 ? undefined : sha256Hex(JSON.stringify(['names', toolName, hash, ...names]));
}

function hashOf(args: JsonValue): string | undefined {
  try {
    return argsHash(args);
  } catch (error) {
    // The core says what cannot be written.
    if (isSublError(error)) return undefined;
    throw error;
  }
}
