import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { compilePolicy } from './compile.js';

const folder = fileURLToPath(new URL('../../../examples/policies/', import.meta.url));

it.each(readdirSync(folder).filter((name) => name.endsWith('.yaml')))(
  'the example %s lints clean',
  (filename) => {
    const result = compilePolicy(readFileSync(`${folder}${filename}`, 'utf8'), { filename });
    expect(result).toMatchObject({ ok: true, warnings: [] });
  },
);

const reference = readFileSync(fileURLToPath(new URL('../../../docs/policy.md', import.meta.url)), 'utf8');
const examples = [...reference.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text);
const FRAME =
  'policy_id: p\nversion: "1"\nmode: control\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\nrules:\n';

it('every example of docs/policy.md lints clean, and every kind has one', () => {
  for (const text of examples) {
    const isPart = text.startsWith('- rule_id') || text.startsWith('world:');
    const result = compilePolicy(isPart ? `${FRAME}${text.startsWith('-') ? text : `  []\n${text}`}` : text);
    expect(result, text).toMatchObject({ ok: true, warnings: [] });
  }
  for (const kind of ['allow', 'deny', 'tag', 'budget', 'rate_limit', 'breaker', 'dedupe']) {
    expect(examples.join('')).toContain(`  kind: ${kind}\n`);
  }
});
