import { unknownPlaceholder } from '../hint/template.js';
import { type Finding, quoted } from '../problem/problem.js';
import type { Tree } from '../source/tree.js';
import { children, mapAt, type Part, partAt, rulesOf } from './parts.js';

/**
 * Templates with placeholders that there are none of, and hidden tools that a list could not know. Works on
 * any tree.
 */
export function findHintMistakes(tree: Tree): readonly Finding[] {
  return rulesOf(tree).flatMap((rule) => {
    const effect = mapAt(rule, 'effect');
    const limits = ['rate_limit', 'breaker', 'dedupe'].map((key) => mapAt(effect, key));
    return [
      ...templateMistakes(mapAt(mapAt(effect, 'budget'), 'suggested_args'), true),
      ...[effect, ...limits].flatMap((part) => templateMistakes(mapAt(part, 'suggested_args'), false)),
      ...hideMistakes(rule, partAt(effect, 'hide')),
    ];
  });
}

function templateMistakes(part: Part | undefined, withRemaining: boolean): readonly Finding[] {
  if (part === undefined) return [];
  if (typeof part.value !== 'string')
    return children(part).flatMap((child) => templateMistakes(child, withRemaining));
  const unknown = unknownPlaceholder(part.value, withRemaining);
  if (unknown === undefined) return [];
  const message = `there is no placeholder ${quoted(unknown)}`;
  const known = withRemaining ? '`{{args.NAME}}` and `{{remaining}}`' : '`{{args.NAME}}`';
  return [{ code: 'bad_template', message, path: part.path, help: `allowed here: ${known}` }];
}

/** A list of tools is asked for before any call: it knows names, and nothing else. */
function hideMistakes(rule: Part, hide: Part | undefined): readonly Finding[] {
  if (hide?.value !== true) return [];
  const match = mapAt(rule, 'match');
  return ['risk_class', 'args', 'time'].flatMap((key) => {
    const part = partAt(match, key);
    if (part === undefined) return [];
    const message = `a tool that is hidden is matched by its names, not by ${quoted(key)}`;
    const help = `remove ${quoted(key)} from the match, or \`hide\` from the effect`;
    return [{ code: 'hide_needs_names', message, path: part.path, at: 'key', help }];
  });
}
