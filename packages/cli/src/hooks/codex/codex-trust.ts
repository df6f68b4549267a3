import { canonicalize, sha256Hex } from '@subluminal/core-types';
import { CODEX_INPUTS } from '@subluminal/hooks';

/** The server that answers the hooks, and its one tool. */
export const CONTROL_SERVER = 'subluminal';
export const CONTROL_TOOL = 'tell';
/** How long Codex waits for an answer, in seconds. */
export const CODEX_TIMEOUT_S = 15;

/** The handler of an event, as it stands in a file of hooks. */
export function codexHandler(event: string): object {
  return {
    type: 'mcp_tool',
    server: CONTROL_SERVER,
    tool: CONTROL_TOOL,
    input: CODEX_INPUTS.get(event) ?? {},
    timeout: CODEX_TIMEOUT_S,
  };
}

/**
 * The hash by which Codex knows that a person has agreed to a handler: of the compact JSON of what it runs,
 * its keys in their order. Found by experiment with 0.169.0.
 */
export function trustHash(event: string, handler: object, matcher: unknown): string {
  const whole = 'command' in handler ? { async: false, ...handler } : handler;
  const known = { event_name: snake(event), hooks: [whole], ...(matcher === undefined ? {} : { matcher }) };
  return `sha256:${sha256Hex(canonicalize(known))}`;
}

/** The name under which Codex keeps that: the file, the event, and the two places of the handler. */
export function trustKey(path: string, event: string, group: number, index: number): string {
  return `${path}:${snake(event)}:${group}:${index}`;
}

function snake(event: string): string {
  return event.replaceAll(/(?!^)[A-Z]/g, '_$&').toLowerCase();
}
