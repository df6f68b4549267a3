import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** What one source file imports and says in comments, read with nothing but the parser. */
export interface WalkedFile {
  readonly path: string;
  /** Every specifier; a computed one is `<computed>`. Type-only imports count. */
  readonly specifiers: readonly string[];
  /** Those that are imported by more than `import type`. */
  readonly loaded: readonly string[];
  readonly comments: readonly string[];
}

const SKIPPED = new Set(['node_modules', 'dist', '.git', 'vectors', 'coverage']);

/**
 * Walks the sources below `folder` of `root`. Shares no code with scripts/boundary, so that a mistake there
 * does not blind both.
 */
export function walkSources(root: string, folder: string): WalkedFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return walkSources(root, path);
    return /\.[cm]?[jt]sx?$/.test(entry.name) ? [readSource(root, path)] : [];
  });
}

function readSource(root: string, path: string): WalkedFile {
  const text = readFileSync(join(root, path), 'utf8');
  const parsed = parseSync(path, text);
  if (parsed.errors.length > 0) throw new Error(`${path} does not parse`);
  const statements = parsed.module.staticImports;
  const loaded = statements.filter(({ start }) => !/^import\s+type\b/.test(text.slice(start, start + 20)));
  const others = [
    ...parsed.module.staticExports.flatMap((found) =>
      found.entries.flatMap((entry) => (entry.moduleRequest === null ? [] : [entry.moduleRequest.value])),
    ),
    ...parsed.module.dynamicImports.map((found) =>
      literal(text.slice(found.moduleRequest.start, found.moduleRequest.end)),
    ),
    ...requireCalls(text),
  ];
  const named = (found: (typeof statements)[number]): string => found.moduleRequest.value;
  return {
    path,
    specifiers: [...statements.map(named), ...others],
    loaded: [...loaded.map(named), ...others],
    comments: parsed.comments.map((comment) => comment.value),
  };
}

function literal(source: string): string {
  return /^(['"`])([^'"`$]*)\1$/.exec(source)?.[2] ?? '<computed>';
}

function requireCalls(text: string): string[] {
  return [...text.matchAll(/(?<![.\w'"`])require\(\s*(['"])([^'"]*)\1/g)].map((found) => found[2] ?? '');
}
