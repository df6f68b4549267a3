import { valueAt, objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import { escapeText } from '../../output/escape.js';
import { lineEdits, type LineEdit } from '../../files/line-edits.js';
import { plainLine } from '../../output/plain-line.js';
import type { Paint, Tone } from '../../output/style.js';
import { linesOf, membersOf, oddCharacters } from './definition-text.js';
import { withContext } from './line-context.js';
import { wordsOf } from './words.js';

/**
 * Signs in front of lines. A line that did not change begins with a sign too, or a CI could take it for a
 * command.
 */
const SIGNS: Readonly<Record<LineEdit['sign'], string>> = { '-': '-', '+': '+', ' ': '|' };
const TONES: Readonly<Record<LineEdit['sign'], Tone>> = { '-': 'bad', '+': 'good', ' ': 'dim' };

/** One held tool for people: what happened, why it matters, and both texts, escaped. */
export function differenceLines(held: JsonObject, paint: Paint): string[] {
  const tool = textAt(held, 'tool_name');
  const { what, why } = wordsOf(objectAt(held, 'reason'));
  const odd = oddCharacters(tool);
  return [
    paint('bold', `${escapeText(textAt(held, 'server_name'))}/${escapeText(tool)}`),
    `  ${paint('warn', escapeText(what))}`,
    ...(odd === '' ? [] : [`  ${paint('warn', `in its name ${odd}`)}`]),
    ...(why === '' ? [] : [`  ${why}`]),
    ...textLines(held, paint).map((line) => `  ${line}`),
    `  ${paint('dim', `hash ${textAt(held, 'hash')}`)}`,
  ].map(plainLine);
}

function textLines(held: JsonObject, paint: Paint): string[] {
  const after = valueAt(held, 'after');
  if (after === null) return [];
  const kind = textAt(held, 'reason', 'kind');
  const isShadow = kind === 'shadows' || kind === 'looks_like';
  const before = objectAt(held, isShadow || kind === 'renamed' ? 'other' : 'before');
  const from = isShadow ? `of ${escapeText(textAt(held, 'reason', 'of', 'server'))}` : 'approved';
  const now = objectAt(held, 'after');
  const title =
    Object.keys(before).length === 0 ? [] : [paint('bad', `--- ${from}`), paint('good', '+++ offered now')];
  return [...title, ...membersOf(before, now).flatMap((name) => memberLines(before, now, name, paint))];
}

function memberLines(before: JsonObject, after: JsonObject, name: string, paint: Paint): string[] {
  const lines = withContext(lineEdits(linesOf(before, name), linesOf(after, name)));
  if (lines.length === 0) return [];
  return [
    paint('bold', `@@ ${escapeText(name)}`),
    ...lines.map((line) =>
      line === undefined ? paint('dim', '| …') : paint(TONES[line.sign], `${SIGNS[line.sign]} ${line.text}`),
    ),
  ];
}
