import {
  canonicalize,
  isJsonObject,
  isSublError,
  type JsonObject,
  type JsonValue,
  sha256Hex,
  own,
} from '@subluminal/core-types';
import type { ListedPage } from '@subluminal/agent';
import type { MessageId, Outcome, Params } from '../message/message.js';
import { isVariantOf, namesOf } from '../message/names.js';

/** The request for a list of tools. */
export const TOOLS_LIST = 'tools/list';
/** The notification of a server whose list changed. */
export const LIST_CHANGED = 'notifications/tools/list_changed';

/** The keys of a list that decide what it holds. */
const LIST_KEYS = namesOf('tools', 'nextCursor');

/** The parameters of a request for a page. */
export interface ListRequest {
  /** The hash of its cursor; undefined for the first page. */
  readonly cursor: string | undefined;
  /** It is no page of a list that could be put together. */
  readonly apart: boolean;
  /** The hash of what the client has said that it can do. */
  readonly clientHash?: string | undefined;
}

/**
 * The first request of a session. It says what the client can do; later revisions say so with each request.
 */
export const INITIALIZE = 'initialize';
const CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities';

/** The hash of what the client says that it can do; undefined where it says nothing that can be read. */
export function clientHashOf(method: string, params: Params): string | undefined {
  if (!params.inspected || params.value === undefined) return undefined;
  const meta = own(params.value, '_meta');
  const said =
    method === INITIALIZE
      ? own(params.value, 'capabilities')
      : isJsonObject(meta)
        ? own(meta, CAPABILITIES_META)
        : undefined;
  if (!isJsonObject(said)) return undefined;
  try {
    return sha256Hex(canonicalize(said));
  } catch (error) {
    if (isSublError(error, 'not_canonical', 'too_deep')) return undefined;
    throw error;
  }
}

/** Reads what a request for a page asks with. */
export function listRequestOf(params: Params): ListRequest {
  if (!params.inspected) return { cursor: undefined, apart: true };
  const cursor = params.value === undefined ? undefined : own(params.value, 'cursor');
  if (cursor === undefined || cursor === null || cursor === '') return { cursor: undefined, apart: false };
  if (typeof cursor !== 'string') return { cursor: undefined, apart: true };
  return { cursor: sha256Hex(cursor), apart: false };
}

/** A page of tools as its server sent it. */
export interface ListResult {
  readonly result: JsonObject;
  readonly tools: readonly JsonValue[];
  readonly page: ListedPage;
}

/** How a page came. */
export interface ListAnswer {
  readonly outcome: Outcome;
  /** How often the server has announced another list. */
  readonly epoch: number;
  /** More bytes are not inspected. */
  readonly maxBytes: number;
}

/** Reads the answer to a request for a page; a text says why it cannot be judged. */
export function listResultOf(request: ListRequest, answer: ListAnswer): ListResult | string {
  const { outcome, epoch, maxBytes } = answer;
  const { value: result } = outcome;
  if (result === undefined)
    return `a list of tools of more than ${maxBytes} bytes, or nested too deep, cannot be checked`;
  if (!isJsonObject(result)) return 'a list of tools must be an object';
  for (const key of Object.keys(result)) {
    if (isVariantOf(LIST_KEYS, key)) return `its \`${key}\` is spelt unlike the standard`;
  }
  const tools = own(result, 'tools');
  if (!Array.isArray(tools)) return 'a list of tools must have an array of `tools`';
  const next = own(result, 'nextCursor');
  // Clients take an empty cursor for the end.
  const isLast = next === undefined || next === null || next === '';
  const { cursor, clientHash } = request;
  const apart = request.apart || (!isLast && typeof next !== 'string');
  const page: ListedPage = {
    epoch,
    tools: tools as readonly JsonValue[],
    ...(cursor === undefined ? {} : { cursor }),
    ...(typeof next === 'string' && !isLast ? { next: sha256Hex(next) } : {}),
    ...(apart ? { apart } : {}),
    ...(clientHash === undefined ? {} : { client_hash: clientHash }),
  };
  return { result, tools: page.tools, page };
}

/** The answer without some of its tools; undefined where it cannot be written. */
export function withoutTools(
  id: MessageId,
  { result, tools }: ListResult,
  leaveOut: ReadonlySet<number>,
): Buffer | undefined {
  const kept = tools.filter((_, at) => !leaveOut.has(at));
  try {
    const text = canonicalize({ ...result, tools: kept });
    return Buffer.from(`{"jsonrpc":"2.0","id":${id.text},"result":${text}}\n`);
  } catch (error) {
    if (isSublError(error, 'not_canonical', 'too_deep')) return undefined;
    throw error;
  }
}
