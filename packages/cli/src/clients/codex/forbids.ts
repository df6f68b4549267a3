import type { Reading, ServerEntry, Where } from '../client.js';
import { pathsOf } from '../place/paths.js';
import { codexFiles, codexHome } from './files.js';
import { readCodex } from './read.js';
import { systemFiles } from './system.js';

/**
 * Further reasons not to route an entry; see `Client.forbids`. Of a routed one: why it is not as it was
 * routed.
 */
export function forbidsOf(
  where: Where,
  readings: readonly Reading[],
): (entry: ServerEntry) => string | undefined {
  const { requirements } = systemFiles(where);
  const entries = layers(where, readings).flatMap((reading) => reading.entries);
  const loggedIn = logins(where);
  return (entry) => {
    if (requirements.broken) return `\`${requirements.path}\` cannot be read, and may forbid it`;
    if (requirements.servers !== undefined) {
      return `\`${requirements.path}\` allows servers by their exact command or address`;
    }
    const other = entries.find((one) => one.name === entry.name && changes(one, entry));
    if (other !== undefined) return `\`${other.file.path}\` changes it, and would change what is routed`;
    if (entry.kind !== 'http' || entry.url === undefined) return undefined;
    if (loggedIn === undefined) return 'whether Codex is logged in to it cannot be read';
    if (!loggedIn.includes(entry.url)) return undefined;
    return 'Codex is logged in to it with OAuth, and only at its own address';
  };
}

/** Every file that Codex lays over the others here, also those that are not asked for. */
function layers(where: Where, readings: readonly Reading[]): readonly Reading[] {
  const others = codexFiles(where).filter((file) => !readings.some((one) => one.file.path === file.path));
  return [
    ...readings,
    ...others.flatMap((file) => {
      try {
        const text = where.readText(file.path);
        return text === undefined ? [] : [readCodex(file, text)];
      } catch {
        // Codex cannot read it either.
        return [];
      }
    }),
  ];
}

/**
 * Whether an entry of another file, of the same name, mixes with this one. Codex lays its files over each
 * other key by key: with only one of them routed, a server would get the one's command and the other's
 * arguments. An entry that gives both takes the whole place; settings that are neither do no harm.
 */
function changes(other: ServerEntry, entry: ServerEntry): boolean {
  if (other.file.path === entry.file.path || other.kind === 'ours') return false;
  if (other.url !== undefined) return true;
  if (other.command !== undefined) return other.args === undefined;
  return other.args !== undefined || other.envKeys.length > 0;
}

/**
 * The addresses that Codex keeps OAuth tokens for in its file, undefined where that cannot be read. Those in
 * the system's keychain cannot be seen.
 */
function logins(where: Where): readonly string[] | undefined {
  try {
    const text = where.readText(pathsOf(where).join(codexHome(where), '.credentials.json'));
    const stored: unknown = text === undefined ? {} : JSON.parse(text);
    return Object.values(Object(stored) as object).flatMap((one: unknown) => {
      const url = (Object(one) as Record<string, unknown>)['server_url'];
      return typeof url === 'string' ? url : [];
    });
  } catch {
    return undefined;
  }
}
