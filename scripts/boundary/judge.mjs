// One fact of one source file against the table: nothing, or the rule it breaks and where to go instead.
import { destination } from './specifier.mjs';
import { governing, matchesAny } from './table.mjs';

/** @import { Fact, ImportFact } from './facts.mjs' */
/** @import { Governing, Table } from './table.mjs' */
/** @typedef {'imports' | 'network-globals' | 'process-start' | 'hidden-code'} Rule */
/** @typedef {{ rule: Rule, message: string }} Finding */

export const RULES = /** @type {const} */ (['imports', 'network-globals', 'process-start', 'hidden-code']);

/** Built-ins whose import means that the file starts processes or threads. */
const STARTERS = new Set(['child_process', 'cluster', 'worker_threads']);

/**
 * The fault of the file as a whole: a file that no row covers may not exist.
 * @param {Table} table
 * @param {string} file
 * @returns {Finding | null}
 */
export function judgeFile(table, file) {
  if (governing(table, file) !== undefined) return null;
  return {
    rule: 'imports',
    message: `no row of boundary.json covers \`${file}\`: put the file in a folder that has one, or add a row`,
  };
}

/**
 * @param {Table} table
 * @param {string} file path from the root, slash-separated
 * @param {Fact} fact
 * @returns {Finding | null}
 */
export function judge(table, file, fact) {
  const row = governing(table, file);
  if (row === undefined) return judgeFile(table, file);
  if (fact.kind === 'import') return judgeImport(table, row, file, fact);
  if (fact.kind === 'start') return judgeStart(row, file, fact.what);
  if (fact.kind === 'network') {
    return matchesAny(file, row.network)
      ? null
      : {
          rule: 'network-globals',
          message: `\`${fact.what}\` opens the network, which only the gateway has: send an action through @subluminal/ipc (inside the gateway: through @subluminal/egress)`,
        };
  }
  if (fact.kind === 'global') {
    return {
      rule: 'network-globals',
      message: `\`${fact.what}\` hides which global is used: name the global, or read one fixed property of globalThis`,
    };
  }
  return {
    rule: 'hidden-code',
    message: `\`${fact.what}\` runs code or loads modules that no reader of imports can see: import what you need by name`,
  };
}

/** @param {Governing} row @param {string} file @param {string} what @returns {Finding | null} */
function judgeStart(row, file, what) {
  if (matchesAny(file, row.processes)) return null;
  return {
    rule: 'process-start',
    message: `\`${what}\` starts a process or thread, and \`${file}\` is not among the files of row \`${row.name}\` that may (column \`processes\` of boundary.json): call one of those`,
  };
}

/**
 * @param {Table} table
 * @param {Governing} row
 * @param {string} file
 * @param {ImportFact} fact
 * @returns {Finding | null}
 */
function judgeImport(table, row, file, fact) {
  if (fact.specifier === null) {
    if (matchesAny(file, row.computed)) return null;
    return imports(`this ${fact.how} is computed, so nobody can tell what it loads: write the specifier out`);
  }
  const specifier = fact.specifier;
  const to = destination(specifier, file);
  switch (to.to) {
    case 'elsewhere':
      return imports(`\`${specifier}\` may not be imported: ${to.why}`);
    case 'file':
      return judgeRelative(table, row, specifier, to.path);
    case 'package':
      if (to.deep) return imports(`\`${specifier}\` reaches into a package: import what its index exports`);
      if (!row.packages.has(to.name)) return imports(notInRow(row, specifier, 'packages', row.packages));
      return judgeOnly(row, file, fact, specifier);
    case 'npm':
      if (!row.npm.has(to.name)) return imports(notInRow(row, specifier, 'npm', row.npm));
      return judgeOnly(row, file, fact, to.name);
    case 'node':
      if (!to.prefixed)
        return imports(`write \`node:${specifier}\`: without the prefix a package could take the name`);
      if (!row.node.has(to.name)) return imports(notInRow(row, specifier, 'node', row.node));
      return judgeOnly(row, file, fact, `node:${to.name}`) ?? judgeStarter(row, file, fact, to.name);
  }
}

/**
 * @param {Table} table
 * @param {Governing} row
 * @param {string} specifier
 * @param {string} path
 * @returns {Finding | null}
 */
function judgeRelative(table, row, specifier, path) {
  if (!matchesAny(path, row.relative)) {
    return imports(
      `\`${specifier}\` leaves row \`${row.name}\`: import the other package by its name, if the row allows it`,
    );
  }
  const source = path.replace(/\.js$/, '.ts');
  if (!row.test && matchesAny(source, table.tests.files)) {
    return imports(`\`${specifier}\` is a test: what ships may not import it`);
  }
  return null;
}

/**
 * @param {Governing} row
 * @param {string} file
 * @param {ImportFact} fact
 * @param {string} name
 * @returns {Finding | null}
 */
function judgeOnly(row, file, fact, name) {
  const files = row.only[name];
  if (files === undefined || fact.typeOnly || matchesAny(file, files)) return null;
  return imports(`only ${list(files)} may import \`${name}\` in row \`${row.name}\`: call what it offers`);
}

/**
 * @param {Governing} row
 * @param {string} file
 * @param {ImportFact} fact
 * @param {string} name
 * @returns {Finding | null}
 */
function judgeStarter(row, file, fact, name) {
  return STARTERS.has(name) && !fact.typeOnly ? judgeStart(row, file, `node:${name}`) : null;
}

/** @param {string} message @returns {Finding} */
function imports(message) {
  return { rule: 'imports', message };
}

/**
 * @param {Governing} row
 * @param {string} specifier
 * @param {string} column
 * @param {Set<string>} allowed
 * @returns {string}
 */
function notInRow(row, specifier, column, allowed) {
  return `\`${specifier}\` is not in row \`${row.name}\` of boundary.json (column \`${column}\`: ${list([...allowed])})`;
}

/** @param {readonly string[]} names @returns {string} */
function list(names) {
  return names.length === 0 ? 'nothing' : names.map((name) => `\`${name}\``).join(', ');
}
