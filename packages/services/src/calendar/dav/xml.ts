import { nextTurn, SublError } from '@subluminal/core-types';
import { SaxesParser } from 'saxes';

/** An element, its namespace resolved. `name` is the only attribute that matters here. */
export interface Element {
  readonly ns: string;
  readonly name: string;
  readonly named: string | undefined;
  readonly children: readonly Element[];
  /** Its own text, without that of its children. */
  readonly text: string;
}

interface Open {
  readonly ns: string;
  readonly name: string;
  readonly named: string | undefined;
  readonly children: Element[];
  text: string;
}

const MAX_DEPTH = 32;
const MAX_ELEMENTS = 200_000;
/** Attributes of one element. */
const MAX_ATTRIBUTES = 64;
/**
 * Characters of one turn of the event loop: a hostile 4 MiB would keep everything else waiting for a second.
 */
const PER_TURN = 65_536;

/**
 * Reads an XML document of a DAV server. It knows the five entities of XML and characters by their numbers: a
 * document type, which could define others, is refused unread.
 *
 * @throws SublError `adapter_failed`.
 */
export async function readXml(text: string): Promise<Element> {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const open: Open[] = [];
  let root: Element | undefined;
  let elements = 0;
  let attributesOfOne = 0;
  parser.on('error', () => {
    throw unreadable('it is not well-formed XML');
  });
  parser.on('doctype', () => {
    throw unreadable('it brings a document type');
  });
  parser.on('attribute', () => {
    attributesOfOne += 1;
    if (attributesOfOne > MAX_ATTRIBUTES) throw unreadable('an element has too many attributes');
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    elements += 1;
    attributesOfOne = 0;
    if (elements > MAX_ELEMENTS || open.length >= MAX_DEPTH) throw unreadable('it has too many elements');
    const named = Object.hasOwn(attributes, 'name') ? attributes['name']?.value : undefined;
    open.push({ ns: uri, name: local, named, children: [], text: '' });
  });
  const say = (part: string): void => {
    const inner = open.at(-1);
    if (inner !== undefined) inner.text += part;
  };
  parser.on('text', say);
  parser.on('cdata', say);
  parser.on('closetag', () => {
    const element = open.pop();
    if (element === undefined) return;
    const holder = open.at(-1);
    if (holder === undefined) root = element;
    else holder.children.push(element);
  });
  for (let at = 0; at < text.length; at += PER_TURN) {
    if (at > 0) await nextTurn();
    parser.write(text.slice(at, at + PER_TURN));
  }
  parser.close();
  if (root === undefined) throw unreadable('it is empty');
  return root;
}

/** The children of a name. */
export function childrenOf(element: Element, ns: string, name: string): readonly Element[] {
  return element.children.filter((child) => child.ns === ns && child.name === name);
}

/** The first child of a name. */
export function childOf(element: Element, ns: string, name: string): Element | undefined {
  return childrenOf(element, ns, name)[0];
}

function unreadable(why: string): SublError {
  return new SublError('adapter_failed', `the answer of the calendar server cannot be read: ${why}`);
}
