// The result of each part of the audit, and how it is shown.

/**
 * @typedef {{ where: string, what: string }} Finding
 * @typedef {{ part: string, subject: string, status: 'ok' | 'failed' | 'skipped', detail: string, findings:
 *   Finding[] }} Check
 */

/**
 * A check that passed if it found nothing.
 * @param {string} part
 * @param {string} subject
 * @param {string} detail
 * @param {Finding[]} findings
 * @returns {Check}
 */
export function check(part, subject, detail, findings) {
  return { part, subject, status: findings.length === 0 ? 'ok' : 'failed', detail, findings };
}

/** @param {string} part @param {string} subject @param {string} why @returns {Check} */
export function skipped(part, subject, why) {
  return { part, subject, status: 'skipped', detail: why, findings: [] };
}

/**
 * A table with one line a check, then every finding.
 * @param {Check[]} checks
 * @returns {string}
 */
export function render(checks) {
  const rows = [['part', 'subject', 'result', 'seen'], ...checks.map(cells)];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const findings = new Set(
    checks.flatMap(({ part, findings: found }) =>
      found.map(({ where, what }) => `${part}: ${where}\n  ${what}`),
    ),
  );
  const failed = checks.filter(({ status }) => status === 'failed').length;
  const skips = checks.filter(({ status }) => status === 'skipped').length;
  const verdict =
    failed === 0
      ? `privacy audit passed: ${checks.length - skips} checks, ${skips} skipped`
      : `privacy audit failed: ${failed} of ${checks.length} checks`;
  return [...lines, '', ...findings, ...(findings.size > 0 ? [''] : []), verdict, ''].join('\n');
}

/** @param {Check} found @returns {string[]} */
function cells({ part, subject, status, detail }) {
  return [part, subject, status, detail];
}
