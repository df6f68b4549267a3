import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { insertAllow, type InsertResult } from './insert-allow.js';
import type { AllowDraft } from './rule.js';

const isLong = process.env['SUB_LONG'] !== undefined;

const DRAFT: AllowDraft = {
  server_name: 'files',
  tool_name: 'write_[x]',
  args: { path: '/tmp/a # b', size: 5, 'a: b': true },
  overrides: 'b',
  message: 'allowed by the operator',
};

const HEAD = `# the policy
policy_id: p   # a name
version: "1"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
`;
const RULES = `rules:
  # the first
  - rule_id: a
    kind: deny
    enabled: true
    severity: warn
    match: { tool_name: { glob: ['x*'] } }
    effect:
      action: BLOCK
      reason_code: X
      message: |
        # not a comment
        words

  # --- section ---

  # the second
  # in two lines
  -   rule_id: b # here
      kind: deny
      enabled: true
      severity: warn
      match: {}
      effect: {action: BLOCK,   reason_code: Y, message: "no"}
  # the end
`;

function inserted(source: string, draft: AllowDraft = DRAFT): InsertResult & { ok: true } {
  const result = insertAllow(source, draft);
  if (!result.ok) throw new Error(JSON.stringify(result));
  const { text, at, inserted: piece } = result;
  expect(text.slice(0, at) + text.slice(at + piece.length)).toBe(source);
  expect(compilePolicy(text)).toMatchObject({ ok: true });
  return result;
}

describe('an allow rule that is written into a bundle', () => {
  it('stands above the rule that it overrides and the comments of that rule', () => {
    const { text } = inserted(HEAD + RULES);
    expect(text.slice(text.indexOf('  # --- section'))).toBe(`  # --- section ---

  -   rule_id: "allow-despite-b"
      kind: allow
      enabled: true
      severity: info
      match:
        server_name: { glob: ["files"] }
        tool_name: { glob: ["write_\\\\[x\\\\]"] }
        args:
          key_equals:
            "path": "/tmp/a # b"
            "size": 5
            "a: b": true
      effect:
        action: ALLOW
        reason_code: PROMOTED_HINT
        message: "allowed by the operator"
        overrides: ["b"]
  # the second
  # in two lines
  -   rule_id: b # here
      kind: deny
      enabled: true
      severity: warn
      match: {}
      effect: {action: BLOCK,   reason_code: Y, message: "no"}
  # the end
`);
  });

  it('never goes into a text that looks like comments', () => {
    const body = '      message: |+\n        # one\n        # two\n';
    const source = `${HEAD}${RULES.replace(/ {6}message: \|\n[^]*?\n\n/, body).replace(/ {2}# ---[^]*?lines\n/, '')}`;
    const { at } = inserted(source);
    expect(source.slice(at)).toMatch(/^ {2}- {3}rule_id: b/);
  });

  it('keeps carriage returns', () => {
    const source = (HEAD + RULES).replaceAll('\n', '\r\n');
    const { text } = inserted(source);
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  });

  it('is written on one line where the rule below it is, and between commas', () => {
    const flow = (id: string): string =>
      `{ rule_id: ${id}, kind: deny, enabled: true, severity: warn, match: {}, effect: { action: BLOCK, reason_code: X, message: m } }`;
    const lines = `${HEAD}rules: [\n  ${flow('a')}, # one\n  # of b\n  ${flow('b')},\n]\n`;
    expect(inserted(lines).inserted).toMatch(/^ {2}\{"rule_id":"allow-despite-b".*\}\},\n$/);
    const line = `${HEAD}rules: [${flow('a')}, ${flow('b')}]\n`;
    expect(inserted(line).inserted).toMatch(/^\{"rule_id":.*\}\}, $/);
    const blocks = `${HEAD}rules:\n- ${flow('a')}\n- ${flow('b')}\n`;
    expect(inserted(blocks).inserted).toMatch(/^- rule_id: .*\n {2}kind/);
  });

  it('is indented as the json around it', () => {
    const bundle = {
      policy_id: 'p',
      version: '1',
      mode: 'guardrails',
      defaults: { decision_on_error: 'BLOCK' },
      selectors: {},
      rules: ['a', 'b'].map((rule_id) => ({
        rule_id,
        kind: 'deny',
        enabled: true,
        severity: 'warn',
        match: {},
        effect: { action: 'BLOCK', reason_code: 'X', message: 'm' },
      })),
    };
    for (const indent of [2, 4, '\t']) {
      const source = JSON.stringify(bundle, null, indent);
      const { text } = inserted(source);
      expect(JSON.stringify(JSON.parse(text), null, indent).replaceAll(/\s/g, '')).toBe(
        text.replaceAll(/\s/g, ''),
      );
      if (indent !== '\t')
        expect(text.split('\n').filter((line) => line.includes('"rule_id"'))).toHaveLength(3);
    }
    expect(inserted(JSON.stringify(bundle)).text).toBe(
      JSON.stringify({
        ...bundle,
        rules: [bundle.rules[0], inserted(JSON.stringify(bundle)).rule, bundle.rules[1]],
      }),
    );
  });

  it('is not written twice', () => {
    const { text } = inserted(HEAD + RULES);
    expect(insertAllow(text, DRAFT)).toMatchObject({ ok: false, why: 'exists' });
    const other = inserted(text, { ...DRAFT, args: {} });
    expect(other.rule.rule_id).toBe('allow-despite-b-2');
  });

  it('is refused where there is no such rule, and in a bundle with a mistake', () => {
    expect(insertAllow(HEAD + RULES, { ...DRAFT, overrides: 'c' })).toMatchObject({ why: 'no_rule' });
    expect(insertAllow(`${HEAD}rules: [`, DRAFT)).toMatchObject({ why: 'invalid' });
    const full = `${HEAD}${RULES}#${'x'.repeat(262_144 - HEAD.length - RULES.length - 100)}\n`;
    expect(insertAllow(full, DRAFT)).toMatchObject({ why: 'invalid', problems: [{ code: 'too_large' }] });
  });
});

describe('any bundle', () => {
  const comment = fc.constantFrom('', '', ' # words', ' # - rule_id: x', ' # "');
  const lines = fc.array(fc.constantFrom('', '# at the edge', '  # in', '    # deep', '  ', '# {[|'), {
    maxLength: 3,
  });
  const quote = fc.constantFrom(
    (text: string) => text,
    (text: string) => `'${text}'`,
    (text: string) => `"${text}"`,
  );
  const words = fc.constantFrom(
    'no',
    '|\n        # words\n\n        more',
    '>-\n        # folded\n        # text',
    '|+\n        kept\n\n',
  );
  const match = fc.constantFrom(
    '{}',
    "{tool_name: {glob: ['a#b', b]}}",
    '\n      tool_name: # t\n        glob:\n        - x',
  );
  const rule = fc
    .tuple(lines, comment, quote, words, match, fc.boolean(), fc.constantFrom('', '&anchor '))
    .map(([above, tail, quoted, message, matches, isFlow, anchor]) => (id: string, dash: string) => {
      const pad = ' '.repeat(dash.length);
      const own = anchor === '' ? '' : `&${id} `;
      const body = isFlow
        ? [
            `${dash}${own}{ rule_id: ${quoted(id)}, kind: deny, enabled: true, severity: warn, match: {},${tail}`,
            `${pad}  effect: {action: BLOCK, reason_code: X, message: m} }${tail}`,
          ]
        : [
            ...(own === ''
              ? [`${dash}rule_id: ${quoted(id)}${tail}`]
              : [`${dash}${own}${tail}`, `${pad}rule_id: ${quoted(id)}`]),
            `${pad}kind: deny${tail}`,
            `${pad}enabled: true`,
            `${pad}severity: warn`,
            `${pad}match: ${matches.replaceAll('\n      ', `\n${pad}  `)}`,
            `${pad}effect:${tail}`,
            `${pad}  action: BLOCK`,
            `${pad}  reason_code: X`,
            `${pad}  message: ${message.replaceAll('\n        ', `\n${pad}    `)}`,
          ];
      return [...above, ...body].join('\n');
    });
  const bundle = fc
    .tuple(
      fc.array(rule, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('- ', '  - ', '  -   ', '    - '),
      lines,
      comment,
      fc.boolean(),
    )
    .map(([rules, dash, end, tail, crlf]) => {
      const body = rules.map((make, at) => make(`r${at}`, dash)).join('\n');
      const source = `${HEAD}rules:${tail}\n${body}\n${end.join('\n')}`;
      return { source: crlf ? source.replaceAll('\n', '\r\n') : source, count: rules.length };
    });
  const scalar = fc.oneof(
    fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom('\u2028', '\u0085x', '\ufeff', '{{a}}', ' #', '\u{e0041}'),
  );
  const drafts = fc.record({
    server_name: fc.string({ minLength: 1, unit: 'grapheme', maxLength: 40 }),
    tool_name: fc.constantFrom('a', 'a*b', '{x}', '[', '\\', "'", '"', '# c', ': '),
    args: fc.dictionary(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('__proto__', '')), scalar, {
      maxKeys: 4,
    }),
    message: fc.string({ unit: 'grapheme' }),
  });

  it('gains exactly the lines of the rule, and loads', () => {
    fc.assert(
      fc.property(bundle, drafts, fc.nat(), ({ source, count }, draft, at) => {
        expect(compilePolicy(source)).toMatchObject({ ok: true });
        const { text, rule: written } = inserted(source, { ...draft, overrides: `r${at % count}` });
        const lineOf = new Set(source.split('\n'));
        expect(text.split('\n').filter((line) => lineOf.has(line)).length).toBeGreaterThanOrEqual(
          source.split('\n').length,
        );
        const compiled = compilePolicy(text);
        if (!compiled.ok) throw new Error('does not load');
        const found = compiled.snapshot.plain.rules[at % count];
        expect(found?.rule_id).toBe(written.rule_id);
        expect({ ...found?.match.args?.key_equals }).toEqual({ ...draft.args });
      }),
      { numRuns: isLong ? 1500 : 50 },
    );
  });
});
