import { CLAUDE_EVENTS } from '@subluminal/hooks';
import { isLauncher } from '../../clients/ours.js';
import type { HookSetup } from '../hook-client.js';
import { handlersIn, type HookGroup, type IsOurs } from '../json-groups.js';

/** How long Claude Code waits for an answer, in seconds. The gateway answers, or refuses, sooner. */
const TIMEOUT_S = 15;
/** `SessionEnd` holds up the end of the client, which gives all of them one and a half seconds. */
const END_TIMEOUT_S = 1;
const TOOL_EVENTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'];

/** The hooks of Claude Code, as they are to stand in its settings. */
export function groupsOf(setup: HookSetup): readonly HookGroup[] {
  const { blockedWhenAway: blocked } = setup;
  const ask = http(setup);
  const before: readonly object[] =
    blocked.length === 0
      ? [{ matcher: '*', hooks: [ask] }]
      : [
          { matcher: blocked.join('|'), hooks: [{ ...ask, onFailure: 'block' }] },
          // Handlers that differ would both be asked: every tool is in one group alone.
          { matcher: `^(?!(?:${blocked.join('|')})$)`, hooks: [ask] },
        ];
  return [
    { event: 'SessionStart', group: { hooks: [starts(setup)] } },
    ...before.map((group) => ({ event: 'PreToolUse', group })),
    ...TOOL_EVENTS.slice(1).map((event) => ({ event, group: { matcher: '*', hooks: [ask] } })),
    ...[...CLAUDE_EVENTS.keys()]
      .filter((event) => event !== 'SessionStart')
      .map((event) => ({
        event,
        group: { hooks: [event === 'SessionEnd' ? { ...ask, timeout: END_TIMEOUT_S } : ask] },
      })),
  ];
}

function http({ port, enrolToken }: HookSetup): object {
  return {
    type: 'http',
    url: `http://127.0.0.1:${port}/hook/claude`,
    headers: { Authorization: `Bearer ${enrolToken}` },
    timeout: TIMEOUT_S,
  };
}

/** Claude Code starts programs alone when a session begins: this one sees that a gateway runs. */
function starts({ node, program, home }: HookSetup): object {
  return {
    type: 'command',
    command: node,
    args: [...(program === undefined ? [] : [program]), 'hooks', 'begin', 'claude', '--home', home],
    timeout: TIMEOUT_S,
  };
}

/** The setup by which the hooks of a text were written; undefined where a part of it is not there. */
export function setupIn(text: string): HookSetup | undefined {
  if (text.trim() === '') return undefined;
  const ours = handlersIn(text).filter(({ handler }) => isOurs(handler));
  const asks = ours.find(({ handler }) => handler['type'] === 'http')?.handler;
  const { command, args } = ours.find(({ handler }) => handler['type'] === 'command')?.handler ?? {};
  if (asks === undefined || !Array.isArray(args)) return undefined;
  const { Authorization: shown } = { ...(asks['headers'] as { readonly Authorization?: unknown }) };
  const blocks = ours.find(({ handler }) => handler['onFailure'] === 'block');
  return {
    node: String(command),
    program: args[0] === 'hooks' ? undefined : String(args[0]),
    home: String(args.at(-1)),
    port: Number(new URL(String(asks['url'])).port),
    enrolToken: String(shown).replace(/^Bearer /, ''),
    blockedWhenAway: blocks === undefined ? [] : String(blocks.matcher).split('|'),
    passedWhenAway: [],
  };
}

/** Whether a handler asks the gateway, or starts one. */
export const isOurs: IsOurs = ({ type, url, command, args }) => {
  if (type === 'http')
    return typeof url === 'string' && /^http:\/\/127\.0\.0\.1:[0-9]{1,5}\/hook\/claude$/.test(url);
  if (type !== 'command' || !Array.isArray(args)) return false;
  const at = args.indexOf('hooks');
  if (at === -1 || args[at + 1] !== 'begin') return false;
  return at === 0 ? isLauncher(command, args) : /[/\\]sub(?:\.mjs)?$/.test(String(args[at - 1]));
};
