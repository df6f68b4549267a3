import { whyOf } from '../../../output/system-error.js';
import type { Where } from '../../client.js';
import { TextProblem } from '../../../text/text-problem.js';
import { readJson, type Dialect } from './read.js';
import { memberOf, type JsonNode } from './tree.js';

/** A file that is looked at and never changed: its value, that it is not there, or why it cannot be read. */
export type OtherFile =
  | { readonly path: string; readonly root: JsonNode | undefined }
  | { readonly path: string; readonly problem: string };

/** Reads another file of a client. Nothing is thrown: who asks has to decide what a broken file means. */
export function readOther(where: Where, path: string, dialect: Dialect): OtherFile {
  try {
    const text = where.readText(path);
    return { path, root: text === undefined ? undefined : readJson(text, dialect) };
  } catch (error) {
    return { path, problem: error instanceof TextProblem ? error.message : whyOf(error) };
  }
}

/** The names of the members of an object at a key, empty where there is none. */
export function namesAt(node: JsonNode | undefined, key: string): readonly string[] {
  const value = memberOf(node, key)?.value;
  return value?.kind === 'object' ? value.members.map((member) => member.key) : [];
}
