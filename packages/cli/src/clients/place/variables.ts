import { whyOf } from '../../output/system-error.js';
import type { ServerEntry, Where } from '../client.js';
import { pathsOf } from './paths.js';

/** The names that a file of variables gives a server, or why they are not known. */
export type Variables = { readonly names: readonly string[] } | { readonly cannot: string };

/** Reads the names of the variables in the file that an entry names (`envFile`). No value is kept. */
export function variablesOf(entry: ServerEntry, where: Where): Variables {
  if (entry.envFile === undefined) return { names: [] };
  const path = expanded(entry.envFile, entry, where);
  if (path === undefined) {
    return { cannot: `where its \`envFile\` \`${entry.envFile}\` stands is known to the client alone` };
  }
  try {
    const text = where.readText(path);
    if (text === undefined) return { cannot: `its \`envFile\` \`${path}\` is not there` };
    return { names: namesIn(text) };
  } catch (error) {
    return { cannot: `its \`envFile\` \`${path}\` cannot be read: ${whyOf(error)}` };
  }
}

function expanded(path: string, entry: ServerEntry, where: Where): string | undefined {
  const { join } = pathsOf(where);
  let result = path.replace(/^~(?=[/\\])/, () => where.userHome);
  result = result.replaceAll('${userHome}', () => where.userHome);
  const { project } = entry.file;
  if (project !== undefined) result = result.replaceAll('${workspaceFolder}', () => project);
  if (result.includes('${')) return undefined;
  if (/^(?:[/\\]|[A-Za-z]:[/\\])/.test(result)) return result;
  return project === undefined ? undefined : join(project, result);
}

function namesIn(text: string): readonly string[] {
  const found = text.split(/\r?\n/).flatMap((line) => {
    const name = /^\s{0,64}(?:export\s{1,64})?([A-Za-z_][A-Za-z0-9_.]{0,255})\s{0,64}=/.exec(line)?.[1];
    return name ?? [];
  });
  return [...new Set(found)];
}
