import type { ObjectMatch } from './narrow.js';
import type { AllowRuleJson } from './rule.js';

/** The rule as lines of block YAML, each without what stands before the column of the `-`. */
export function blockLines(rule: AllowRuleJson, step: number): readonly string[] {
  const { match, effect } = rule;
  const inner = '  ';
  const members = [
    `rule_id: ${text(rule.rule_id)}`,
    ...(rule.description === undefined ? [] : [`description: ${text(rule.description)}`]),
    'kind: allow',
    'enabled: true',
    'severity: info',
    'match:',
    `${inner}server_name: { glob: [${text(match.server_name.glob[0])}] }`,
    `${inner}tool_name: { glob: [${text(match.tool_name.glob[0])}] }`,
    ...(match.args === undefined ? [] : argLines(match.args.key_equals).map((line) => inner + line)),
    ...objectLines(match).map((line) => inner + line),
    'effect:',
    `${inner}action: ALLOW`,
    `${inner}reason_code: ${effect.reason_code}`,
    `${inner}message: ${text(effect.message)}`,
    `${inner}overrides: [${text(effect.overrides[0])}]`,
  ];
  const pad = ' '.repeat(step);
  return members.map((member, at) => (at === 0 ? `-${pad.slice(1)}${member}` : pad + member));
}

function argLines(values: Readonly<Record<string, string | number | boolean>>): readonly string[] {
  const entries = Object.entries(values).map(
    ([key, value]) => `    ${text(key)}: ${typeof value === 'string' ? text(value) : String(value)}`,
  );
  return ['args:', '  key_equals:', ...entries];
}

function objectLines({ path, command, host }: ObjectMatch): readonly string[] {
  return Object.entries({ path, command, host }).flatMap(([name, parts]) =>
    parts === undefined
      ? []
      : [`${name}:`, ...Object.entries(parts).map(([key, values]) => `  ${key}: ${listText(values)}`)],
  );
}

function listText(values: readonly string[]): string {
  return `[${values.map((value) => text(value)).join(', ')}]`;
}

/**
 * The rule as JSON, which is YAML between brackets as well: on one line, or indented by `step` where it is
 * given.
 */
export function flowLines(rule: AllowRuleJson, step: string | undefined): readonly string[] {
  return escaped(JSON.stringify(rule, null, step)).split('\n');
}

/** A text in double quotes, as JSON and YAML both read it. */
function text(value: string): string {
  return escaped(JSON.stringify(value));
}

/**
 * Escapes the characters that a YAML reader may take for a line break or refuse, and those that act on a
 * terminal that shows the difference. Outside of texts there is no such character.
 */
function escaped(json: string): string {
  return json.replaceAll(/[\u007f-\u00a0\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\ufeff]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
