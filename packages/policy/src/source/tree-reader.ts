import { canonicalNumber, isSublError } from '@subluminal/core-types';
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type YAMLMap,
} from 'yaml';
import { type Finding, type Path, quoted } from '../problem/problem.js';
import { safeKey } from './keys.js';
import type { Places } from './places.js';
import type { Tree, TreeMap } from './tree.js';

const MAX_DEPTH = 64;

/** With the `u` flag a surrogate is one that has no partner. */
const HALF_PAIR = /\p{Surrogate}/u;
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * Turns the nodes of a document into plain values, remembering where each stood. Bounded in size and depth.
 */
export class TreeReader {
  readonly findings: Finding[] = [];
  readonly #contents: unknown;
  readonly #places: Places;
  /** Kept here because the library searches the whole document again for every alias. */
  readonly #anchors = new Map<string, Node>();
  readonly #maxValues: number;
  #values = 0;

  constructor(document: Document, places: Places, maxValues: number) {
    this.#maxValues = maxValues;
    this.#contents = document.contents;
    this.#places = places;
  }

  /** The plain value of the whole document; what cannot be read is null and stands in `findings`. */
  read(): Tree {
    return this.#node(this.#contents, [], undefined, 0);
  }

  #node(node: unknown, path: Path, keyAt: number | undefined, fallback: number): Tree {
    this.#values += 1;
    if (this.#values > this.#maxValues) {
      return this.#once('too_large', path, `the bundle expands to more than ${this.#maxValues} values`);
    }
    const start = isNode(node) ? (node.range?.[0] ?? fallback) : fallback;
    this.#places.add(path, start, keyAt);
    if (!isNode(node)) return null;
    if (path.length > MAX_DEPTH) {
      return this.#once('too_deep', path, `values are nested deeper than ${MAX_DEPTH} levels`);
    }
    this.#checkTag(node, path);
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target !== undefined) return this.#node(target, path, keyAt, start);
      const help = 'write the value out, or put its anchor above';
      return this.#fail(
        'unknown_alias',
        path,
        `the alias ${quoted(node.source)} names no anchor above it`,
        help,
      );
    }
    const value = this.#plain(node, path, start);
    // Known only once it is read: an anchor inside itself would never end.
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    return value;
  }

  #plain(node: Exclude<Node, Alias>, path: Path, start: number): Tree {
    if (isMap(node)) return this.#map(node, path, start);
    if (isSeq(node)) return node.items.map((item, at) => this.#node(item, [...path, at], undefined, start));
    return isScalar(node) ? this.#scalar(node.value, node.source, path) : null;
  }

  #map(map: YAMLMap, path: Path, start: number): TreeMap {
    // Without a prototype, `__proto__` is a key like any other.
    const result: { [key: string]: Tree } = Object.create(null);
    for (const { key, value } of map.items) {
      const keyAt = isNode(key) ? (key.range?.[0] ?? start) : start;
      if (!isScalar(key) || typeof key.value !== 'string') {
        const shown = isScalar(key) ? quoted(String(key.source ?? key.value)) : 'a key';
        const help = 'put the key in double quotes';
        const at = [...path, isScalar(key) ? String(key.source ?? key.value) : '(key)'];
        this.#places.add(at, keyAt, keyAt);
        this.findings.push({ code: 'key_not_text', message: `${shown} is not a text`, path: at, help });
        continue;
      }
      this.#checkText(key.value, path);
      const name = safeKey(key.value);
      const at = [...path, name];
      if (Object.hasOwn(result, name)) {
        this.#places.add(at, keyAt, keyAt);
        this.#fail('duplicate_key', at, `the key ${quoted(key.value)} stands twice`, 'remove one of the two');
        continue;
      }
      result[name] = this.#node(value, at, keyAt, keyAt);
    }
    return result;
  }

  #scalar(value: unknown, source: string | undefined, path: Path): Tree {
    if (typeof value === 'string') return this.#checkText(value, path);
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number') return this.#number(value, source ?? String(value), path);
    return null;
  }

  #number(value: number, literal: string, path: Path): Tree {
    if (!JSON_NUMBER.test(literal)) {
      const help = 'write a decimal number such as `10` or `0.5`, or put it in quotes to make it a text';
      this.#fail('number_form', path, `${quoted(literal)} is not a plain decimal number`, help);
    } else if (!survivesDouble(value, literal)) {
      const help = 'use a number with at most 15 digits';
      this.#fail(
        'number_lossy',
        path,
        `the number ${quoted(literal)} would be rounded when it is read`,
        help,
      );
    }
    return Number.isFinite(value) ? value : 0;
  }

  #checkTag(node: Node, path: Path): void {
    if (!isAlias(node) && node.tag !== undefined) {
      const help = 'remove the tag; put a text in double quotes where its type is in doubt';
      this.#fail('yaml_feature', path, `the tag ${quoted(node.tag)} is not allowed in a policy`, help);
    }
  }

  #checkText(text: string, path: Path): string {
    if (!HALF_PAIR.test(text)) return text;
    this.#fail(
      'text_not_unicode',
      path,
      'a text holds half of a surrogate pair',
      'write the whole character',
    );
    return '';
  }

  #once(code: 'too_large' | 'too_deep', path: Path, message: string): null {
    if (this.findings.some((finding) => finding.code === code)) return null;
    return this.#fail(code, path, message, 'make the bundle smaller and flatter');
  }

  #fail(code: Finding['code'], path: Path, message: string, help?: string): null {
    this.findings.push({ code, message, path, ...(help === undefined ? {} : { help }) });
    return null;
  }
}

function survivesDouble(value: number, literal: string): boolean {
  try {
    return canonicalNumber(literal) === canonicalNumber(String(value));
  } catch (error) {
    // Too long for a canonical form, or beyond the largest double: neither survives.
    if (isSublError(error, 'invalid_json')) return false;
    throw error;
  }
}
