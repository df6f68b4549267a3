import { CODEX_TIMEOUT_S, CONTROL_SERVER } from './codex-trust.js';
import type { HookSetup } from '../hook-client.js';
import type { FoundHandler, HookGroup, IsOurs } from '../json-groups.js';

/**
 * Refuses a call where no control server of this very Codex is there, or one of them is stopped: Codex makes
 * a call whose MCP hook fails. Each server is a file, named by its process, in the folder that is named by
 * the process of Codex, which is the parent of this shell, or of the user's own shell around it. `$0` is the
 * home. A process that has ended, and that nobody has waited for, is not there. A server that still starts
 * has a dot behind its number: another thread of this Codex has no answers yet, and the guard waits for them
 * for two seconds at most.
 */
const SCRIPT = [
  'cat >/dev/null',
  'state() { s=; { read -r s <"/proc/$1/stat"; } 2>/dev/null; s=${s##*) }; s=${s%% *}; [ "$s" ] || s=$(ps -o stat= -p "$1" 2>/dev/null); }',
  'up() { no=1; for at in "$0/run/hooks/$1"/*; do at=${at##*/}; state "${at%.}"; case "$s$at" in "$at"|*Z*) ;; *[Tt]*) return 1;; *.) no=2;; *) [ "$no" = 2 ] || no=0;; esac; done; return $no; }',
  'both() { up "$PPID"; r=$?; [ $r = 1 ] || return $r; up "$(ps -o ppid= -p "$PPID" | tr -d " ")"; }',
  'n=0; while both; r=$?; [ $r = 2 ] && [ $n -lt 20 ]; do n=$((n+1)); sleep 0.1; done',
  '[ $r = 0 ] || { echo "subluminal: nobody could decide this call, so it was not made; try it again in a second, and if that does not help, a person has to run sub up and to start Codex anew" >&2; exit 2; }',
].join('; ');
const START = `/bin/sh -c '${SCRIPT}' '`;
/** A guard of any version: what it runs may be another text, and is replaced and taken out all the same. */
const GUARD = /^\/bin\/sh -c '[^']*\$0\/run\/hooks\/[^']*' '(.*)'$/s;
const MATCHER = /^\^\(\?:([A-Za-z0-9_|]+)\)\$$/;

/** The home and the tools of a guard. */
export type Guarded = Pick<HookSetup, 'blockedWhenAway' | 'home'>;

/** The group that guards these tools; none where there are none. */
export function guardGroups({ blockedWhenAway: tools, home }: Guarded): readonly HookGroup[] {
  if (tools.length === 0) return [];
  const command = `${START}${home.replaceAll("'", String.raw`'\''`)}'`;
  const handler = { type: 'command', command, timeout: CODEX_TIMEOUT_S };
  return [{ event: 'PreToolUse', group: { matcher: `^(?:${tools.join('|')})$`, hooks: [handler] } }];
}

/** The guard among the handlers of a file; no tools where there is none. */
export function guardIn(handlers: readonly FoundHandler[]): Guarded {
  const found = handlers.find(({ handler }) => isGuard(handler));
  const [, tools] = MATCHER.exec(String(found?.matcher)) ?? [];
  const [, home = ''] = GUARD.exec(String(found?.handler['command'])) ?? [];
  return { blockedWhenAway: tools?.split('|') ?? [], home: home.replaceAll(String.raw`'\''`, "'") };
}

/** Whether a handler asks the control server, or guards its calls. */
export const isOurs: IsOurs = (handler) =>
  (handler['type'] === 'mcp_tool' && handler['server'] === CONTROL_SERVER) || isGuard(handler);

const isGuard: IsOurs = ({ type, command }) =>
  type === 'command' && typeof command === 'string' && GUARD.test(command);
