// Parsing one file and collecting its facts (scripts/boundary/facts.mjs) with line numbers.
import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { factsOf } from '../boundary/facts.mjs';

/** @import { Fact, Node } from '../boundary/facts.mjs' */
/** @typedef {{ start: number, value: string }} Comment */
/**
 * @typedef {{ program: Node, facts: Fact[], comments: Comment[], lineOf: (offset: number) => number }} Scan
 */

/**
 * Reads and parses a file. A file that does not parse throws: what cannot be read cannot be cleared.
 * @param {string} file
 * @returns {Scan}
 */
export function scanFile(file) {
  const text = readFileSync(file, 'utf8');
  const parsed = parse(file, text);
  /** @type {Fact[]} */
  const facts = [];
  walk(parsed.program, null, (node, parent) => facts.push(...factsOf(node, parent)));
  return {
    program: parsed.program,
    facts,
    comments: parsed.comments,
    lineOf: lineCounter(text),
  };
}

/** @param {string} file @param {string} text */
function parse(file, text) {
  const parsed = parseSync(file, text);
  if (parsed.errors.length === 0) return parsed;
  const script = parseSync(file, text, { sourceType: 'script' });
  if (script.errors.length === 0) return script;
  throw new Error(`does not parse: ${parsed.errors[0]?.message}`);
}

/**
 * Visits every node below `node` with its parent.
 * @param {Node} node
 * @param {Node | null} parent
 * @param {(node: Node, parent: Node | null) => void} visit
 */
export function walk(node, parent, visit) {
  visit(node, parent);
  for (const [field, value] of Object.entries(node)) {
    if (field === 'parent') continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child !== null && typeof child === 'object' && typeof child.type === 'string')
        walk(child, node, visit);
    }
  }
}

/** @param {string} text @returns {(offset: number) => number} */
function lineCounter(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next < 0 ? starts.length : next;
  };
}
