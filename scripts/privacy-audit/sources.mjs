// Part "sources": every source file against boundary.json, read from its syntax tree.
import { join } from 'node:path';
import { judge, judgeFile } from '../boundary/judge.mjs';
import { governing, loadTable, sourceFiles } from '../boundary/table.mjs';
import { otherUsesOfNet } from './door.mjs';
import { check } from './report.mjs';
import { scanFile } from './scan.mjs';

/** @import { Table } from '../boundary/table.mjs' */
/** @import { Check, Finding } from './report.mjs' */

const PART = 'sources';

/**
 * One check a row of the table, one for files without a row, one for the door to the gateway's socket.
 * @param {string} root
 * @returns {Check[]}
 */
export function auditSources(root) {
  const table = loadTable(root);
  /** @type {Map<string, { files: number, imports: number, findings: Finding[] }>} */
  const rows = new Map(table.rows.map((row) => [row.name, { files: 0, imports: 0, findings: [] }]));
  /** @type {Finding[]} */
  const uncovered = [];
  /** @type {Finding[]} */
  const door = [];
  const files = sourceFiles(root, table);
  for (const file of files) {
    const tally = rows.get(governing(table, file)?.name ?? '');
    if (tally === undefined) {
      uncovered.push({ where: file, what: judgeFile(table, file)?.message ?? 'no row covers it' });
      continue;
    }
    const seen = auditFile(root, table, file);
    tally.files += 1;
    tally.imports += seen.imports;
    tally.findings.push(...seen.findings);
    door.push(...seen.door);
  }
  const nothing =
    files.length === 0 ? [{ where: root, what: 'no source file found: nothing was audited' }] : [];
  return [
    ...[...rows].map(([name, { files: count, imports, findings }]) =>
      check(PART, name, `${count} files, ${imports} imports`, findings),
    ),
    check(PART, 'files without a row', `${files.length} files`, [...nothing, ...uncovered]),
    check(PART, 'unix socket only', 'node:net in ipc: connect({ path })', door),
  ];
}

/** @param {string} root @param {Table} table @param {string} file */
function auditFile(root, table, file) {
  let scan;
  try {
    scan = scanFile(join(root, file));
  } catch (error) {
    return { imports: 0, findings: [{ where: file, what: String(error) }], door: [] };
  }
  const { facts, lineOf, program } = scan;
  const findings = facts.flatMap((fact) => {
    const finding = judge(table, file, fact);
    return finding === null ? [] : [{ where: `${file}:${lineOf(fact.node.start)}`, what: finding.message }];
  });
  const isDoor = file.startsWith('packages/ipc/') && governing(table, file)?.test === false;
  const door = (isDoor ? otherUsesOfNet(program) : []).map((node) => ({
    where: `${file}:${lineOf(node.start)}`,
    what: 'outside the gateway the socket module may only connect({ path }), options written out as a literal',
  }));
  return { imports: facts.filter(({ kind }) => kind === 'import').length, findings, door };
}
