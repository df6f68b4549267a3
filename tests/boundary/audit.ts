import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { REPOSITORY } from './planted-tree.js';

export interface AuditCheck {
  readonly part: string;
  readonly subject: string;
  readonly status: 'ok' | 'failed' | 'skipped';
  readonly detail: string;
  readonly findings: readonly { readonly where: string; readonly what: string }[];
}

export interface AuditResult {
  readonly exit: number | null;
  readonly checks: readonly AuditCheck[];
}

/** Runs the privacy audit as a user would, on the tree at `root`. */
export function audit(root: string, parts: readonly string[]): AuditResult {
  const only = parts.flatMap((part) => ['--only', part]);
  const main = join(REPOSITORY, 'scripts/privacy-audit/main.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, root, '--json', ...only], {
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(`the audit printed nothing: ${stderr}`);
  const { checks }: { checks: AuditCheck[] } = JSON.parse(stdout);
  return { exit: status, checks };
}

/** Everything that was found, as `where what`. */
export function found(result: AuditResult): string[] {
  return result.checks.flatMap(({ findings }) => findings.map(({ where, what }) => `${where} ${what}`));
}
