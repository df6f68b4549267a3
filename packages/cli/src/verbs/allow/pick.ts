import { SublError } from '@subluminal/core-types';
import { allowCommand, type SeenPlace } from '@subluminal/records';
import { askOperator } from '../../gateway/door.js';
import { Answers } from '../../output/ask.js';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';

/** Numbers and ranges of them, as `1 3-4`; undefined if it is anything else. */
export function picked(text: string, count: number): readonly number[] | undefined {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const found = words.map((word) => {
    const [, first = '', last = first] = /^([0-9]{1,4})(?:-([0-9]{1,4}))?$/.exec(word) ?? [];
    const [from, to] = [Number(first), Number(last)];
    return first !== '' && from >= 1 && from <= to && to <= count
      ? Array.from({ length: to - from + 1 }, (_, at) => from + at - 1)
      : undefined;
  });
  const numbers = found.flatMap((one) => one ?? []);
  return found.includes(undefined) ? undefined : [...new Set(numbers)].toSorted((a, b) => a - b);
}

/** How some of a list are named. */
export function shape(count: number): string {
  return count < 4 ? ['1', '2', '3'].slice(0, count).join(' ') : `1 3-${count}`;
}

/**
 * The places that the operator picks out of a list that was shown. `all` leaves out private ones: to be let
 * into this network each has to be named.
 */
export async function pick(
  call: Call,
  places: readonly SeenPlace[],
  takesAll: boolean,
): Promise<readonly SeenPlace[]> {
  const open = places.filter(({ isPrivate }) => isPrivate !== true);
  if (takesAll) return open;
  if (call.output.json || !process.stdin.isTTY)
    throw new SublError('usage', 'nothing was added: there is no terminal to ask at', {
      help: '`sub allow seen --add --all` adds all that are not private, `sub allow add HOST` one',
    });
  const answers = new Answers(process.stdin);
  try {
    for (;;) {
      call.output.question(`which ones? (as ${shape(places.length)}, \`all\`, NONE) `);
      const answer = (await answers.next()).trim();
      if (/^all$/i.test(answer)) return open;
      if (/^no?(ne)?$/i.test(answer)) return [];
      const numbers = picked(answer, places.length);
      if (numbers !== undefined) return numbers.flatMap((at) => places[at] ?? []);
      if (answers.ended) return [];
    }
  } finally {
    answers.close();
  }
}

/** Adds an entry for each place, as its own command would. */
export async function addPlaces(
  { home, session, output }: Call,
  places: readonly SeenPlace[],
): Promise<void> {
  for (const place of places) {
    const { host, port, isRaw, isPrivate } = place;
    await askOperator(home, session.now, 'allow.add', {
      host,
      port,
      ...(isRaw ? { protocol: 'tcp' } : {}),
      allow_private: isPrivate === true,
    });
    if (output.json) output.value({ added: place.place, add: allowCommand(place) });
    else output.line(`allowed \`${escapeText(place.place)}\``);
  }
  if (!output.json && places.length === 0) output.note('nothing was added');
  else if (!output.json)
    output.note(`added ${counted(places.length, 'place')}; \`sub allow remove HOST\` takes one back`);
}
