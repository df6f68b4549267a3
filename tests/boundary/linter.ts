import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { REPOSITORY } from './planted-tree.js';

const OXLINT = join(REPOSITORY, 'node_modules/oxlint/bin/oxlint');

export interface Diagnostic {
  readonly code?: string;
  readonly filename: string;
  readonly severity: string;
}

/** The exit status and the findings of `npm run lint` in a tree. */
export function lint(root: string): {
  readonly status: number | null;
  readonly diagnostics: readonly Diagnostic[];
} {
  const result = spawnSync(process.execPath, [OXLINT, '--deny-warnings', '--format=json'], {
    cwd: root,
    encoding: 'utf8',
  });
  const report: { diagnostics: Diagnostic[] } = JSON.parse(result.stdout);
  return { status: result.status, diagnostics: report.diagnostics };
}
