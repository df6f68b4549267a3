import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isWithin } from './folder.js';
import { isThere } from './system.js';

/** Folders of programs have such a name. PATH may be a repository's, and name a folder of keys. */
const OF_PROGRAMS: ReadonlySet<string> = new Set(['.bin', 'bin', 'sbin', 'shims', 'tools']);
/** Folders of a home in which programs have their libraries beside their `bin`, and nothing else stands. */
const MANAGERS: ReadonlySet<string> = new Set(
  `.asdf .bun .deno .dotnet .ghcup .goenv .jenv .juliaup .local/share .nodenv .npm-global .nvm .opam .pyenv
  .rbenv .rye .sdkman .volta anaconda3 go miniconda3 miniforge3`.split(/\s+/),
);

/** A folder of programs. */
export interface Toolchain {
  /** Where PATH has it. */
  readonly path: string;
  /** Where it stands, without a link. */
  readonly source: string;
}

/**
 * The folders of a hidden home that have to be seen so that the programs of PATH run. Of a version manager,
 * which keeps a program's libraries beside its `bin`, the folder above.
 */
export function toolchains(path: string, home: string, apart: readonly string[]): Toolchain[] {
  const found = path
    .split(':')
    .filter((folder) => folder.startsWith(home + sep) && isThere(folder))
    .flatMap((folder) => {
      const place = resolve(folder);
      const source = real(place);
      if (source === undefined || !OF_PROGRAMS.has(basename(source))) return [];
      const isWhole = basename(source) === 'bin' && basename(place) === 'bin' && isManaged(source, home);
      return isWhole ? [{ path: dirname(place), source: dirname(source) }] : [{ path: place, source }];
    })
    .filter(({ source, path: place }) =>
      apart.every((one) => !isWithin(source, one) && !isWithin(place, one) && !isWithin(one, source)),
    );
  return [...new Map(found.map((one) => [one.path, one])).values()];
}

function isManaged(folder: string, home: string): boolean {
  const [first = '', second = '', third = ''] = relative(home, folder).split(sep);
  return MANAGERS.has(first) || (MANAGERS.has(join(first, second)) && third !== 'bin');
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    // A link to nothing holds no programs.
    return undefined;
  }
}
