import { CLAUDE_EVENTS } from '@subluminal/hooks';
import { managedFolder, settingsFolder } from '../clients/claude/files.js';
import type { Where } from '../clients/client.js';
import { pathsOf } from '../clients/place/paths.js';
import type { HookClient, HookFile, HookObstacle, HookSetup } from './hook-client.js';
import { handlersIn, type HookGroup, type IsOurs, withGroups, withoutGroups } from './json-groups.js';

/** How long Claude Code waits for an answer, in seconds. The gateway answers, or refuses, sooner. */
const TIMEOUT_S = 15;
/** `SessionEnd` holds up the end of the client, which gives all of them one and a half seconds. */
const END_TIMEOUT_S = 1;
const TOOL_EVENTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'];

/** Claude Code: hooks in the user's settings, answered over HTTP on loopback. */
export const claudeHooks: HookClient = {
  name: 'claude',
  title: 'Claude Code',
  files: (where) => [file(pathsOf(where).join(settingsFolder(where), 'settings.json'))],
  obstacles,
  foreign: (where) =>
    projectFiles(where).flatMap((path) => {
      const found = handlersOf(where, path).filter(({ handler }) => !isOurs(handler));
      const events = [...new Set(found.map(({ event }) => event))];
      return events.length === 0 ? [] : [{ path, events }];
    }),
  canBlockWhenAway: true,
};

function file(path: string): HookFile {
  return {
    path,
    installed: (text, setup) => withGroups(text, groupsOf(setup), isOurs),
    removed: (text) => withoutGroups(text, isOurs),
    hasOurs: (text) => handlersIn(text).some(({ handler }) => isOurs(handler)),
  };
}

function groupsOf(setup: HookSetup): readonly HookGroup[] {
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
    args: [program, 'hooks', 'begin', 'claude', '--home', home],
    timeout: TIMEOUT_S,
  };
}

const isOurs: IsOurs = ({ type, url, args }) => {
  if (type === 'http')
    return typeof url === 'string' && /^http:\/\/127\.0\.0\.1:[0-9]{1,5}\/hook\/claude$/.test(url);
  if (type !== 'command' || !Array.isArray(args)) return false;
  const at = args.indexOf('hooks');
  return at > 0 && args[at + 1] === 'begin' && /[/\\]sub(?:\.mjs)?$/.test(String(args[at - 1]));
};

function obstacles(where: Where): readonly HookObstacle[] {
  const { join } = pathsOf(where);
  const own = join(settingsFolder(where), 'settings.json');
  const managed = join(managedFolder(where), 'managed-settings.json');
  const paths = [own, ...projectFiles(where), managed];
  const found = paths.flatMap((path): readonly HookObstacle[] => {
    const settings = settingsAt(where, path);
    if (settings['disableAllHooks'] === true)
      return [{ path, why: '`disableAllHooks` switches every hook off' }];
    if (settings['allowManagedHooksOnly'] === true)
      return [{ path, why: '`allowManagedHooksOnly` leaves only hooks of the administrator' }];
    return [];
  });
  return [...found, ...unlisted(where, paths, own)];
}

/** Lists of addresses that hooks may ask; Claude Code takes those of all files together. */
function unlisted(where: Where, paths: readonly string[], own: string): readonly HookObstacle[] {
  const lists = paths.flatMap((path) => {
    const list = settingsAt(where, path)['allowedHttpHookUrls'];
    return Array.isArray(list) ? [{ path, list: list.map(String) }] : [];
  });
  const [first] = lists;
  const ours = handlersOf(where, own).find(({ handler }) => isOurs(handler) && handler['type'] === 'http');
  const url = ours === undefined ? undefined : String(ours.handler['url']);
  if (first === undefined || url === undefined) return [];
  if (lists.some(({ list }) => list.some((pattern) => fits(url, pattern)))) return [];
  return [{ path: first.path, why: `\`allowedHttpHookUrls\` leaves out \`${url}\`` }];
}

/** `*` stands for anything. */
function fits(url: string, pattern: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return url === head;
  if (!url.startsWith(head) || !url.endsWith(last)) return false;
  let at = head.length;
  for (const part of rest) {
    const found = url.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= url.length - last.length;
}

function projectFiles(where: Where): readonly string[] {
  const { join } = pathsOf(where);
  return ['settings.json', 'settings.local.json'].map((name) => join(where.project, '.claude', name));
}

function settingsAt(where: Where, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(where.readText(path) ?? '{}');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    // The client drops a file that it cannot read.
    return {};
  }
}

function handlersOf(where: Where, path: string) {
  try {
    return handlersIn(where.readText(path) ?? '{}');
  } catch {
    return [];
  }
}
