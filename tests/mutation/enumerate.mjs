import { parseSync } from 'oxc-parser';

/**
 * Every way to switch off one check of a source file: a condition that is always or never met, one side of an `&&`,
 * `||` or `??` left out, a call skipped.
 *
 * @typedef {{ start: number, end: number, kind: string, mutate: (text: string) => string }} Site
 * @param {string} file
 * @param {string} source
 * @param {ReadonlySet<string>} passedOver names of functions and classes without mutants
 * @returns {{ start: number, end: number, kind: string, line: number, code: string, mutated: string }[]}
 */
export function mutantsOf(file, source, passedOver) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0].message}`);
  const found = [];
  const add = (node, kind, mutated) => {
    const code = source.slice(node.start, node.end);
    found.push({
      start: node.start,
      end: node.end,
      kind,
      line: source.slice(0, node.start).split('\n').length,
      code,
      mutated,
    });
  };
  walk(program, passedOver, (node) => {
    const text = (part) => source.slice(part.start, part.end);
    switch (node.type) {
      case 'IfStatement':
      case 'ConditionalExpression':
        add(node.test, 'never', 'false');
        add(node.test, 'always', 'true');
        break;
      case 'LogicalExpression':
        add(node, `left of ${node.operator}`, `(${text(node.left)})`);
        add(node, `right of ${node.operator}`, `(${text(node.right)})`);
        break;
      case 'ExpressionStatement':
        if (node.expression.type === 'CallExpression') add(node.expression, 'skipped', 'undefined');
        break;
      case 'BinaryExpression': {
        const other = BOUNDARY[node.operator];
        if (other !== undefined)
          add(node, `${node.operator} to ${other}`, `(${text(node.left)}) ${other} (${text(node.right)})`);
        break;
      }
      default:
    }
  });
  return found;
}

const BOUNDARY = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };

/** Types are no code, and a loop that never ends proves nothing. */
const SKIPPED = new Set([
  'TSTypeAnnotation',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'ImportDeclaration',
]);

function walk(node, passedOver, visit) {
  if (Array.isArray(node)) {
    for (const one of node) walk(one, passedOver, visit);
    return;
  }
  if (node === null || typeof node !== 'object' || typeof node.type !== 'string' || SKIPPED.has(node.type))
    return;
  if (/^(?:Function|Class)Declaration$/.test(node.type) && passedOver.has(node.id?.name)) return;
  visit(node);
  const isLoop =
    node.type === 'WhileStatement' || node.type === 'ForStatement' || node.type === 'DoWhileStatement';
  for (const [key, value] of Object.entries(node)) {
    if (isLoop && (key === 'test' || key === 'update')) continue;
    walk(value, passedOver, visit);
  }
}

/**
 * The source with every mutant in it, each behind a switch: `globalThis.subMutant` names the one that is on.
 *
 * @param {string} source
 * @param {readonly { id: number, start: number, end: number, mutated: string }[]} mutants
 */
export function instrument(source, mutants) {
  const sites = new Map();
  for (const mutant of mutants) {
    const key = `${mutant.start} ${mutant.end}`;
    sites.set(key, [...(sites.get(key) ?? []), mutant]);
  }
  // Inner sites are inside outer ones: an outer mutant holds its inner parts unmutated, since only one is on at a time.
  const edits = [...sites.values()].flatMap((group) => {
    const [{ start, end }] = group;
    const switches = group.map(({ id, mutated }) => `globalThis.subMutant===${id}?${mutated}:`).join('');
    return [
      { at: start, text: `(${switches}(`, opens: true, width: end - start },
      { at: end, text: '))', opens: false, width: end - start },
    ];
  });
  // At one place: close before open, the outer opens first and closes last.
  edits.sort(
    (a, b) =>
      a.at - b.at || Number(a.opens) - Number(b.opens) || (a.opens ? b.width - a.width : a.width - b.width),
  );
  let out = '';
  let from = 0;
  for (const { at, text } of edits) {
    out += source.slice(from, at) + text;
    from = at;
  }
  return out + source.slice(from);
}
