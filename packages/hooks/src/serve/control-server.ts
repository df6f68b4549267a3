import {
  isJsonObject,
  isSublError,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '@subluminal/core-types';
import type { HookSession } from '../session/hook-session.js';
import { labelIn, objectIn } from '../dialect/members.js';

/** Longer messages are dropped: what a client asks has a few kilobytes, and a patch some hundred. */
export const MAX_LINE = 8_388_608;

/** The parts of the server. */
export interface ControlParts {
  readonly hooks: Pick<HookSession, 'answer' | 'refuse'>;
  readonly version: string;
  /** The one tool that it has. */
  readonly tool: string;
  /** Writes one message, without its line feed. */
  readonly send: (message: string) => void;
  /** Told once the client knows the tool, and its hooks are answered. */
  readonly onReady: () => void;
  /** Told of a call that no hook makes. */
  readonly onMisuse: () => void;
}

const PROTOCOL = '2025-06-18';
const METHOD_NOT_FOUND = -32601;
const INVALID_REQUEST = -32600;

/**
 * The MCP server that the hooks of Codex call (revision 2025-06-18). Its tool answers hooks and nobody else:
 * a model's call carries the id that Codex gives to calls of its model.
 */
export class ControlServer {
  readonly #parts: ControlParts;

  constructor(parts: ControlParts) {
    this.#parts = parts;
  }

  /** Takes one message. Resolves when it is answered; never rejects. */
  async take(line: string): Promise<void> {
    let message: JsonValue;
    try {
      message = parseJson(line);
    } catch (error) {
      if (!isSublError(error)) throw error;
      return this.#unreadable(line);
    }
    if (!isJsonObject(message)) return this.#fail(null, INVALID_REQUEST, 'this is no message');
    const { id, method } = message;
    // An answer, or a notification.
    if (id === undefined || typeof method !== 'string') return;
    const params = objectIn(message, 'params') ?? {};
    if (method === 'initialize') this.#answer(id, this.#introduction(params));
    else if (method === 'ping') this.#answer(id, {});
    else if (method === 'tools/list') {
      this.#answer(id, { tools: [this.#description] });
      this.#parts.onReady();
    } else if (method === 'tools/call') this.#answer(id, await this.#call(params, line.length));
    else this.#fail(id, METHOD_NOT_FOUND, `there is no method \`${method.slice(0, 64)}\``);
  }

  /** The tool runs where its hook fails: a call that cannot be read is refused where its id can be. */
  #unreadable(line: string): void {
    const id = idOf(line);
    if (id === undefined) this.#fail(null, INVALID_REQUEST, 'this is no message');
    else this.#answer(id, textOf(this.#parts.hooks.refuse('the call could not be read, so it was not made')));
  }

  #introduction(params: JsonObject): JsonObject {
    return {
      protocolVersion: labelIn(params, 'protocolVersion') ?? PROTOCOL,
      capabilities: { tools: {} },
      serverInfo: { name: 'subluminal', version: this.#parts.version },
    };
  }

  get #description(): JsonObject {
    return {
      name: this.#parts.tool,
      description: 'Answers the hooks of this client. It does nothing for anybody else: do not call it.',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    };
  }

  async #call(params: JsonObject, bytes: number): Promise<JsonObject> {
    if (params['name'] !== this.#parts.tool) return failure(`there is no tool of that name`);
    const event = objectIn(params, 'arguments') ?? {};
    const meta = objectIn(params, '_meta') ?? {};
    if (meta['callId'] !== undefined) {
      this.#parts.onMisuse();
      return failure('this tool answers hooks alone');
    }
    const answer = await this.#parts.hooks.answer(event, bytes);
    return answer === undefined ? failure('this is no event that is known') : textOf(answer);
  }

  #answer(id: JsonValue, result: JsonObject): void {
    this.#parts.send(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }

  #fail(id: JsonValue, code: number, message: string): void {
    this.#parts.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
  }
}

/** The id of a message that is JSON, whatever its depth. */
function idOf(line: string): string | number | undefined {
  try {
    const message: unknown = JSON.parse(line);
    if (typeof message !== 'object' || message === null || !('id' in message)) return undefined;
    return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : undefined;
  } catch {
    return undefined;
  }
}

function textOf(answer: JsonObject): JsonObject {
  return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
}

function failure(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}
