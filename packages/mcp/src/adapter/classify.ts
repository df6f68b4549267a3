import { isJsonObject, PROTOCOL_PREFIX, type JsonObject, type JsonValue } from '@subluminal/core-types';
import { UninspectedArgs } from '@subluminal/agent';
import type { Params } from '../message/message.js';
import {
  foldName,
  hasOtherReadings,
  isReadAsAnother,
  isVariantOf,
  lettersOf,
  repeatedName,
  shownName,
  TOOL_CALL_KEYS,
} from '../message/names.js';

/** The longest name of a tool that `tool.call.begin` takes. */
const MAX_TOOL_NAME = 512;
/**
 * Requests that have no effect outside the session: they open it, list what there is, and steer messages that
 * are judged themselves. Of the revisions 2025-06-18, 2025-11-25 and 2026-07-28. Every other request is
 * decided.
 */
const HOUSEKEEPING: ReadonlySet<string> = new Set([
  'initialize',
  'logging/setLevel',
  'ping',
  'prompts/list',
  'resources/list',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'roots/list',
  'server/discover',
  'subscriptions/listen',
  'tasks/cancel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/update',
  'tools/list',
]);

/** The call of a tool. */
const TOOLS_CALL = 'tools/call';

/** Requests with an effect that the revisions name: as a notification, without an id, they are refused. */
const EFFECTS: ReadonlySet<string> = new Set([
  TOOLS_CALL,
  'completion/complete',
  'elicitation/create',
  'prompts/get',
  'resources/read',
  'sampling/createMessage',
]);

/** Notifications of the revisions from 2024-11-05 to 2026-07-28. Any other is decided as a request is. */
const NOTIFICATIONS: ReadonlySet<string> = new Set([
  'notifications/cancelled',
  'notifications/elicitation/complete',
  'notifications/initialized',
  'notifications/message',
  'notifications/progress',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/roots/list_changed',
  'notifications/subscriptions/acknowledged',
  'notifications/tasks',
  'notifications/tasks/status',
  'notifications/tools/list_changed',
]);

const KNOWN_LETTERS: ReadonlySet<string> = new Set(
  [...HOUSEKEEPING, ...EFFECTS, ...NOTIFICATIONS].map(lettersOf),
);
/** A server that is mounted below a name of its own takes the rest for the method: `mcp/tools/call`. */
const MOUNTED_EFFECTS: readonly string[] = [...EFFECTS].map((method) => `/${wordsOf(method)}/`);

/** Tells whether a request calls a tool. */
export function isToolCall(method: string): boolean {
  return method === TOOLS_CALL;
}

/** Tells whether a request passes without a decision. */
export function isHousekeeping(method: string): boolean {
  return HOUSEKEEPING.has(method);
}

/** Tells whether a notification passes without a decision. */
export function isPlainNotification(method: string): boolean {
  return NOTIFICATIONS.has(method);
}

/** Tells whether a message of this method must have an id. */
export function mustBeRequest(method: string): boolean {
  return EFFECTS.has(method) || HOUSEKEEPING.has(method);
}

/** The part of a message that is decided: a name and arguments. */
export interface Effect {
  readonly toolName: string;
  readonly args: JsonObject | UninspectedArgs;
}

/** How the bytes of a message are named where its content was not inspected. */
export interface Observed {
  readonly bytes: number;
  readonly streamHash: string;
}

/**
 * The effect of a request; a text says why it cannot be judged. `observed` is asked only for uninspected
 * params.
 */
export function effectOf(method: string, params: Params, observed: () => Observed): Effect | string {
  if (method === TOOLS_CALL) return toolCall(params, observed);
  const toolName = PROTOCOL_PREFIX + method;
  if (toolName.length > MAX_TOOL_NAME) return 'the method is too long';
  if (isMisspelt(method)) return 'the method is spelt unlike the standard';
  if (!params.inspected) return { toolName, args: uninspected(observed(), params.keys) };
  const args = params.value ?? {};
  return problemIn('params', args) ?? { toolName, args };
}

/**
 * A method that a lenient server takes for one of the standard, and so for a call that was decided under
 * another name.
 */
function isMisspelt(method: string): boolean {
  if (EFFECTS.has(method) || NOTIFICATIONS.has(method)) return false;
  if (hasOtherReadings(method) || KNOWN_LETTERS.has(lettersOf(method))) return true;
  const words = `/${wordsOf(method)}/`;
  return MOUNTED_EFFECTS.some((effect) => words.includes(effect));
}

/** The words of a method in lower case, whatever stands between them. */
function wordsOf(method: string): string {
  return foldName(method).replaceAll(/[^a-z]+/g, '/');
}

/**
 * Finds a name that stands twice, also for a server that reads `path` and `Path` as the same, or that some
 * servers read as another. No such arguments are decided.
 */
function problemIn(where: string, value: JsonObject): string | undefined {
  const keys = Object.keys(value);
  const other = keys.find(isReadAsAnother);
  if (other !== undefined)
    return `\`${where}.${shownName(other)}\` is a name that some servers read as another: send it as the tool declares it`;
  const repeated = repeatedName(keys);
  return repeated === undefined ? undefined : `\`${where}.${repeated}\` stands twice for some readers`;
}

function toolCall(params: Params, observed: () => Observed): Effect | string {
  if (!params.inspected) {
    const problem = toolNameProblem(params.name);
    if (problem !== undefined) return problem;
    if (params.argumentsAre === 'other') return '`params.arguments` must be an object';
    return { toolName: params.name ?? '', args: uninspected(observed(), params.argumentKeys) };
  }
  const value = params.value ?? {};
  for (const key of Object.keys(value)) {
    if (isVariantOf(TOOL_CALL_KEYS, key)) return `\`params.${key}\` is spelt unlike the standard`;
  }
  const name = Object.hasOwn(value, 'name') ? value['name'] : undefined;
  const problem = toolNameProblem(name);
  if (problem !== undefined || typeof name !== 'string') return problem ?? '`params.name` must be a text';
  const args = Object.hasOwn(value, 'arguments') ? value['arguments'] : {};
  if (!isJsonObject(args)) return '`params.arguments` must be an object';
  return problemIn('params', value) ?? problemIn('params.arguments', args) ?? { toolName: name, args };
}

function toolNameProblem(name: JsonValue | undefined): string | undefined {
  if (typeof name !== 'string') return '`params.name` must be a text';
  if (name === '' || name.length > MAX_TOOL_NAME) return '`params.name` is empty or too long';
  if (hasOtherReadings(name)) return '`params.name` has characters that some readers take for others';
  return name.startsWith(PROTOCOL_PREFIX) ? `a tool cannot be named \`${PROTOCOL_PREFIX}…\`` : undefined;
}

function uninspected(observed: Observed, keys: readonly string[] | undefined): UninspectedArgs {
  return new UninspectedArgs(observed.streamHash, observed.bytes, keys);
}
