import { isJsonObject, objectAt, valueAt, type JsonObject } from '@subluminal/core-types/portable';
import { differenceOf, type Difference } from '../../parts/compare.js';

/** A held definition beside the approved one, compared in full. */
export interface Compared {
  /** Of what the tool says of itself, and of everything else; null where it is the same. */
  readonly said: { readonly difference: Difference | null } | null;
  readonly rest: { readonly difference: Difference | null } | null;
  /** The definition of the tool that it takes the name or the words of. */
  readonly other: string;
  /** It may be taken from here: every sign that differs is shown. */
  readonly canTake: boolean;
}

/** Signs of another tool's definition that are shown. */
export const MOST_OTHER = 64 * 1024;

/** Compares the two definitions of a held tool. */
export function comparedOf(facts: JsonObject): Compared {
  const [before, after, other] = [
    objectAt(facts, 'before'),
    objectAt(facts, 'after'),
    valueAt(facts, 'other'),
  ];
  const said = changeOf(textOf(before['description']), textOf(after['description']), 'words');
  const rest = changeOf(restOf(before), restOf(after), 'lines');
  const otherText = other === null ? '' : JSON.stringify(other, null, 2);
  return {
    said,
    rest,
    other: otherText,
    canTake:
      isJsonObject(valueAt(facts, 'after')) &&
      valueAt(facts, 'approvable') !== false &&
      said?.difference !== null &&
      rest?.difference !== null &&
      otherText.length <= MOST_OTHER,
  };
}

function changeOf(before: string, after: string, by: Difference['by']): Compared['said'] {
  return before === after ? null : { difference: differenceOf(before, after, by) };
}

function textOf(value: JsonObject[string] | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** Everything but the description, if that is a text; a line a member. */
function restOf(definition: JsonObject): string {
  const members = Object.entries(definition).filter(
    ([name, value]) => name !== 'description' || typeof value !== 'string',
  );
  return members.length === 0 ? '' : JSON.stringify(Object.fromEntries(members), null, 2);
}
