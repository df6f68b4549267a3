// The rules of comments as lint rules, so that the editor shows them.
import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { findRoot } from '../boundary/table.mjs';
import { relativeBeginnings, tooWide } from './comments.mjs';

/** @import { Comment, Finding } from './comments.mjs' */
/**
 * @typedef {{ line: number, column: number }} Place
 * @typedef {{ text: string, getAllComments: () => Comment[], getLocFromIndex: (offset: number) => Place }}
 *   SourceCode
 * @typedef {{ filename: string, cwd: string, sourceCode: SourceCode,
 *   report: (problem: { loc: { start: Place, end: Place }, message: string }) => void }} Context
 */

/** @param {(context: Context, text: string, comments: Comment[]) => Finding[]} find */
function ruleOf(find) {
  return {
    meta: { type: /** @type {const} */ ('layout') },
    /** @param {Context} context */
    create(context) {
      return {
        Program() {
          const { sourceCode } = context;
          for (const { offset, message } of find(context, sourceCode.text, commentsOf(sourceCode))) {
            const place = sourceCode.getLocFromIndex(offset);
            context.report({ loc: { start: place, end: place }, message });
          }
        },
      };
    },
  };
}

/** @param {SourceCode} sourceCode @returns {Comment[]} */
function commentsOf(sourceCode) {
  return sourceCode.getAllComments().filter(({ type }) => type === 'Line' || type === 'Block');
}

/**
 * The files whose sentences are still to be mended. The list only shrinks: `node scripts/prose/exempt.mjs`
 * writes it.
 * @param {string} root @returns {Set<string>}
 */
function exempt(root) {
  return new Set(readFileSync(new URL('exempt.txt', `file://${root}/scripts/prose/`), 'utf8').split('\n'));
}

export default {
  meta: { name: 'prose' },
  rules: {
    width: ruleOf((_context, text, comments) => tooWide(text, comments)),
    'subject-first': ruleOf((context, text, comments) => {
      const findings = relativeBeginnings(text, comments);
      if (findings.length === 0) return [];
      const root = findRoot(context.cwd);
      const file = relative(root, context.filename).split(sep).join('/');
      return exempt(root).has(file) ? [] : findings;
    }),
  },
};
