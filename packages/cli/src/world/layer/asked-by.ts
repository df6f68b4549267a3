import { realpathSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, relative } from 'node:path';
import {
  bytesOf,
  type Change,
  type CommitOf,
  foldedName,
  layerAsks,
  type LayerAbout,
} from '@subluminal/layers';
import { askTest } from '@subluminal/policy';
import { explainWorld } from '../../policy/world/settings.js';
import type { Call } from '../../program/call.js';

type AskedBy = CommitOf['askedBy'];

/**
 * Finds the changes that the policies of the moment ask about, and those that were in force when the layer's
 * worlds began. Errors: those of `explainWorld`, and `askedByLayer`.
 */
export async function askedByPolicy(call: Call, about: LayerAbout): Promise<AskedBy> {
  const { settings } = await explainWorld(call, {
    server: undefined,
    folder: about.project,
    file: undefined,
  });
  return askedByAll(about, [...settings.fs.ask, ...layerAsks(about.place)]);
}

/** The same of the policies alone that the layer remembers. Errors: those of `layerAsks`. */
export function askedByLayer(about: LayerAbout): AskedBy {
  return askedByAll(about, layerAsks(about.place));
}

function askedByAll({ project }: LayerAbout, patterns: readonly string[]): AskedBy {
  if (patterns.length === 0) return () => undefined;
  const roots = { home: userInfo().homedir, tmp: tmpdir(), project };
  const led = new Map(
    patterns.flatMap((source) => {
      const other = ledElsewhere(source, roots);
      return other === undefined ? [] : [[other, source] as const];
    }),
  );
  const test = askTest([...patterns, ...led.keys()], roots, foldedName);
  return ({ path, after }: Change) => {
    const exact = `${project}/${bytesOf(path).toString('utf8')}`;
    const folded = exact.split('/').map(foldedName).join('/');
    const found = test({ exact, folded, isLink: after?.kind === 'link' });
    return found === undefined ? undefined : (led.get(found) ?? found);
  };
}

const ROOT = /^(?:~|\$(?:HOME|PROJECT|TMP|TMPDIR)|\$\{(?:HOME|PROJECT|TMP)\})(?=\/|$)/;

/**
 * The pattern for the place to which links of the project lead from the names at the beginning of another
 * one: who writes through such a link changes a file of another name. Undefined if none leads elsewhere.
 */
function ledElsewhere(
  source: string,
  { home, tmp, project }: { readonly home: string; readonly tmp: string; readonly project: string },
): string | undefined {
  const [root = ''] = ROOT.exec(source) ?? [];
  const variable = root.replaceAll(/[${}]/g, '');
  const base =
    { '~': home, HOME: home, TMP: tmp, TMPDIR: tmp }[variable] ?? (source.startsWith('/') ? '/' : project);
  const names = source
    .slice(root.length)
    .split('/')
    .filter((name) => name !== '');
  // One that is looked for in every folder is looked for in the project's own.
  if (names[0] === '**') names.shift();
  const end = names.findIndex((name) => /[*?[\]{}\\]/.test(name));
  for (let count = end === -1 ? names.length : end; count > 0; count -= 1) {
    const path = join(base, ...names.slice(0, count));
    const real = realOf(path);
    if (real === undefined) continue;
    if (real === path || !real.startsWith(`${project}/`)) return undefined;
    const plain = relative(project, real).replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`);
    return ['$PROJECT', plain, ...names.slice(count)].join('/');
  }
  return undefined;
}

/** Undefined if nothing is there, or it cannot be looked at. */
function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
