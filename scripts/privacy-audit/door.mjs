// The one use of the socket module that is allowed outside the gateway: `connect({ path })`, a unix socket.
import { walk } from './scan.mjs';

/** @import { Node } from '../boundary/facts.mjs' */

const OPENERS = new Set(['connect', 'createConnection']);

/**
 * Every use of `node:net` in a program that is not a connection to a path written as an object literal.
 * @param {Node} program
 * @returns {Node[]}
 */
export function otherUsesOfNet(program) {
  const { modules, openers, refused } = netBindings(program);
  /** @type {Node[]} */
  const found = [...refused];
  walk(program, null, (node, parent) => {
    if (parent === null) return;
    if (node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration') {
      if (isNet(node['source']) && node['exportKind'] !== 'type') found.push(node);
    }
    if (node.type !== 'Identifier' || /^(?:Import|Export|TSQualifiedName)/.test(parent.type)) return;
    if (parent.type === 'MemberExpression' && parent['property'] === node && !parent['computed']) return;
    if (parent.type === 'Property' && parent['key'] === node && !parent['shorthand']) return;
    if (modules.has(node['name'])) {
      const opener =
        parent.type === 'MemberExpression' && !parent['computed'] && OPENERS.has(parent['property'].name);
      if (!opener || !opensPath(program, parent)) found.push(node);
    } else if (openers.has(node['name']) && !opensPath(program, node)) {
      found.push(node);
    }
  });
  return found;
}

/** @param {Node} program */
function netBindings(program) {
  /** @type {Set<string>} */
  const modules = new Set();
  /** @type {Set<string>} */
  const openers = new Set();
  /** @type {Node[]} */
  const refused = [];
  for (const statement of program['body']) {
    if (statement.type !== 'ImportDeclaration' || !isNet(statement.source) || statement.importKind === 'type')
      continue;
    for (const specifier of statement.specifiers) {
      if (specifier.importKind === 'type') continue;
      if (specifier.type !== 'ImportSpecifier' || specifier.imported.name === 'default') {
        modules.add(specifier.local.name);
      } else if (OPENERS.has(specifier.imported.name)) openers.add(specifier.local.name);
      else refused.push(specifier);
    }
  }
  return { modules, openers, refused };
}

/** @param {Node | null | undefined} source @returns {boolean} */
function isNet(source) {
  return source?.['value'] === 'node:net' || source?.['value'] === 'net';
}

/**
 * Whether `callee` is called, and with an object literal that names a path and cannot name a host or a port.
 * @param {Node} program @param {Node} callee @returns {boolean}
 */
function opensPath(program, callee) {
  let opens = false;
  walk(program, null, (node) => {
    if (node.type !== 'CallExpression' || node['callee'] !== callee) return;
    const [options] = node['arguments'];
    if (options?.type !== 'ObjectExpression') return;
    /** @type {Node[]} */
    const properties = options['properties'];
    const names = properties.map((property) =>
      property['computed'] ? null : (property['key']?.name ?? null),
    );
    opens =
      names.includes('path') && names.every((name) => name !== null && name !== 'host' && name !== 'port');
  });
  return opens;
}
