import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from './compile.js';
import { policyRef } from './snapshot/snapshot.js';

const isLong = process.env['SUB_LONG'] !== undefined;

const HEAD =
  'policy_id: p\nversion: "1"\nmode: guardrails\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\n';

function hashOf(source: string): string {
  const result = compilePolicy(source);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot.policy_hash;
}

function codesOf(source: string): readonly string[] {
  const result = compilePolicy(source);
  return result.ok ? [] : [...new Set(result.problems.map(({ code }) => code))];
}

describe('the hash of a policy', () => {
  const rule = (more: string): string =>
    `${HEAD}rules:\n  - { rule_id: a, kind: deny, enabled: true, severity: warn, ${more}, effect: { action: BLOCK, reason_code: X, message: m } }\n`;

  it.each([
    ['comments and spaces', `# hello\n${HEAD}\n\nrules:   []  # none\n`],
    [
      'the order of keys',
      `rules: []\nselectors: {}\nmode: guardrails\nversion: "1"\npolicy_id: p\ndefaults: { decision_on_error: BLOCK }\n`,
    ],
    [
      'defaults that are written out',
      `${HEAD.replace('BLOCK }', 'BLOCK, no_match: ALLOW, fail_open_read_tools: false }')}rules: []\n`,
    ],
    ['a description and an owner', `${HEAD}description: d\nowner: o\nrules: []\n`],
    [
      'json',
      `{"policy_id":"p","version":"1","mode":"guardrails","defaults":{"decision_on_error":"BLOCK"},"selectors":{},"rules":[]}`,
    ],
    ['carriage returns', `${HEAD}rules: []\n`.replaceAll('\n', '\r\n')],
  ])('is not changed by %s', (_name, source) => {
    expect(hashOf(source)).toBe(hashOf(`${HEAD}rules: []\n`));
  });

  it.each([
    ['a glob', 'match: { tool_name: { glob: [b] } }'],
    ['an argument', 'match: { tool_name: { glob: [a] }, args: { has_keys: [x] } }'],
    ['a severity', 'match: { tool_name: { glob: [a] } }, severity: info'],
  ])('is changed by %s', (_name, more) => {
    const changed = more.includes('severity') ? rule(more).replace('severity: warn, ', '') : rule(more);
    expect(hashOf(changed)).not.toBe(hashOf(rule('match: { tool_name: { glob: [a] } }')));
  });

  it('is the same for globs and lists that mean the same', () => {
    const one = rule('match: { tool_name: { glob: ["a**", b, b] }, risk_class: [x, y] }');
    expect(hashOf(one)).toBe(hashOf(rule('match: { risk_class: [y, x], tool_name: { glob: [b, "a*"] } }')));
  });

  it('stands in the reference that entries carry', () => {
    const result = compilePolicy(`${HEAD}rules: []\n`);
    if (!result.ok) throw new Error('does not load');
    expect(policyRef(result.snapshot)).toEqual({
      policy_id: 'p',
      policy_version: '1',
      policy_hash: hashOf(`${HEAD}rules: []\n`),
    });
  });
});

describe('compiling', () => {
  it('never throws, whatever the text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom('{', '}', '[', ']', ':', ' ', '\n', '-', '&a', '*a', '"', '!', '%', 'a', '\t'),
      }),
      fc.json(),
    );
    fc.assert(
      fc.property(text, (source) => {
        expect(() => compilePolicy(source)).not.toThrow();
      }),
      { numRuns: isLong ? 2000 : 70 },
    );
  });

  it('never throws on a bundle whose values are of any type', () => {
    const json = fc.jsonValue();
    const rule = fc.record(
      {
        rule_id: json,
        kind: fc.constantFrom('allow', 'deny', 'tag', 'budget', 1),
        match: json,
        effect: json,
      },
      { requiredKeys: [] },
    );
    const bundle = fc.record({
      policy_id: json,
      defaults: json,
      selectors: json,
      rules: fc.array(fc.oneof(rule, json)),
    });
    fc.assert(
      fc.property(bundle, (value) => {
        expect(compilePolicy(JSON.stringify(value)).ok).toBe(false);
      }),
      { numRuns: isLong ? 2000 : 70 },
    );
  });

  it('finds the format by the file name, else by the first character', () => {
    const flow = '{policy_id: p}';
    const first = (options: Parameters<typeof compilePolicy>[1]): string | undefined => {
      const result = compilePolicy(flow, options);
      return result.ok ? undefined : result.problems[0]?.code;
    };
    expect(first({})).toBe('syntax');
    expect(first({ filename: 'policy.yaml' })).toBe('missing_key');
    expect(first({ filename: 'policy.json' })).toBe('syntax');
    expect(first({ filename: 'policy.json', format: 'yaml' })).toBe('missing_key');
  });
});

describe('a large bundle', () => {
  const rules = (count: number): string =>
    JSON.stringify(
      Array.from({ length: count }, (_, at) => ({
        rule_id: `rule-${at}`,
        kind: 'deny',
        enabled: true,
        severity: 'warn',
        match: { tool_name: { glob: [`delete_thing_${at}`] } },
        effect: { action: 'BLOCK', reason_code: 'NO', message: 'not allowed here' },
      })),
    );
  const bundle = (list: string): string =>
    `{"policy_id":"p","version":"1","mode":"guardrails","defaults":{"decision_on_error":"BLOCK"},"selectors":{},"rules":${list}}`;

  it('of thousands of rules loads from JSON, whatever the file is called, and names its mistakes', () => {
    const source = bundle(rules(3000));
    expect(source.length).toBeGreaterThan(262_144);
    const result = compilePolicy(source, { filename: 'policy.yaml' });
    expect(result).toMatchObject({ ok: true, warnings: [] });
    const wrong = compilePolicy(source.replace('"rule_id":"rule-2999"', '"rule_id":"rule-0"'));
    expect(wrong).toMatchObject({
      ok: false,
      problems: [{ code: 'duplicate_rule_id', path: 'rules[2999].rule_id' }],
    });
  });

  it('is refused where it is no strict JSON, or larger still', () => {
    const source = bundle(rules(3000));
    for (const large of [`${source}#`, source.replace('"p"', 'p'), `${source}${' '.repeat(4_194_304)}`]) {
      expect(compilePolicy(large)).toMatchObject({ ok: false, problems: [{ code: 'too_large' }] });
    }
  });
});

describe('a bundle that is made to hurt', () => {
  it('is refused when it is too large', () => {
    const result = compilePolicy(`${HEAD}rules: []\n#${'x'.repeat(262_144)}\n`);
    expect(result).toMatchObject({ ok: false, problems: [{ code: 'too_large', line: 1, column: 1 }] });
  });

  it('is refused when its aliases expand to too much', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let at = 1; at < 30; at += 1) {
      lines.push(`a${at}: &a${at} [${Array.from({ length: 10 }, () => `*a${at - 1}`).join(', ')}]`);
    }
    const result = compilePolicy(lines.join('\n'));
    if (result.ok) throw new Error('the bundle loads');
    const large = result.problems.filter(({ code }) => code === 'too_large');
    expect(large).toHaveLength(1);
    expect(large[0]).toMatchObject({ severity: 'error', path: expect.stringMatching(/^a4\[/) });
  });

  it('is refused when it is nested too deeply', () => {
    const nested = `${HEAD}rules: []\nowner: ${'['.repeat(100)}${']'.repeat(100)}\n`;
    const result = compilePolicy(nested);
    const deep = result.ok ? undefined : result.problems.find(({ code }) => code === 'too_deep');
    expect(deep).toMatchObject({ line: 7, column: 72 });
    expect(codesOf(`{"a":${'['.repeat(100)}${']'.repeat(100)}}`)).toEqual(['too_deep']);
  });

  it.each([
    ['lists', '[', 250_000],
    ['mappings', '{a: ', 60_000],
    ['entries in one line', '- ', 120_000],
    ['keys in one line', '? ', 120_000],
    ['closed lists', `${'['.repeat(9000)}${']'.repeat(9000)}`, 1],
    ['growing indents', Array.from({ length: 600 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''), 1],
  ])(
    'is refused, and not read to the end of the stack, when %s are nested without end',
    (_name, text, times) => {
      for (const format of ['yaml', 'json'] as const) {
        const result = compilePolicy(`\n${text.repeat(times)}`, { format });
        expect(result.ok ? [] : result.problems).toMatchObject([{ code: 'too_deep', severity: 'error' }]);
      }
    },
  );

  it.each([
    '['.repeat(100_000),
    '{a: '.repeat(30_000),
    '- '.repeat(50_000),
    '? '.repeat(30_000),
    '&a '.repeat(30_000),
  ])('is refused when it never closes what it opens', (source) => {
    expect(compilePolicy(source, { format: 'yaml' }).ok).toBe(false);
  });

  it('is read once however often it repeats a key or uses an alias', () => {
    const keys = Array.from({ length: 10_000 }, (_, at) => `k${at}: *a`).join('\n');
    expect(codesOf(`x: &a 1\n${keys}`)).toEqual(['missing_key', 'unknown_key']);
    expect(codesOf('a: 1\n'.repeat(10_000))).toEqual(['missing_key', 'duplicate_key']);
  });

  it('names with a missing mapping all that it must have, so that no second round is needed', () => {
    const helps = (source: string): readonly (string | undefined)[] => {
      const result = compilePolicy(source, { format: 'yaml' });
      return result.ok ? [] : result.problems.map(({ help }) => help);
    };
    expect(helps('policy_id: shop\nversion: "1"\nmode: guardrails\nselectors: {}\nrules: []\n')).toEqual([
      'add it; it is a mapping with `decision_on_error` (`ALLOW`, `BLOCK`)',
    ]);
    const rule = '  - { rule_id: a, kind: deny, enabled: true, severity: info }\n';
    expect(helps(`${HEAD}rules:\n${rule}`)).toEqual([
      'add it; it is a mapping',
      'add it; it is a mapping with `action` (`BLOCK`), `reason_code`, `message`',
    ]);
  });

  it('names the right field of a match with its form, so that no second round is needed', () => {
    const rule = (match: string): string =>
      `  - { rule_id: a, kind: deny, enabled: true, severity: info, match: ${match}, effect: { action: BLOCK, reason_code: R, message: m } }\n`;
    const helpsOf = (match: string): readonly (string | undefined)[] => {
      const result = compilePolicy(`${HEAD}rules:\n${rule(match)}`, { format: 'yaml' });
      return result.ok ? [] : result.problems.map(({ help }) => help);
    };
    const match =
      'allowed here: `server_name`, `tool_name`, `risk_class`, `args`, `path`, `command`, `host`, `sql`, `time`';
    expect(helpsOf("{ tool: write_file, path: '*.env', server: { glob: [fs] } }")).toEqual([
      `did you mean \`tool_name: { glob: ["write_file"] }\`? ${match}`,
      'write `path: { glob: ["*.env"] }`',
      `did you mean \`server_name\`? ${match}`,
    ]);
    expect(
      helpsOf('{ command: [git push, rm], tool_name: { globs: [x] }, args: { has_keys: path } }'),
    ).toEqual([
      'write `command: { argv: ["git push", "rm"] }`',
      'did you mean `glob`? allowed here: `glob`, `regex`',
      'write a list: `["path"]`',
    ]);
    expect(helpsOf('{ args: { host: x }, path: 1 }')).toEqual([
      'it stands in `rules[0].match.host`; allowed here: `has_keys`, `key_equals`, `key_in`, `numeric_range`, `text`',
      'write a mapping with some of `under`, `glob`, `outside`, `access`',
    ]);
    expect(helpsOf('{ tool_nmae: { glob: [x] }, zzz: 1 }')).toEqual([
      `did you mean \`tool_name\`? ${match}`,
      match,
    ]);
  });

  it('names the keys that a program may have', () => {
    const result = compilePolicy(`${HEAD}rules: []\nprograms: { wipe: { delete: [operands] } }\n`);
    expect(result.ok ? '' : result.problems[0]?.help).toBe(
      'did you mean `deletes`? allowed here: `reads`, `writes`, `deletes`, `network`',
    );
  });

  it('cannot forge lines in a message', () => {
    const result = compilePolicy(`${HEAD}rules: []\n"a\\nb\\x1b[31m\\u202e": 1\n`);
    const message = result.ok ? '' : (result.problems[0]?.message ?? '');
    expect(message).toBe('the key `a\u{fffd}b\u{fffd}[31m\u{fffd}` is not known here');
  });
});

describe('a policy that denies commands', () => {
  const policy = (noMatch: string, rules: readonly string[]): readonly string[] => {
    const source = `${HEAD.replace('BLOCK }', `BLOCK, no_match: ${noMatch} }`)}rules:\n${rules
      .map((match, at) => {
        const [, kind = '', rest = ''] = /^(\w+) (.*)$/.exec(match) ?? [];
        const effect = kind === 'allow' ? 'ALLOW' : 'BLOCK';
        return `  - { rule_id: r${at}, kind: ${kind}, enabled: true, severity: warn, match: ${rest}, effect: { action: ${effect}, reason_code: X, message: m } }\n`;
      })
      .join('')}`;
    const result = compilePolicy(source);
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    return result.warnings.map(({ code, help }) => `${code}: ${help ?? ''}`);
  };
  const rm = 'deny { command: { program: [rm] } }';
  const warning = 'unread_passes: add a deny with `match: { command: { unparsed: true } }`';

  it.each<[string, string, readonly string[], readonly string[]]>([
    ['has no rule for those that cannot be read', 'ALLOW', [rm], [warning]],
    ['has one', 'ALLOW', [rm, 'deny { command: { unparsed: true } }'], []],
    ['looks at nothing else', 'ALLOW', ['deny { tool_name: { glob: [x] } }'], []],
    [
      'allows nothing but commands that it has read',
      'BLOCK',
      [rm, 'allow { command: { program: [ls] } }'],
      [],
    ],
    ['allows the tool', 'BLOCK', [rm, 'allow { tool_name: { glob: [bash] } }'], [warning]],
  ])('and %s is warned of accordingly', (_what, noMatch, rules, warnings) => {
    expect(policy(noMatch, rules)).toEqual(warnings);
  });
});
