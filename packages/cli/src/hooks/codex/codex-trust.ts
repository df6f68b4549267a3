import { sha256Hex } from '@subluminal/core-types';
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
export function trustHash(event: string): string {
  const handler = {
    input: sorted(CODEX_INPUTS.get(event) ?? {}),
    server: CONTROL_SERVER,
    timeout: CODEX_TIMEOUT_S,
    tool: CONTROL_TOOL,
    type: 'mcp_tool',
  };
  return `sha256:${sha256Hex(JSON.stringify({ event_name: snake(event), hooks: [handler] }))}`;
}

/** The name under which Codex keeps that: the file, the event, and the two places of the handler. */
export function trustKey(path: string, event: string, group: number, index: number): string {
  return `${path}:${snake(event)}:${group}:${index}`;
}

function sorted(input: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(input).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function snake(event: string): string {
  return event.replaceAll(/(?!^)[A-Z]/g, '_$&').toLowerCase();
}
