import { isJsonObject, maskedJson, type JsonObject, type JsonValue } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';

type Mask = (text: string) => string;

/** Every member. */
const EACH = '*';
const HINT = ['hint_text', 'retry_advice', 'suggested_args'];

/**
 * The paths in an entry's data that hold text which somebody wrote freely. Secrets of servers are taken out
 * there and nowhere else. All other members are the structure of the entry: who did what, what was decided
 * and by which rule, what was charged. Readers, limits after a restart and verification rely on it, and
 * nobody changes it by calling some word a secret.
 */
const FREE_TEXTS: readonly (readonly string[])[] = [
  ['call', 'context'],
  ['decision', 'explain', 'summary'],
  ...HINT.map((name) => ['decision', 'hint', name]),
  ['decision', 'terminate', 'terminate_message'],
  ['error', 'message'],
  // Its names are those of the policy.
  ['facts', 'args', EACH],
  ...HINT.map((name) => ['hint', name]),
  ['run', 'message'],
  ['summary'],
  ['testimony', 'now', 'summary'],
  ...HINT.map((name) => ['testimony', 'now', 'hint', name]),
  ['testimony', 'now', 'terminate', 'terminate_message'],
];

/** The same of texts that are stored beside an entry. */
const FREE_BLOBS: ReadonlySet<string> = new Set(['call.preview.args_preview', 'preview.result_preview']);

/** The entry without what `mask` takes out of its free texts. */
export function hiddenEntry(entry: EntryInput, mask: Mask): EntryInput {
  const { blobs, data, tool, type } = entry;
  let hidden = FREE_TEXTS.reduce((before, path) => at(before, path, mask), data);
  // A shim's report of an end may repeat its server's words; in an end of our own the code is the reason of a
  // rule.
  if (type === 'tool_call_end' && (Object.hasOwn(data, 'req') || Object.hasOwn(data, 'testimony')))
    hidden = at(hidden, ['error', 'code'], mask);
  // Nothing was done under that name: it came with something that could not be read.
  const isDropped = type === 'message_dropped';
  if (isDropped) hidden = at(hidden, ['method'], mask);
  return {
    ...entry,
    ...(isDropped && Array.isArray(tool) ? { tool: [tool[0], mask(tool[1])] } : {}),
    ...(blobs === undefined ? {} : { blobs: hiddenBlobs(blobs, mask) }),
    data: hidden,
  };
}

/** The object with what stands under the path masked, names within included. */
function at(data: JsonObject, [name = '', ...rest]: readonly string[], mask: Mask): JsonObject {
  if (name === EACH)
    return Object.fromEntries(Object.entries(data).map(([key, one]) => [key, under(one, rest, mask)]));
  const value = Object.hasOwn(data, name) ? data[name] : undefined;
  return value === undefined ? data : { ...data, [name]: under(value, rest, mask) };
}

function under(value: JsonValue, path: readonly string[], mask: Mask): JsonValue {
  if (path.length === 0) return maskedJson(value, mask);
  return isJsonObject(value) ? at(value, path, mask) : value;
}

function hiddenBlobs(blobs: Readonly<Record<string, string>>, mask: Mask): Record<string, string> {
  return Object.fromEntries(
    Object.entries(blobs).map(([slot, text]) => [slot, FREE_BLOBS.has(slot) ? mask(text) : text]),
  );
}
