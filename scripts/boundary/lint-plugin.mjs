// The boundary as lint rules, one rule a kind of finding, so that the editor shows what scripts/privacy-audit
// would.
import { relative, sep } from 'node:path';
import { FACT_NODES, factsOf } from './facts.mjs';
import { RULES, judge, judgeFile } from './judge.mjs';
import { findRoot, loadTable } from './table.mjs';

/** @import { Node } from './facts.mjs' */
/** @import { Rule } from './judge.mjs' */
/**
 * @typedef {{ filename: string, cwd: string, report: (problem: { node: Node, message: string }) => void }}
 *   Context
 */

/** @param {Rule} rule */
function ruleOf(rule) {
  return {
    meta: { type: /** @type {const} */ ('problem') },
    /** @param {Context} context */
    create(context) {
      const root = findRoot(context.cwd);
      const table = loadTable(root);
      const file = relative(root, context.filename).split(sep).join('/');
      const uncovered = judgeFile(table, file);
      /** @param {Node} node */
      const check = (node) => {
        if (uncovered !== null) return;
        for (const fact of factsOf(node, node['parent'])) {
          const finding = judge(table, file, fact);
          if (finding?.rule === rule) context.report({ node: fact.node, message: finding.message });
        }
      };
      /** @param {Node} node */
      const checkFile = (node) => {
        if (uncovered?.rule === rule) context.report({ node, message: uncovered.message });
      };
      return { Program: checkFile, ...Object.fromEntries(FACT_NODES.map((type) => [type, check])) };
    },
  };
}

export default {
  meta: { name: 'boundary' },
  rules: Object.fromEntries(RULES.map((rule) => [rule, ruleOf(rule)])),
};
