import { managedFolder, settingsFolder } from '../../clients/claude/files.js';
import type { Where } from '../../clients/client.js';
import { pathsOf } from '../../clients/place/paths.js';
import { groupsOf, isOurs, setupIn } from './claude-groups.js';
import {
  blockedAfter,
  type HookClient,
  type HookFile,
  type HookObstacle,
  type HookSetup,
} from '../hook-client.js';
import { CLAUDE_TOOLS } from '../known-tools.js';
import { eventsIn, handlersIn, hasExactly, withGroups, withoutGroups } from '../json-groups.js';

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
  tools: CLAUDE_TOOLS,
};

function file(path: string): HookFile {
  return {
    path,
    installed: (text, setup) => withGroups(text, groupsOf(joined(setup, setupIn(text))), isOurs),
    removed: (text) => withoutGroups(text, isOurs),
    contents: (text) => {
      const setup = setupIn(text);
      return {
        ...eventsIn(text, isOurs),
        blockedWhenAway: setup?.blockedWhenAway ?? [],
        starts: setup === undefined ? [] : [setup.node, setup.program].filter((one) => one !== undefined),
      };
    },
    isWhole: (text, port) => {
      const setup = setupIn(text);
      if (setup === undefined || (port !== undefined && port !== setup.port)) return false;
      return hasExactly(text, groupsOf(setup), isOurs);
    },
  };
}

/** Tools that are blocked already stay so; a look takes the port and the token that stand there. */
function joined(setup: HookSetup, was: HookSetup | undefined): HookSetup {
  if (was === undefined) return setup;
  const blockedWhenAway = blockedAfter(was.blockedWhenAway, setup);
  const { port, enrolToken } = setup.port === 0 ? was : setup;
  return { ...setup, port, enrolToken, blockedWhenAway };
}

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
  const own = join(settingsFolder(where), 'settings.json');
  const files = ['settings.json', 'settings.local.json'].map((name) => join(where.project, '.claude', name));
  // In the folder of the account the file of the project is the account's own.
  return files.filter((path) => path !== own);
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
