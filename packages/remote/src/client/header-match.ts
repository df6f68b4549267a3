import { ExactNumber, isJsonObject, type JsonObject, type JsonValue, own } from '@subluminal/core-types';
import { isReadAsAnother, type Message } from '@subluminal/mcp';
import type { McpHeaders } from './ask.js';
import type { DeclaredParams } from './declared-params.js';

/** From this revision on a message says its own version, and its header says again what stands in it. */
const FIRST_MODERN = '2026-07-28';
const VERSION = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
/** The methods whose `Mcp-Name` says again what one of their params says. */
const NAME_SOURCES: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);
const SENTINEL = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;
const DECIMAL = /^-?[0-9]{1,40}(?:\.[0-9]{1,40})?$/;
/** As many as a tool can declare. */
const MAX_PARAMS = 64;
/** Arguments that are looked at for parameters that no list has declared. */
const MAX_LOOKED_AT = 10_000;

/** Tells whether a message is of the era in which closing a stream cancels its request. */
export function isModern({ protocolVersion }: McpHeaders, message: Message): boolean {
  const version = bodyVersion(message) ?? protocolVersion;
  return version !== undefined && VERSION.test(version) && version >= FIRST_MODERN;
}

/**
 * The part of the header that says something else than the body, in words; undefined where nothing does. A
 * hop that stands between us and the server may go by the header alone: what was judged, the body, would then
 * not be what is done.
 */
export function headerMismatch(
  mcp: McpHeaders,
  message: Message,
  declared: DeclaredParams,
): string | undefined {
  const version = bodyVersion(message);
  if (version !== undefined && mcp.protocolVersion !== undefined && version !== mcp.protocolVersion)
    return '`MCP-Protocol-Version` is not the version in the body';
  const method = message.type === 'answer' ? undefined : message.method;
  if (mcp.method !== undefined && mcp.method !== method) return '`Mcp-Method` is not the method in the body';
  return nameMismatch(mcp, message) ?? paramMismatch(mcp, message, declared);
}

function bodyVersion(message: Message): string | undefined {
  const meta = paramsOf(message)?.['_meta'];
  const version = meta !== undefined && isJsonObject(meta) ? own(meta, VERSION_KEY) : undefined;
  return typeof version === 'string' ? version : undefined;
}

function paramsOf(message: Message): JsonObject | undefined {
  return message.type !== 'answer' && message.params.inspected ? message.params.value : undefined;
}

function nameMismatch({ name }: McpHeaders, message: Message): string | undefined {
  if (name === undefined) return undefined;
  const said = decoded(name);
  if (said === undefined) return '`Mcp-Name` cannot be read';
  if (message.type === 'answer') return '`Mcp-Name` stands with an answer';
  const { method, params } = message;
  const source = NAME_SOURCES.get(method);
  if (source === undefined) return '`Mcp-Name` stands with a method that names nothing';
  const uninspected = params.inspected || method !== 'tools/call' ? undefined : params.name;
  const inBody = params.inspected ? own(params.value ?? {}, source) : uninspected;
  return inBody === said ? undefined : '`Mcp-Name` is not what the body names';
}

function paramMismatch(
  { params: headers }: McpHeaders,
  message: Message,
  declared: DeclaredParams,
): string | undefined {
  if (headers.size === 0) return undefined;
  const params = paramsOf(message);
  if (params === undefined) return '`Mcp-Param` headers stand with a body that they cannot be compared with';
  if (headers.size > MAX_PARAMS)
    return `more than ${MAX_PARAMS} \`Mcp-Param\` headers stand with the request`;
  const args = own(params, 'arguments');
  const tool = own(params, 'name');
  let scalars: Scalars | undefined;
  for (const [header, value] of headers) {
    const shown = `\`Mcp-Param-${header.slice(0, 64)}\``;
    if (isReadAsAnother(header)) return `${shown} is a name that some servers read as another`;
    const said = decoded(value);
    if (said === undefined) return `${shown} cannot be read`;
    const path = typeof tool === 'string' ? declared.pathOf(tool, header) : undefined;
    const fits =
      path === undefined ? isAmong(said, (scalars ??= scalarsOf(args))) : isSame(said, at(args, path));
    if (!fits) return `${shown} is not what the arguments say`;
  }
  return undefined;
}

/**
 * The text of a header's value, which is base64 of UTF-8 where it says so; undefined for what is not quite
 * that.
 */
function decoded(value: string): string | undefined {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value;
  const [, base64] = SENTINEL.exec(value) ?? [];
  if (base64 === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64'));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function isSame(said: string, value: JsonValue | undefined): boolean {
  if (typeof value === 'string') return said === value;
  if (typeof value === 'boolean') return said === String(value);
  if (value instanceof ExactNumber) return said === value.text;
  if (typeof value === 'number')
    return said === String(value) || (DECIMAL.test(said) && Number(said) === value);
  return false;
}

/** Every text, number and boolean of a call's arguments. */
interface Scalars {
  readonly texts: ReadonlySet<string>;
  readonly numbers: ReadonlySet<number>;
}

/** Looks at the arguments once, however many headers are compared with them. */
function scalarsOf(args: JsonValue | undefined): Scalars {
  const texts = new Set<string>();
  const numbers = new Set<number>();
  const waiting: (JsonValue | undefined)[] = [args];
  for (let looked = 0; waiting.length > 0 && looked < MAX_LOOKED_AT; looked += 1) {
    const value = waiting.pop();
    if (value === undefined || value === null) continue;
    if (typeof value === 'number') numbers.add(value);
    if (value instanceof ExactNumber) texts.add(value.text);
    else if (typeof value !== 'object') texts.add(String(value));
    else if (Array.isArray(value)) waiting.push(...value.slice(0, MAX_LOOKED_AT));
    else waiting.push(...Object.values(value).slice(0, MAX_LOOKED_AT));
  }
  return { texts, numbers };
}

/** No list of tools has declared it: then it says at least nothing that the arguments do not say. */
function isAmong(said: string, { texts, numbers }: Scalars): boolean {
  return texts.has(said) || (DECIMAL.test(said) && numbers.has(Number(said)));
}

function at(args: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let value = args;
  for (const key of path) {
    if (value === undefined || value === null || !isJsonObject(value)) return undefined;
    value = own(value, key);
  }
  return value;
}
