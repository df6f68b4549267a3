import { hasMark, type Access, type Readings } from '@subluminal/readings/facts';

/** Matches on the objects of a call, as an allow rule has them: exact, and never more than the call named. */
export interface ObjectMatch {
  readonly path?: {
    readonly under?: readonly string[];
    readonly glob?: readonly string[];
    readonly access: readonly Access[];
  };
  readonly command?: { readonly program: readonly string[]; readonly argv?: readonly string[] };
  readonly host?: { readonly glob: readonly string[] };
}

/** The ways to name a call by its objects, the narrowest first. */
const OBJECT_READINGS = ['path', 'folder', 'command', 'host'] as const;
export type ObjectReading = (typeof OBJECT_READINGS)[number];

/**
 * The matches that take a call by its files, the folders of these, its commands or its hosts. A call with
 * commands is taken only with the same programs, and one by its files only with the same hosts. Left out is a
 * match that would name nothing, something that only run time knows, or all files of the machine or of the
 * home.
 */
export function objectMatches(readings: Readings): ReadonlyMap<ObjectReading, ObjectMatch> {
  const { paths, commands, hosts, place } = readings;
  const forms = unique(paths.flatMap((one) => one.forms));
  const folders = unique(forms.map(folderOf));
  const access = unique(paths.map((one) => one.access));
  const program = unique(commands.map(({ spelled }) => spelled));
  const argv = unique(commands.map((one) => one.argv));
  const programs = commands.length === 0 ? {} : { command: { program: program.map(exactGlob) } };
  const host = hosts.length === 0 ? {} : { host: { glob: hosts.map(exactGlob) } };
  const found = new Map<ObjectReading, ObjectMatch>();
  if ([...program, ...argv, ...forms].some(hasMark)) return found;
  if (forms.length > 0) {
    found.set('path', { path: { glob: forms.map(exactGlob), access }, ...programs, ...host });
    if (!folders.some((folder) => isAbove(folder, place.home)))
      found.set('folder', { path: { under: folders.map(exactGlob), access }, ...programs, ...host });
  }
  if (commands.length > 0)
    found.set('command', { command: { program: program.map(exactGlob), argv: argv.map(exactGlob) } });
  if (hosts.length > 0) found.set('host', { ...programs, ...host });
  return found;
}

/** The glob that matches this text and no other. */
export function exactGlob(text: string): string {
  return text.replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function isAbove(folder: string, path: string): boolean {
  return folder === '/' || folder === path || path.startsWith(`${folder}/`);
}

function unique<One>(all: readonly One[]): readonly One[] {
  return [...new Set(all)];
}
