import { isJsonObject, type JsonObject, own } from '@subluminal/core-types';
import type { Params } from '../message/message.js';

/** The fields of `_meta` by which a client's own record of a call can be joined with ours. */
const JOIN_KEYS = ['claudecode/toolUseId', 'callId', 'itemId', 'sessionId', 'threadId'] as const;
const MAX_LENGTH = 256;

/** The client's words on a call, as far as it helps to find it again; undefined when it says nothing. */
export function callContextOf(params: Params): JsonObject | undefined {
  const meta = params.inspected ? params.value?.['_meta'] : undefined;
  if (!isJsonObject(meta)) return undefined;
  const found: { [key: string]: string } = {};
  for (const key of JOIN_KEYS) {
    const value = own(meta, key);
    if (typeof value === 'string' && value.length <= MAX_LENGTH) found[key] = value;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}
