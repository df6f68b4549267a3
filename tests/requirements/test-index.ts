import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** One test as it stands in a file. */
export interface IndexedTest {
  readonly file: string;
  /**
   * Titles from the outermost `describe` to the test, joined with ` > `; a table's title as it is written.
   */
  readonly name: string;
  /** Modifiers on the test or on a `describe` around it: `each`, `skip`, `only`, `todo`, `skipIf`, … */
  readonly modifiers: readonly string[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

interface TestCall {
  readonly suite: boolean;
  readonly modifiers: readonly string[];
}

interface Around {
  readonly titles: readonly string[];
  readonly modifiers: readonly string[];
}

const SUITES = new Set(['describe', 'suite']);
const TESTS = new Set(['it', 'test']);
const SKIPPED = new Set(['node_modules', 'dist', '.git']);

/** Every test file that the test runner would find below `folder` of `root`. */
export function testFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (SKIPPED.has(entry.name)) return [];
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return testFiles(root, path);
    return entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

/** Reads the tests of one file from its syntax tree, without running it. */
export function indexTests(root: string, file: string): IndexedTest[] {
  return testsIn(file, readFileSync(join(root, file), 'utf8'));
}

/** Reads the tests of a source text from its syntax tree. */
export function testsIn(file: string, text: string): IndexedTest[] {
  const parsed = parseSync(file, text);
  if (parsed.errors.length > 0) throw new Error(`${file} does not parse`);
  const found: IndexedTest[] = [];

  const visit = (value: unknown, around: Around): void => {
    if (Array.isArray(value)) {
      for (const one of value) visit(one, around);
      return;
    }
    if (!isNode(value)) return;
    const call = value.type === 'CallExpression' ? testCall(value['callee']) : null;
    const title = call === null ? null : titleOf((value['arguments'] as unknown[])[0], text);
    if (call === null || title === null) {
      for (const child of Object.values(value)) visit(child, around);
      return;
    }
    const inside = {
      titles: [...around.titles, title],
      modifiers: [...around.modifiers, ...call.modifiers],
    };
    if (call.suite) visit(value['arguments'], inside);
    else found.push({ file, name: inside.titles.join(' > '), modifiers: inside.modifiers });
  };
  visit(parsed.program.body, { titles: [], modifiers: [] });
  return found;
}

/** `it`, `it.skip`, `it.each(table)`, `describe.skipIf(x).each(table)`, …; null for any other callee. */
function testCall(callee: unknown): TestCall | null {
  if (!isNode(callee)) return null;
  if (callee.type === 'Identifier') {
    const name = String(callee['name']);
    return SUITES.has(name) || TESTS.has(name) ? { suite: SUITES.has(name), modifiers: [] } : null;
  }
  if (callee.type === 'CallExpression') return testCall(callee['callee']);
  if (callee.type === 'TaggedTemplateExpression') return testCall(callee['tag']);
  if (callee.type !== 'MemberExpression' || !isNode(callee['property'])) return null;
  const base = testCall(callee['object']);
  return base && { ...base, modifiers: [...base.modifiers, String(callee['property']['name'])] };
}

/** The title as it is written; null for the call that only hands a table over. */
function titleOf(node: unknown, text: string): string | null {
  if (!isNode(node)) return null;
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  return node.type === 'TemplateLiteral' ? text.slice(node.start + 1, node.end - 1) : null;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
