// Findings that a person has looked at and argued for: those in dependencies that are not a way to the
// network.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @import { Finding } from './report.mjs' */
/**
 * `uses`: in `files` of an npm package, this fact is no way out, and why. `edges`: a dependency that is
 * declared but never loaded at run time; the audit proves that no file of `from` imports `to`.
 * @typedef {{ package: string, file: string, fact: string, reason: string }} ReviewedUse
 * @typedef {{ from: string, to: string, reason: string }} ReviewedEdge
 */

const FILE = 'scripts/privacy-audit/reviewed.json';

/** The list with a memory of what was needed, so that an entry that matches nothing can be reported. */
export class Reviewed {
  /** @type {readonly ReviewedUse[]} */
  uses;
  /** @type {readonly ReviewedEdge[]} */
  edges;
  /** @type {Set<ReviewedUse | ReviewedEdge>} */
  #needed = new Set();

  /** @param {string} root */
  constructor(root) {
    const path = join(root, FILE);
    const list = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { uses: [], edges: [] };
    this.uses = list.uses;
    this.edges = list.edges;
  }

  /**
   * @param {string} name @param {string} file path inside the package @param {string} fact @returns {boolean}
   */
  coversUse(name, file, fact) {
    const found = this.uses.filter((use) => use.package === name && use.file === file && use.fact === fact);
    for (const use of found) if (use.reason.length > 0) this.#needed.add(use);
    return found.some((use) => use.reason.length > 0);
  }

  /** @param {string} from @param {string} to @returns {boolean} */
  cutsEdge(from, to) {
    const found = this.edges.find((edge) => edge.from === from && edge.to === to && edge.reason.length > 0);
    if (found !== undefined) this.#needed.add(found);
    return found !== undefined;
  }

  /** Entries that nothing needed. @returns {Finding[]} */
  stale() {
    return [...this.uses, ...this.edges]
      .filter((entry) => !this.#needed.has(entry))
      .map((entry) => ({
        where: FILE,
        what: `this entry matches nothing any more: ${JSON.stringify(entry)}`,
      }));
  }
}
