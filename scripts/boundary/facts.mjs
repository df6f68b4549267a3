// The facts of a piece of code that the boundary cares about, read off single syntax nodes. No judgement
// here: the same facts are judged by the table for our sources (judge.mjs), and by stricter lists for bundles
// and dependencies.

/**
 * A syntax node of the ESTree / TS-ESTree shape, as both oxlint and oxc-parser give it.
 * @typedef {{ type: string, start: number, end: number, [field: string]: any }} Node
 *
 * @typedef {'import' | 're-export' | 'dynamic import' | 'require' | 'resolve' | 'getBuiltinModule' | 'type'}
 *   How
 * @typedef {{ kind: 'import', how: How, specifier: string | null, typeOnly: boolean, node: Node }} ImportFact
 * @typedef {{ kind: 'network' | 'global' | 'native' | 'code' | 'start', what: string, node: Node }} UseFact
 * @typedef {ImportFact | UseFact} Fact
 */

/** Globals of Node 20 to 26 and of browsers that open a connection or lead to one. */
export const NETWORK_GLOBALS = new Set([
  'EventSource',
  'RTCPeerConnection',
  'WebSocket',
  'WebSocketStream',
  'WebTransport',
  'XMLHttpRequest',
  'fetch',
  'importScripts',
  'navigator',
]);

const GLOBAL_OBJECTS = new Set(['globalThis', 'global']);

/** Properties of `process` and of modules that load code without an import. */
const NATIVE_DOORS = new Set(['_linkedBinding', 'dlopen', 'mainModule', '_load', '_extensions']);

/** The node types that `factsOf` looks at; a visitor needs no others. */
export const FACT_NODES = [
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportEqualsDeclaration',
  'TSImportType',
  'CallExpression',
  'NewExpression',
  'MemberExpression',
  'Identifier',
];

/**
 * The facts that one node states of itself. A specifier that only running the code would tell is `null`.
 * @param {Node} node
 * @param {Node | null | undefined} parent
 * @returns {Fact[]}
 */
export function factsOf(node, parent) {
  switch (node.type) {
    case 'ImportDeclaration':
      return [imported('import', node.source, node, node.importKind === 'type')];
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return node.source ? [imported('re-export', node.source, node, node.exportKind === 'type')] : [];
    case 'ImportExpression':
      return [imported('dynamic import', node.source, node, false)];
    case 'TSImportEqualsDeclaration':
      return node.moduleReference.type === 'TSExternalModuleReference'
        ? [imported('require', node.moduleReference.expression, node, node.importKind === 'type')]
        : [];
    case 'TSImportType':
      return [imported('type', node.source, node, true)];
    case 'CallExpression':
      return callFacts(node);
    case 'NewExpression':
      return newFacts(node);
    case 'MemberExpression':
      return memberFacts(node);
    case 'Identifier':
      return identifierFacts(node, parent);
    default:
      return [];
  }
}

/**
 * @param {How} how
 * @param {Node | undefined} source
 * @param {Node} node
 * @param {boolean} typeOnly
 * @returns {ImportFact}
 */
function imported(how, source, node, typeOnly) {
  return { kind: 'import', how, specifier: constantText(source), typeOnly, node };
}

/**
 * The text of a string literal or of a template without substitutions, else null.
 * @param {Node | undefined} node
 * @returns {string | null}
 */
function constantText(node) {
  if (node === undefined || node === null) return null;
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : null;
  if (node.type === 'TSLiteralType') return constantText(node['literal']);
  if (node.type === 'TemplateLiteral' && node['expressions'].length === 0)
    return node['quasis'][0].value.cooked;
  return null;
}

/** The property name of a member expression, else null. @param {Node} node @returns {string | null} */
function propertyName(node) {
  if (node.type !== 'MemberExpression') return null;
  return node['computed'] ? constantText(node['property']) : node['property'].name;
}

/**
 * Strips what changes nothing at run time: parentheses, `(0, f)`, assertions.
 * @param {Node} node
 * @returns {Node}
 */
function bare(node) {
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'ChainExpression':
    case 'TSAsExpression':
    case 'TSNonNullExpression':
    case 'TSSatisfiesExpression':
    case 'TSTypeAssertion':
      return bare(node['expression']);
    case 'SequenceExpression':
      return bare(node['expressions'].at(-1));
    default:
      return node;
  }
}

/** @param {Node} node @returns {Fact[]} */
function callFacts(node) {
  const callee = bare(node['callee']);
  const first = node['arguments'][0];
  if (callee.type === 'Identifier') {
    if (callee['name'] === 'require') return [imported('require', first, node, false)];
    if (callee['name'] === 'Function') return [{ kind: 'code', what: 'Function()', node }];
    return [];
  }
  const name = propertyName(callee);
  if (name === 'getBuiltinModule') return [imported('getBuiltinModule', first, node, false)];
  if (name === 'binding') return [{ kind: 'native', what: '.binding()', node }];
  if (name === 'constructor') return [{ kind: 'code', what: '.constructor()', node }];
  if (name === 'execve') return [{ kind: 'start', what: '.execve()', node }];
  if (name === 'resolve' && bare(callee['object']).type === 'MetaProperty') {
    return [imported('resolve', first, node, false)];
  }
  if (name === 'resolve' && isNamed(callee['object'], 'require'))
    return [imported('resolve', first, node, false)];
  if (name === 'require') return [imported('require', first, node, false)];
  return [];
}

/** @param {Node} node @returns {Fact[]} */
function newFacts(node) {
  const callee = bare(node['callee']);
  const name = callee.type === 'Identifier' ? callee['name'] : propertyName(callee);
  if (name === 'Function') return [{ kind: 'code', what: 'new Function', node }];
  if (name === 'constructor' && callee['object'].type !== 'ThisExpression') {
    return [{ kind: 'code', what: 'new .constructor', node }];
  }
  if (name === 'Worker') return [{ kind: 'start', what: 'new Worker', node }];
  return [];
}

/** @param {Node} node @returns {Fact[]} */
function memberFacts(node) {
  const name = propertyName(node);
  const object = bare(node['object']);
  const owner = object.type === 'Identifier' ? object['name'] : null;
  if (name !== null && NATIVE_DOORS.has(name)) return [{ kind: 'native', what: `.${name}`, node }];
  if (owner !== null && GLOBAL_OBJECTS.has(owner)) {
    if (name === null) return [{ kind: 'global', what: `${owner}[…]`, node }];
    if (NETWORK_GLOBALS.has(name)) return [{ kind: 'network', what: `${owner}.${name}`, node }];
    if (name === 'eval' || name === 'Function') return [{ kind: 'code', what: `${owner}.${name}`, node }];
  }
  if (owner !== null && GLOBAL_OBJECTS.has(owner) && name === 'process') {
    return [{ kind: 'global', what: `${owner}.process`, node }];
  }
  if (owner === 'process' && name === null) return [{ kind: 'native', what: 'process[…]', node }];
  return [];
}

/** @param {Node} node @param {Node | null | undefined} parent @returns {Fact[]} */
function identifierFacts(node, parent) {
  if (parent === null || parent === undefined || isOnlyAName(node, parent)) return [];
  const name = node['name'];
  if (NETWORK_GLOBALS.has(name)) return [{ kind: 'network', what: name, node }];
  if (name === 'eval') return [{ kind: 'code', what: 'eval', node }];
  const member = parent.type === 'MemberExpression' && parent['object'] === node;
  if (name === 'Function' && !member && isTaken(node, parent))
    return [{ kind: 'code', what: 'Function', node }];
  if (GLOBAL_OBJECTS.has(name) && !member) return [{ kind: 'global', what: name, node }];
  if (name === 'process' && !member && isTaken(node, parent)) return [{ kind: 'global', what: name, node }];
  if (name === 'getBuiltinModule' || NATIVE_DOORS.has(name)) return [{ kind: 'native', what: name, node }];
  if (
    name === 'require' &&
    !member &&
    !isCallee(node, parent) &&
    !isDeclared(node, parent) &&
    parent.type !== 'UnaryExpression'
  ) {
    return [{ kind: 'import', how: 'require', specifier: null, typeOnly: false, node }];
  }
  return [];
}

/** @param {Node} node @param {string} name @returns {boolean} */
function isNamed(node, name) {
  const inner = bare(node);
  return inner.type === 'Identifier' && inner['name'] === name;
}

/** @param {Node} node @param {Node} parent @returns {boolean} */
function isCallee(node, parent) {
  return parent.type === 'CallExpression' && parent['callee'] === node;
}

/**
 * Whether this is the `require` of `const require = createRequire(…)`.
 * @param {Node} node
 * @param {Node} parent
 * @returns {boolean}
 */
function isDeclared(node, parent) {
  return parent.type === 'VariableDeclarator' && parent['id'] === node;
}

/**
 * Whether the value of an identifier is handed on under another name, rather than called, compared or used as
 * a type.
 * @param {Node} node @param {Node} parent @returns {boolean}
 */
function isTaken(node, parent) {
  if (parent.type.startsWith('TS') || isCallee(node, parent) || parent.type === 'NewExpression') return false;
  return !(parent.type === 'BinaryExpression') && parent.type !== 'UnaryExpression';
}

/**
 * Whether an identifier names a property, a label or the far side of an import, rather than a binding in
 * scope. A local binding that is called like a network global counts as one: telling them apart would need
 * scopes, and a reader should not have to either.
 * @param {Node} node @param {Node} parent @returns {boolean}
 */
function isOnlyAName(node, parent) {
  switch (parent.type) {
    case 'MemberExpression':
      return parent['property'] === node && !parent['computed'];
    case 'Property':
      return parent['key'] === node && !parent['computed'] && !parent['shorthand'];
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'AccessorProperty':
    case 'TSAbstractMethodDefinition':
    case 'TSAbstractPropertyDefinition':
    case 'TSPropertySignature':
    case 'TSMethodSignature':
    case 'TSQualifiedName':
      return !parent['computed'];
    case 'ImportSpecifier':
      return parent['imported'] === node && parent['local'] !== node && parent['local'].name !== node['name'];
    case 'ExportSpecifier':
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return true;
    default:
      return false;
  }
}
