import type { Change } from '../diff/change.js';
import { type BytePath, isAtOneOf, isBelow, namesOf, ROOT } from '../files/byte-path.js';
import { foldedNames } from './folded.js';
import { type Risk, type RiskPlace, RISKS } from './risk.js';
import { isPartOfRoot, NO_REPOSITORIES, type Repositories } from './repositories.js';
import { ANYWHERE, AT_ROOT, IN_GIT, IN_INFO, INSTALLED, namesIn } from './names.js';

const EXECUTABLE = 0o111;

/** Knows the risks of the changes of one diff. */
export class Risks {
  readonly #repositories: Repositories;
  readonly #places = new Map<string, Risk[]>();
  readonly #anywhere = namesIn(ANYWHERE);
  readonly #atRoot = namesIn(AT_ROOT).whole;

  constructor(places: readonly RiskPlace[], repositories: Repositories) {
    this.#repositories = repositories;
    for (const { path, risk } of places) {
      const key = foldedNames(path).join('/');
      this.#places.set(key, [...(this.#places.get(key) ?? []), risk]);
    }
  }

  /** In the order of the union; none for a change that nobody has to be asked about. */
  of(change: Change): readonly Risk[] {
    const found = new Set([
      ...this.#ofNames(change.path),
      ...this.#ofRepositories(change.path),
      ...this.#ofPlaces(change.path),
      ...(becomesExecutable(change) && !isInstalled(change.path) ? (['executable'] as const) : []),
    ]);
    return RISKS.filter((risk) => found.has(risk));
  }

  /** The place itself, and what stands below it. */
  #ofPlaces(path: BytePath): readonly Risk[] {
    if (this.#places.size === 0) return [];
    const names = foldedNames(path);
    return names.flatMap((_, at) => this.#places.get(names.slice(0, at + 1).join('/')) ?? []);
  }

  #ofRepositories(path: BytePath): readonly Risk[] {
    const { fresh, known } = this.#repositories;
    if (fresh.size === 0 && known.size === 0) return [];
    const isFresh = isAtOneOf(path, fresh) || (fresh.has(ROOT) && isPartOfRoot(foldedNames(path)));
    const own = [...known].flatMap((place) => {
      const inside = isAt(path, place) ? foldedNames(path).slice(namesOf(place).length) : [];
      return inside.length === 0 ? [] : (riskInside(inside) ?? []);
    });
    return [...(isFresh ? (['repository'] as const) : []), ...own];
  }

  #ofNames(path: BytePath): readonly Risk[] {
    const all = foldedNames(path);
    const inGit = riskInGit(all);
    if (inGit !== undefined) return [inGit];
    // Names above decide also for what is installed below.
    const names = all.slice(0, installedAt(path));
    const root = this.#atRoot.get(names[0] ?? '');
    const found = names.flatMap((name) => this.#anywhere.whole.get(name) ?? []);
    const ofRoot = root === undefined ? [] : [root];
    if (names.length < all.length) return [...ofRoot, ...found];
    return [...ofRoot, ...found, ...this.#ofFile(names.at(-1) ?? '')];
  }

  /** By how its name begins or ends. */
  #ofFile(name: string): readonly Risk[] {
    const { begins, ends } = this.#anywhere;
    return [
      ...begins.flatMap(([begin, risk]) => (name.startsWith(begin) ? [risk] : [])),
      ...ends.flatMap(([end, risk]) => (name.endsWith(end) ? [risk] : [])),
    ];
  }
}

/** The risk of a path by its names alone, for one folder of settings that a link stands for. */
export function riskOfName(path: BytePath): Risk | undefined {
  return new Risks([], NO_REPOSITORIES).of({
    path,
    how: 'added',
    before: undefined,
    after: undefined,
    isStale: false,
  })[0];
}

/** Of a repository in any folder, and of those of its submodules and worktrees, which stand in it. */
function riskInGit(names: readonly string[]): Risk | undefined {
  const at = names.indexOf('.git');
  if (at === -1) return undefined;
  const inside = names.slice(at + 1);
  // A file of that name leads git to a folder, with settings of its own.
  if (inside.length === 0) return 'git_settings';
  return riskInside(inside);
}

/** Of a path in the folder of a repository. */
function riskInside(inside: readonly string[]): Risk | undefined {
  if (inside[0] === 'modules' || inside[0] === 'worktrees') {
    // The name of a submodule may have slashes.
    const own = inside.slice(1).map((name) => IN_GIT.get(name));
    return own.find((risk) => risk !== undefined) ?? inInfo(inside);
  }
  return IN_GIT.get(inside[0] ?? '') ?? inInfo(inside);
}

function inInfo(inside: readonly string[]): Risk | undefined {
  return inside.at(-2) === 'info' && IN_INFO.has(inside.at(-1) ?? '') ? 'git_settings' : undefined;
}

function becomesExecutable({ before, after }: Change): boolean {
  if (after?.kind !== 'file' || (after.mode & EXECUTABLE) === 0) return false;
  return before?.kind !== 'file' || (before.mode & EXECUTABLE) === 0;
}

function isInstalled(path: BytePath): boolean {
  return installedAt(path) < namesOf(path).length;
}

/** The place of the first folder of what is installed among the names; their number if there is none. */
function installedAt(path: BytePath): number {
  const names = namesOf(path);
  const at = names.findIndex((name) => name === INSTALLED);
  return at === -1 ? names.length : at;
}

function isAt(path: BytePath, place: BytePath): boolean {
  return path === place || isBelow(path, place);
}
