import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedgerReader } from '@subluminal/ledger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ran } from '../harness/in-process.js';
import { resultsTold, runClaude, writeConfig } from './claude.js';
import { describeWith } from './client.js';
import { PINS } from './fetch.mjs';
import { openStage, type Stage } from './stage.js';

const POLICY = `policy_id: objects
version: "1"
mode: control
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: no-keys
    kind: deny
    enabled: true
    severity: warn
    match: { path: { glob: ["**/keys.txt"] } }
    effect:
      action: BLOCK
      reason_code: KEYS
      message: keys stay here
      hint_text: use the tool
`;
const read = (path: string) => ({ calls: [{ server: 'files', tool: 'read_text_file', input: { path } }] });

describeWith(PINS.claude, 'that names a file which a rule holds', ({ program }) => {
  let stage: Stage;
  const shown = async (...args: string[]): Promise<string> =>
    (await ran([...args, '--home', stage.sub.home], 80)).stdout;

  beforeAll(async () => {
    stage = await openStage(POLICY);
    for (const name of ['note.txt', 'keys.txt'])
      writeFileSync(join(stage.project, name), `${name} has this\n`);
    writeConfig(stage);
    expect(await stage.runSub('up')).toMatchObject({ code: 0 });
    expect(await stage.runSub('import', 'claude')).toMatchObject({ code: 0 });
    stage.model.play([read('note.txt'), read('keys.txt'), { text: 'finished' }]);
    expect(await runClaude(stage, program)).toMatchObject({ code: 0 });
    await stage.isQuiet();
  }, 120_000);
  afterAll(() => stage.close(), 60_000);

  it('reads the other file, and of this one the reason and the hint', () => {
    const [note, keys] = resultsTold(stage.model.asked).map((result) => JSON.stringify(result));
    expect(note).toContain('note.txt has this');
    expect(keys).toContain('keys stay here');
    expect(keys).toContain('use the tool');
  });

  it('is told of by `tail` and `why` with the object and the refusal, at 80 columns', async () => {
    const tail = await shown('tail', '--no-follow');
    expect(tail).toMatch(/ ok +.*note\.txt/);
    expect(tail).toMatch(/ hinted +.*keys\.txt.*no-keys/);
    const why = await shown('why');
    expect(why).toContain('keys.txt');
    expect(why).toContain('keys stay here');
    expect(why).toContain('no-keys');
    for (const line of `${tail}\n${why}`.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('has its servers start in its own folder, which is recorded', () => {
    const reader = openLedgerReader(stage.sub.ledger);
    const folders = reader.byType('upstream_begin', { limit: 10 }).rows.map(({ data }) => data['cwd']);
    reader.close();
    expect(new Set(folders)).toEqual(new Set([stage.project]));
  });
});
