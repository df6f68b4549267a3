import { parseSync } from 'oxc-parser';

/**
 * Every way to take one check out of a source file, or to turn it round:
 *
 * - `never`, `always`: the condition of an `if` or `?:` is not met, or met, whatever is asked. Both, since a
 *   check may stand in either branch.
 * - `left of`, `right of` (`&&`, `||`): one side of a condition is left out.
 * - `left of`, `right of` (`??`): one of two checks that follow each other is left out. A `??` that only
 *   names a default is none.
 * - `<` to `<=` and so on: a limit is off by one.
 * - `yes`, `no`: what a function of type boolean, a callback or a variable says of a comparison is fixed.
 * - `skipped`: a call that stands alone, which notes what a later check needs, or refuses by throwing.
 *
 * What is no check has no mutant: texts of details (a `?:` between two texts), types, and the tests of loops,
 * since one that never ends proves nothing.
 *
 * @param {string} file
 * @param {string} source
 * @param {ReadonlySet<string>} passedOver names of functions, methods and classes without mutants
 * @returns {{ start: number, end: number, kind: string, line: number, code: string, mutated: string }[]}
 */
export function mutantsOf(file, source, passedOver) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0].message}`);
  const found = [];
  const text = (part) => source.slice(part.start, part.end);
  const add = (node, kind, mutated) => {
    const { start, end } = node;
    const line = source.slice(0, start).split('\n').length;
    found.push({ start, end, kind, line, code: text(node).replaceAll(/\s+/g, ' '), mutated });
  };
  const fixed = (node) => {
    add(node, 'yes', 'true');
    add(node, 'no', 'false');
  };
  walk(program, passedOver, null, (node, parent) => {
    switch (node.type) {
      case 'IfStatement':
        add(node.test, 'never', 'false');
        add(node.test, 'always', 'true');
        break;
      case 'ConditionalExpression':
        if (isText(node.consequent) && isText(node.alternate)) break;
        add(node.test, 'never', 'false');
        add(node.test, 'always', 'true');
        break;
      case 'LogicalExpression':
        if (node.operator === '??' && !isCheck(node.right)) break;
        add(node, `left of ${node.operator}`, `(${text(node.left)})`);
        add(node, `right of ${node.operator}`, `(${text(node.right)})`);
        break;
      case 'ExpressionStatement':
        if (called(node.expression)) add(node.expression, 'skipped', 'undefined');
        break;
      case 'BinaryExpression': {
        const other = LIMITS[node.operator];
        if (other !== undefined)
          add(node, `${node.operator} to ${other}`, `(${text(node.left)}) ${other} (${text(node.right)})`);
        if (/^(?:[<>]=?|[!=]==)$/.test(node.operator) && !CONDITIONS.has(parent?.type)) fixed(node);
        break;
      }
      case 'FunctionDeclaration':
      case 'MethodDefinition':
        for (const { argument } of returnsOf(node.value ?? node))
          if (argument !== null && !isComparison(argument) && !isFixed(argument)) fixed(argument);
        break;
      default:
    }
  });
  return found;
}

const LIMITS = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

/** Where a comparison has mutants of its own already. */
const CONDITIONS = new Set(['IfStatement', 'ConditionalExpression', 'LogicalExpression']);

const isText = ({ type, value }) =>
  type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');
const isComparison = ({ type, operator }) => type === 'BinaryExpression' && /[<>=]/.test(operator);
const isFixed = ({ type, value }) => type === 'Literal' && typeof value === 'boolean';
const called = ({ type, expression }) =>
  type === 'CallExpression' || (type === 'ChainExpression' && expression.type === 'CallExpression');

/** Whether what stands behind a `??` is asked only where nothing was found before. */
function isCheck(node) {
  const { type, expression, argument } = node;
  if (type === 'ParenthesizedExpression' || type === 'ChainExpression') return isCheck(expression);
  if (type === 'AwaitExpression') return isCheck(argument);
  return type === 'CallExpression' || type === 'ConditionalExpression';
}

/** The returns of a function that says yes or no. */
function returnsOf({ returnType, body }) {
  const type = returnType?.typeAnnotation?.type;
  if (body === null || (type !== 'TSBooleanKeyword' && type !== 'TSTypePredicate')) return [];
  const found = [];
  const visit = (node) => {
    if (Array.isArray(node)) node.forEach(visit);
    else if (node !== null && typeof node === 'object' && !/Function/.test(node.type ?? '')) {
      if (node.type === 'ReturnStatement') found.push(node);
      Object.values(node).forEach(visit);
    }
  };
  visit(body.body);
  return found;
}

const SKIPPED = new Set([
  'TSTypeAnnotation',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'ImportDeclaration',
]);

function walk(node, passedOver, parent, visit) {
  if (Array.isArray(node)) {
    for (const one of node) walk(one, passedOver, parent, visit);
    return;
  }
  if (node === null || typeof node !== 'object' || typeof node.type !== 'string' || SKIPPED.has(node.type))
    return;
  if (/^(?:FunctionDeclaration|ClassDeclaration|MethodDefinition)$/.test(node.type)) {
    if (passedOver.has((node.id ?? node.key)?.name)) return;
  }
  visit(node, parent);
  const isLoop = /^(?:While|For|DoWhile)Statement$/.test(node.type);
  for (const [key, value] of Object.entries(node)) {
    if (isLoop && (key === 'test' || key === 'update')) continue;
    walk(value, passedOver, node.type === 'ParenthesizedExpression' ? parent : node, visit);
  }
}
