import type { ToolDefinition } from '../book/definition.js';
import type { PinLimits } from '../book/limits.js';

/** A page as it came, with what says where it belongs. */
export interface Page {
  /** Whose list it is: one shim of one run. */
  readonly owner: string;
  readonly epoch: number;
  readonly cursor: string | undefined;
  readonly next: string | undefined;
  /** It belongs to no list. */
  readonly apart: boolean;
  readonly tools: readonly ToolDefinition[];
}

/** A list as far as it has come. */
export interface OpenList {
  /** Every tool by its name; the first of a name. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  /** Names that stand in it with two meanings. */
  readonly ambiguous: ReadonlySet<string>;
  /** Tools that this very list added as the first of its kind of client. A page of no list has none. */
  readonly addedHere?: Set<string>;
}

/**
 * Where a page belongs. `circle`: its pages lead back to each other or do not end; `list` is what came before
 * this page, where all of that is known.
 */
export type Placed =
  | { readonly kind: 'complete' | 'part'; readonly list: OpenList }
  | { readonly kind: 'circle'; readonly why: string; readonly list?: OpenList };

interface Chain {
  readonly epoch: number;
  readonly owner: string;
  readonly cursors: Set<string>;
  readonly tools: Map<string, ToolDefinition>;
  readonly ambiguous: Set<string>;
  readonly addedHere: Set<string>;
  bytes: number;
  pages: number;
}

/**
 * Puts the pages of `tools/list` together by their cursors: the first page asks without one, each other with
 * what the page before it gave, the last gives none. Pages of before and after an announced change do not
 * belong together.
 */
export class OpenLists {
  readonly #limits: PinLimits;
  /** By owner and the cursor that the next page is asked with; the oldest in front. */
  readonly #chains = new Map<string, Chain>();
  #bytes = 0;

  constructor(limits: PinLimits) {
    this.#limits = limits;
  }

  place(page: Page): Placed {
    const chain = this.#chainOf(page);
    if (chain === undefined) {
      const alone = chainOf(page);
      take(alone, page);
      const { tools, ambiguous } = alone;
      return tools.size > this.#limits.tools ? tooMany() : { kind: 'part', list: { tools, ambiguous } };
    }
    const { next } = page;
    if (next !== undefined && (chain.cursors.has(next) || next === page.cursor)) {
      return { kind: 'circle', why: 'its pages lead back to one that was there before', list: chain };
    }
    const isTooMany = chain.pages >= this.#limits.pages || sizeWith(chain, page) > this.#limits.tools;
    // Of a list whose first page alone is too much nothing was let through.
    if (isTooMany) return chain.pages === 0 ? tooMany() : { ...tooMany(), list: chain };
    chain.pages += 1;
    take(chain, page);
    if (next === undefined) return { kind: 'complete', list: chain };
    chain.cursors.add(next);
    this.#keep(`${page.owner}\n${next}`, chain);
    return { kind: 'part', list: chain };
  }

  /**
   * The list that a page goes on with, which is then no longer waited for; undefined for a page of no list.
   */
  #chainOf(page: Page): Chain | undefined {
    if (page.apart) return undefined;
    if (page.cursor === undefined) return chainOf(page);
    const key = `${page.owner}\n${page.cursor}`;
    const chain = this.#chains.get(key);
    if (chain === undefined) return undefined;
    this.#drop(key);
    return chain.epoch === page.epoch ? chain : undefined;
  }

  #keep(key: string, chain: Chain): void {
    this.#drop(key);
    this.#chains.set(key, chain);
    this.#bytes += chain.bytes;
    for (const oldest of this.#chains.keys()) {
      if (this.#chains.size <= this.#limits.openLists && this.#bytes <= this.#limits.openBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const chain = this.#chains.get(key);
    if (chain === undefined) return;
    this.#chains.delete(key);
    this.#bytes -= chain.bytes;
  }
}

function chainOf({ owner, epoch }: Page): Chain {
  const [cursors, ambiguous, addedHere] = [new Set<string>(), new Set<string>(), new Set<string>()];
  return { owner, epoch, cursors, tools: new Map(), ambiguous, addedHere, bytes: 0, pages: 0 };
}

/** The memory of a tool besides the text of its definition. */
const TOOL_BYTES = 512;

/** Adds a page's tools. A name may stand in a list twice if it means the same both times. */
function take(chain: Chain, page: Page): void {
  for (const tool of page.tools) {
    const known = chain.tools.get(tool.name);
    if (known === undefined) {
      chain.tools.set(tool.name, tool);
      chain.bytes += tool.bytes + TOOL_BYTES;
    } else if (known.hash !== tool.hash) chain.ambiguous.add(tool.name);
  }
}

/** How many tools a list has with a page. */
function sizeWith(chain: Chain, page: Page): number {
  const more = new Set(page.tools.flatMap(({ name }) => (chain.tools.has(name) ? [] : [name])));
  return chain.tools.size + more.size;
}

function tooMany(): Extract<Placed, { kind: 'circle' }> {
  return { kind: 'circle', why: 'it has more pages or tools than can be remembered' };
}
