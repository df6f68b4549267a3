import { canonicalize } from '@subluminal/core-types';
import { Document, isMap, isScalar, isSeq, parseDocument, visit, YAMLMap, YAMLSeq } from 'yaml';
import { compilePolicy, type CompileOptions } from '../compile.js';
import { quoted, type PolicyProblem } from '../problem/problem.js';
import type { PlainPolicy } from '../snapshot/plain.js';

/** A server, and all that its worlds were seen to reach. */
export interface ProfileDraft {
  readonly server: string;
  /** Canonical hosts. */
  readonly hosts: readonly string[];
}

/** A text with the profile, or why there is none. */
export type ProfileResult =
  | {
      readonly ok: true;
      readonly text: string;
      readonly profile: string;
      /** The hosts that the profile did not have before. */
      readonly added: readonly string[];
      /** Nothing has to be written. */
      readonly isSame: boolean;
    }
  | {
      readonly ok: false;
      readonly message: string;
      readonly help?: string;
      readonly problems?: readonly PolicyProblem[];
    };

/** The text of a policy that is as the built-in one: where there is no file yet. */
export const FIRST_POLICY = `policy_id: own
version: "1"
mode: observe
defaults: { decision_on_error: BLOCK }
selectors: {}
rules: []
`;

/**
 * Writes the profile of a server into the text of a bundle: above the others, since the first one that fits
 * holds, or its hosts into the one of that server. Nothing but the section `world` is changed. The result is
 * given only where it compiles and differs from what was there by exactly that.
 */
export function writeProfile(
  source: string,
  { server, hosts }: ProfileDraft,
  options: CompileOptions = {},
): ProfileResult {
  const before = compilePolicy(source, options);
  if (!before.ok) return { ok: false, message: 'the policy has a mistake', problems: before.problems };
  const { plain } = before.snapshot;
  const profiles = plain.world?.profiles ?? [];
  const glob = server.replaceAll(/[*?[\]{}\\]/g, '\\$&');
  const at = profiles.findIndex(
    (one) => one.folder === undefined && one.server?.length === 1 && one.server[0] === glob,
  );
  const old = profiles[at];
  const known = new Set(old?.net?.allowed);
  const added = hosts.filter((host) => !known.has(host));
  const name = old?.name ?? freeName(server, new Set(profiles.map((one) => one.name)));
  const allowed = [...new Set([...known, ...hosts])].toSorted();
  const done = { ok: true, profile: name, added } as const;
  if (old?.net !== undefined && added.length === 0) return { ...done, text: source, isSame: true };
  const profile = { ...(old ?? { name, server: [glob] }), net: { allowed } };
  const rest = profiles.filter((one) => one !== old);
  const wanted = at === -1 ? [profile, ...rest] : profiles.map((one) => (one === old ? profile : one));
  const text = written(source, at, { name, server: [glob], net: { allowed } });
  const after = text === undefined ? undefined : compilePolicy(text, options);
  const expected: PlainPolicy = { ...plain, world: { ...plain.world, profiles: wanted } };
  if (text !== undefined && after?.ok === true && isSameJson(after.snapshot.plain, expected))
    return { ...done, text, isSame: false };
  return {
    ok: false,
    message: `the policy is written in a way that the profile ${quoted(name)} cannot be put into it`,
    help: `write by hand, under \`world\`: profiles: [{ name: ${name}, server: [${JSON.stringify(glob)}], net: { allowed: [${allowed.join(', ')}] } }]`,
  };
}

function isSameJson(a: PlainPolicy, b: PlainPolicy): boolean {
  return canonicalize(a) === canonicalize(b);
}

interface WrittenProfile {
  readonly name: string;
  readonly server: readonly string[];
  readonly net: { readonly allowed: readonly string[] };
}

/** The text with the section written anew; all else stays as it is, byte for byte. */
function written(source: string, at: number, profile: WrittenProfile): string | undefined {
  const document: Document = parseDocument(source, { prettyErrors: false, uniqueKeys: false });
  const { contents } = document;
  // An alias may stand for what is elsewhere in the file.
  if (!isMap(contents) || contents.flow === true || hasAlias(document)) return undefined;
  const own = contents.items.find(({ key }) => isScalar(key) && key.value === 'world');
  if (own === undefined) {
    const section = new Document({ world: { profiles: [profile] } });
    shorten(section.get('world'));
    return `${source}${source.endsWith('\n') ? '' : '\n'}\n${section.toString(STYLE)}`;
  }
  const { key, value } = own;
  if (!isScalar(key) || !isMap(value) || !key.range || !value.range) return undefined;
  const list = value.get('profiles');
  if (list === undefined) value.set('profiles', document.createNode([profile]));
  else if (!isSeq(list)) return undefined;
  else if (at === -1) list.items.unshift(document.createNode(profile));
  else {
    const found = list.items[at];
    if (!isMap(found)) return undefined;
    found.set('net', document.createNode(profile.net));
  }
  shorten(value);
  const section = new Document();
  const root = new YAMLMap();
  root.items.push(own);
  section.contents = root;
  const [from] = key.range;
  const [, , to] = value.range;
  const rest = source.slice(to);
  return `${source.slice(0, from)}${section.toString(STYLE).trimEnd()}\n${rest}`;
}

function hasAlias(document: Document): boolean {
  let found = false;
  visit(document, { Alias: () => void (found = true) });
  return found;
}

const STYLE = { lineWidth: 0, flowCollectionPadding: true } as const;

/** Lists of texts stand on one line, as people write them. */
function shorten(node: unknown): void {
  if (isSeq(node) && node.items.length > 0 && node.items.every(isScalar) && !isCommented(node))
    node.flow = true;
  else if (isSeq(node)) for (const one of node.items) shorten(one);
  else if (isMap(node)) for (const { value } of node.items) shorten(value);
}

function isCommented(node: YAMLSeq): boolean {
  return node.items.some((one) => isScalar(one) && hasText(one.comment, one.commentBefore));
}

function hasText(...texts: readonly (string | null | undefined)[]): boolean {
  return texts.some((text) => typeof text === 'string' && text !== '');
}

/** A name that no profile has, after the server. */
function freeName(server: string, taken: ReadonlySet<string>): string {
  const plain = server
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 60);
  const base = plain === '' ? 'server' : plain;
  for (let at = 1; ; at += 1) {
    const name = at === 1 ? base : `${base}-${at}`;
    if (!taken.has(name)) return name;
  }
}
