import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@subluminal/core-types';
import { compilePolicy, decide, PolicyState } from '@subluminal/policy';
import { NO_KEYS, readCall } from '@subluminal/readings';
import { describe, expect, it } from 'vitest';
import { ran } from '../harness/in-process.js';
import type { CitedTest } from '../requirements/requirement.js';
import { indexTests, type IndexedTest } from '../requirements/test-index.js';
import { PAGES } from './claims.js';
import { passagesOf } from './claims/passages.js';
import { blocksOf, ROOT, textOf } from './pages.js';

/** Never run, or run in the place of others. */
const OFF = new Set(['skip', 'only', 'todo', 'fails']);
/** Run where the machine has what they need, as the tests with real clients are. */
const SOMETIMES = new Set(['skipIf', 'runIf']);
const REAL = 'tests/real/';
/** Claims that no other test shows. */
const SOMETIMES_SHOWN = ['In a clone `npm run pack'];
/** The pages of `docs` that describe a subsystem. */
const SUBSYSTEMS =
  'accounts actions anomalies away ci clients container egress governance hooks http policy secrets tools ui'.split(
    ' ',
  );
const [, SECURITY = { page: '', claims: {}, passages: [] }] = PAGES;
const claims = PAGES.flatMap((one) =>
  Object.entries(one.claims).map((claim) => [one.page, ...claim] as const),
);

const files = new Map<string, readonly IndexedTest[]>();
function found({ file, name }: CitedTest): IndexedTest | undefined {
  const tests = files.get(file) ?? indexTests(fileURLToPath(ROOT), file);
  files.set(file, tests);
  return tests.find((one) => one.name === name);
}

describe('what a page claims', () => {
  it.each(PAGES)('each paragraph, bullet and row of $page has what shows it', ({ claims: own, passages }) => {
    const beginnings = Object.keys(own);
    const bare = passages.filter(({ text }) => !beginnings.some((beginning) => text.startsWith(beginning)));
    expect(bare.map(({ section, text }) => `${section.join(', ')}: ${text.slice(0, 60)}`)).toEqual([]);
    const texts = passages.map(({ text }) => text);
    const wrong = beginnings.filter((one) => texts.filter((text) => text.startsWith(one)).length !== 1);
    expect(wrong).toEqual([]);
  });

  it('is shown by tests that exist and run, or says why no test can', () => {
    const wrong = claims.flatMap(([page, beginning, shown]) => {
      if ('limit' in shown) return shown.limit.length > 20 ? [] : [`${page}: ${beginning}: no reason`];
      return shown
        .filter((cited) => found(cited)?.modifiers.some((one) => OFF.has(one)) !== false)
        .map(({ file, name }) => `${page}: ${beginning}: ${file} > ${name}`);
    });
    expect(wrong).toEqual([]);
  });
});

it('each claim is shown by a test that runs wherever the tests are run', () => {
  const runs = (cited: CitedTest): boolean =>
    !cited.file.startsWith(REAL) && !found(cited)?.modifiers.some((one) => SOMETIMES.has(one));
  const rare = claims.filter(([, , shown]) => !('limit' in shown) && !shown.some(runs));
  expect(rare.map(([, beginning]) => beginning)).toEqual(SOMETIMES_SHOWN);
});

it('each row of the threats says what holds, where more is said of it, and names a folder of its tests', () => {
  const rows = SECURITY.passages.filter(
    ({ section: [first], text }) => first === 'Threats' && text.includes('|'),
  );
  expect(rows.length).toBeGreaterThanOrEqual(14);
  expect(rows.length).toBeLessThanOrEqual(18);
  const wrong = rows.filter(({ text }) => {
    const [, , holds = '', folder = ''] = text.split(' | ');
    const [, shown = []] = Object.entries(SECURITY.claims).find(([start]) => text.startsWith(start)) ?? [];
    const cited = 'limit' in shown ? [] : shown.map(({ file }) => `\`${file.replace(/\/[^/]+$/, '')}\``);
    return !holds.includes('](') || !cited.includes(folder);
  });
  expect(wrong).toEqual([]);
});

it.each(SUBSYSTEMS.map((name) => ({ page: `docs/${name}.md` })))(
  '$page ends with what its subsystem cannot see',
  ({ page }) => {
    const passages = passagesOf(textOf(page));
    const [last = ''] = passages.at(-1)?.section ?? [];
    expect(last).toBe('What it cannot see');
    const told = passages.filter(({ section: [first] }) => first === last);
    expect(told.length).toBeGreaterThanOrEqual(1);
    expect(told.length).toBeLessThanOrEqual(4);
  },
);

it('the rule of README asks about every form of a command that its remark names, and about nothing else', () => {
  const [rule] = blocksOf(textOf('README.md')).filter(({ language }) => language === 'yaml');
  const head =
    'policy_id: p\nversion: "1"\nmode: control\ndefaults: { decision_on_error: BLOCK }\nselectors: {}';
  const result = compilePolicy(`${head}\nrules:\n${rule?.lines.join('\n')}\n`);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const place = { project: '/p', home: '/h', tmp: '/tmp', cwd: ['/p'] };
  const ruleOf = (tool: string, args: JsonObject): string | null => {
    const server = 'claude:builtin';
    const readings = readCall({ server, tool, args, keys: NO_KEYS }, place);
    const identity = { agent_id: 'a', client: 'custom', env: 'dev' } as const;
    const call = { server_name: server, tool_name: tool, args, args_hash: 'a', identity, readings };
    return decide(result.snapshot, PolicyState.empty(), call, 1e12).decision.rule_id;
  };
  const rebases = [
    'git rebase main',
    "sh -c 'git rebase main'",
    'git -C /elsewhere rebase main',
    "cat > x.sh <<'E'\ngit rebase main\nE\nsh x.sh",
  ];
  expect(rebases.map((command) => ruleOf('Bash', { command }))).toEqual(rebases.map(() => 'rebases'));
  for (const command of ['git status', 'sh x.sh']) expect(ruleOf('Bash', { command })).toBeNull();
});

it.each(['ci-strict', 'developer-laptop', 'observe-everything', 'production-read-only'])(
  'the rule of README stands behind those of %s, whose tests still pass',
  async (name) => {
    const [rule] = blocksOf(textOf('README.md')).filter(({ language }) => language === 'yaml');
    const folder = mkdtempSync(join(tmpdir(), 'sub-appended-'));
    try {
      const policy = `${textOf(`policies/${name}.yaml`)}${rule?.lines.join('\n')}\n`;
      writeFileSync(join(folder, `${name}.yaml`), policy);
      writeFileSync(join(folder, `${name}.test.yaml`), textOf(`policies/${name}.test.yaml`));
      const { code, stdout } = await ran(['policy', 'test', folder]);
      expect([code, stdout.split('\n').filter((line) => line.includes('FAIL'))]).toEqual([0, []]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
