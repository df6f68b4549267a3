import { wordForRuling } from '@subluminal/records';
import { clip, escapeText } from '../../output/escape.js';
import { plainLine } from '../../output/plain-line.js';
import type { Violation, Violations } from './violations.js';

/** Different violations that are told of one by one. GitHub shows ten annotations of a step. */
const MAX_TOLD = 50;
const MAX_ANNOTATIONS = 10;
const MAX_LINE = 500;

/** The lines of a strict run on stderr: one a violation. */
export function violationLines(violations: Violations): readonly string[] {
  const { list, total, shadows, unlisted } = violations;
  const lines: string[] = [];
  if (total > 0) {
    lines.push(`sub: strict: ${total} ${total === 1 ? 'violation' : 'violations'}`);
    lines.push(...list.slice(0, MAX_TOLD).map((one) => `  ${plain(sentence(one))}`));
    if (list.length > MAX_TOLD) lines.push(`  and ${list.length - MAX_TOLD} other kinds`);
  }
  if (unlisted.length > 0) {
    lines.push(
      `sub: strict: ${unlisted.length} unlisted ${unlisted.length === 1 ? 'destination' : 'destinations'} (observe)`,
    );
    lines.push(...unlisted.slice(0, MAX_TOLD).map((place) => `  ${plain(place)}`));
    if (unlisted.length > MAX_TOLD) lines.push(`  and ${unlisted.length - MAX_TOLD} others`);
  }
  if (shadows > 0) lines.push(`sub: strict: ${shadows} ${calls(shadows)} would have been refused (observe)`);
  return lines;
}

/** The same for GitHub, which shows the first ones where it shows the changes. */
export function annotations({ list }: Violations): readonly string[] {
  return list.slice(0, MAX_ANNOTATIONS).map(annotation);
}

/** A violation in words: what, which rule, why, how often. */
function sentence({ server, name, what, rule, code, reason, times }: Violation): string {
  const place = [server, name].filter((part) => part !== '').join('/');
  const source = rule === '' ? code : `rule ${rule}`;
  const why = reason.startsWith(`rule \`${rule}\``) || source === '' ? reason : `${source}: ${reason}`;
  const often = times === 1 ? '' : ` (${times} times)`;
  return `${wordOf(what, code)} ${place === '' ? 'this run' : place}: ${why}${often}`;
}

/** The decision, or what kind of thing it is, in the words of people. */
function wordOf(what: string, code: string): string {
  return wordForRuling(what === 'REJECTED' ? 'rejected' : what, code);
}

/**
 * A line that no CI system takes for a command, whatever an agent or a server put into it. GitLab's commands
 * have control characters.
 */
function plain(text: string): string {
  return plainLine(clip(escapeText(text), MAX_LINE));
}

/** GitHub's `::error title=…::…`. Escaped as its workflow commands want it. */
export function annotation(violation: Violation): string {
  const { server, name, what, code } = violation;
  const title = `${wordOf(what, code)} ${[server, name].filter((part) => part !== '').join('/')}`.trim();
  return `::error title=${property(plain(title))}::${message(plain(sentence(violation)))}`;
}

function message(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return message(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function calls(count: number): string {
  return count === 1 ? 'call' : 'calls';
}
