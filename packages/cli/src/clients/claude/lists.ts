import type { Client, Reading, ServerEntry, Where } from '../client.js';
import { readOther, type OtherFile } from '../text/json/other-file.js';
import { readJson, STRICT } from '../text/json/read.js';
import { memberOf, stringAt, type JsonNode } from '../text/json/tree.js';
import { pathsOf } from '../place/paths.js';
import { matchesUrl } from './match-url.js';
import { managedFolder, settingsFolder } from './files.js';

/** One item of `allowedMcpServers` or `deniedMcpServers`. */
interface Item {
  readonly name: string | undefined;
  readonly command: readonly string[] | undefined;
  readonly url: string | undefined;
}

/** The lists of one file of settings; undefined where it has none. */
interface Lists {
  readonly path: string;
  readonly allowed: readonly Item[] | undefined;
  readonly denied: readonly Item[];
}

const LOGIN = 'the client is signed in to it with oauth, for its own address';

/** The lists of one file that keep entries from being routed. */
type Rule = (entry: ServerEntry) => string | undefined;

/**
 * Claude Code compares commands and addresses of servers with lists in its settings, exactly. A routed server
 * has another command: a list of the allowed would refuse it, and a list of the denied would no longer. So
 * what such a list is about stays as it is. Settings that cannot be read forbid everything, since what they
 * deny is not known.
 */
export const claudeForbids: Client['forbids'] = (where, readings) => {
  const { join } = pathsOf(where);
  const managed = managedFolder(where);
  const exclusive = readOther(where, join(managed, 'managed-mcp.json'), STRICT);
  if ('problem' in exclusive || exclusive.root !== undefined) {
    return () => `\`${exclusive.path}\` is there, and the client then starts no server of other files`;
  }
  const everywhere = [...managedSettings(where, managed), join(settingsFolder(where), 'settings.json')];
  const rules = new Map<string, Rule>();
  const ruleOf = (path: string): Rule => {
    const known = rules.get(path);
    if (known !== undefined) return known;
    const rule = ruleOfFile(readOther(where, path, STRICT));
    rules.set(path, rule);
    return rule;
  };
  const projects = [...new Set([where.project, ...knownProjects(readings)])];
  const loggedIn = logins(readOther(where, join(settingsFolder(where), '.credentials.json'), STRICT));
  return (entry) => {
    if (entry.kind === 'http' && loggedIn.has(entry.name)) return LOGIN;
    const own = entry.scope === 'local' ? entry.pointer[1] : entry.file.project;
    const paths = (own === undefined ? projects : [own]).flatMap((project) =>
      ['settings.json', 'settings.local.json'].map((name) => join(project, '.claude', name)),
    );
    for (const path of [...everywhere, ...paths]) {
      const reason = ruleOf(path)(entry);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
};

/**
 * The servers that the client has signed in to, as far as a file tells (the keychain of macOS is not looked
 * into).
 */
function logins(file: OtherFile): ReadonlySet<string> {
  const list = 'problem' in file ? undefined : memberOf(file.root, 'mcpOAuth')?.value;
  if (list?.kind !== 'object') return new Set();
  return new Set(
    list.members.map(({ key, value }) => stringAt(value, 'serverName') ?? key.split('|', 1)[0] ?? key),
  );
}

function managedSettings(where: Where, folder: string): readonly string[] {
  const { join } = pathsOf(where);
  const parts = join(folder, 'managed-settings.d');
  return [
    join(folder, 'managed-settings.json'),
    ...where
      .list(parts)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(parts, name)),
  ];
}

/** The projects that the client knows: a server of the user may be started in each of them. */
function knownProjects(readings: readonly Reading[]): readonly string[] {
  return readings.flatMap(({ file, text, problem }) => {
    if (file.scope !== 'user' || text === undefined || problem !== undefined) return [];
    const projects = memberOf(readJson(text, STRICT), 'projects')?.value;
    return projects?.kind === 'object' ? projects.members.map(({ key }) => key) : [];
  });
}

function ruleOfFile(file: OtherFile): Rule {
  if ('problem' in file) {
    return () => `\`${file.path}\` cannot be read, and may deny it (${file.problem})`;
  }
  const lists = listsOf(file.path, file.root);
  if (lists === undefined) {
    return () => `\`${file.path}\` has a list of servers in a form that is not known, and may deny it`;
  }
  return (entry) => judged(lists, entry);
}

function judged({ path, allowed, denied }: Lists, entry: ServerEntry): string | undefined {
  if (denied.some((item) => isAbout(item, entry))) {
    return `\`deniedMcpServers\` in \`${path}\` denies it, and would not under another command`;
  }
  if (allowed === undefined) return undefined;
  const exact = allowed.some((item) => (entry.kind === 'stdio' ? item.command : item.url) !== undefined);
  if (exact) {
    return `\`allowedMcpServers\` in \`${path}\` allows exact ${entry.kind === 'stdio' ? 'commands' : 'addresses'}, and a routed one is another`;
  }
  return allowed.some((item) => item.name === entry.name)
    ? undefined
    : `\`allowedMcpServers\` in \`${path}\` does not allow it`;
}

/**
 * Whether an item of a list of the denied means this entry, or may: variables have values that are not known
 * here.
 */
function isAbout(item: Item, entry: ServerEntry): boolean {
  if (item.name !== undefined && item.name === entry.name) return true;
  if (item.command !== undefined && entry.command !== undefined) {
    const argv = [entry.command, ...(entry.args ?? [])];
    if (argv.some((text) => text.includes('${'))) return true;
    return argv.length === item.command.length && argv.every((text, index) => text === item.command?.[index]);
  }
  if (item.url === undefined || entry.url === undefined) return false;
  return entry.url.includes('${') || matchesUrl(item.url, entry.url);
}

function listsOf(path: string, root: JsonNode | undefined): Lists | undefined {
  const allowed = itemsAt(root, 'allowedMcpServers');
  const denied = itemsAt(root, 'deniedMcpServers');
  return allowed === null || denied === null ? undefined : { path, allowed, denied: denied ?? [] };
}

/** Null where the list is of a form that is not known. */
function itemsAt(root: JsonNode | undefined, key: string): readonly Item[] | null | undefined {
  const list = memberOf(root, key)?.value;
  if (list === undefined) return undefined;
  if (list.kind !== 'array') return null;
  const items = list.items.map(itemOf);
  return items.every((item) => item !== undefined) ? items : null;
}

function itemOf(node: JsonNode): Item | undefined {
  const list = memberOf(node, 'serverCommand')?.value;
  const command =
    list?.kind === 'array' ? list.items.map((item) => (item.kind === 'string' ? item.value : '')) : undefined;
  const item = { name: stringAt(node, 'serverName'), command, url: stringAt(node, 'serverUrl') };
  return Object.values(item).every((value) => value === undefined) ? undefined : item;
}
