import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';

/**
 * Command lines that people get wrong, with words that the answer must hold: their own word between
 * backticks, and the way on. `FOLDER` is a folder of the test.
 */
const MISTAKES: readonly (readonly [line: string, answer: RegExp])[] = [
  ['stop', /`stop`[^]*`sub down`/],
  ['start', /`start`[^]*`sub up`/],
  ['log', /`log`[^]*`sub tail`/],
  ['list', /`list`[^]*`sub runs`/],
  ['undo', /`undo`[^]*`sub restore`/],
  ['kill', /`kill`[^]*`sub panic`/],
  ['block rm', /`block`[^]*`sub policy/],
  ['explain 3', /`explain`[^]*`sub why`/],
  ['approve 1', /`approve`[^]*`sub approvals/],
  ['deny 1', /`deny`[^]*`sub approvals/],
  ['help polciy', /`polciy`[^]*`sub policy`/],
  ['policy int', /`int`[^]*`sub policy init`/],
  ['--verbose', /`--verbose`[^]*flags stand behind the verb/],
  ['version --jsn', /`--jsn`[^]*`--json`/],
  ['up now', /too many arguments[^]*`sub help up`/],
  ['run', /`command`[^]*`sub help run`/],
  ['run -- nosuchprogram', /`nosuchprogram` was not found[^]*check the name/],
  ['run -- /etc/passwd', /`\/etc\/passwd` cannot be started[^]*check that the file/],
  ['run --env production -- true', /`production` is not one of `dev`[^]*`--env`/],
  ['run --policy nosuch.yaml -- true', /`nosuch\.yaml` cannot be read[^]*`sub policy init`/],
  ['policy init laptop', /`laptop`[^]*`developer-laptop`/],
  ['policy init ci-strict FOLDER/taken.yaml', /`FOLDER\/taken\.yaml` exists[^]*`--force`/],
  ['policy lint FOLDER/broken.yaml', /FOLDER\/broken\.yaml:4[^]*kind/],
  ['policy explain 9999', /`9999`[^]*`sub query`/],
  ['policy explain --if {', /json[^]*`--if`|`--if`[^]*json/i],
  ['import', /which client[^]*`claude`/],
  ['import cluade --dry-run', /`cluade`[^]*`claude`/],
  ['restore', /which client[^]*`claude`/],
  ['show', /`call\|seq\|run`[^]*`sub help show`/],
  ['show 99999', /`99999`[^]*`sub query`/],
  ['show abc', /`abc`[^]*`sub query`/],
  ['why 3333', /`3333`[^]*`sub query`/],
  ['query tol:rm', /there is no `tol:`[^]*`tool`|there is no `tol:`[^]*single quotes/],
  ['query --since tomorow', /`tomorow` is not a time[^]*`yesterday`/],
  ['query --since 2026-13-01', /`2026-13-01` is not a time[^]*`--since`/],
  ['query --run XXXX', /`XXXX`[^]*`sub runs`/],
  ['query --decision maybe', /`maybe` is not one of[^]*`--decision`/],
  ['query --limit 0', /`0` is not a whole number[^]*`--limit`/],
  ['tail --run XXXX', /`XXXX`[^]*`sub runs`/],
  ['tail -n abc', /`abc` is not a whole number[^]*`--lines`/],
  ['allow github.com', /`github\.com`[^]*`sub allow add github\.com`/],
  ['allow add', /`host\[:port\]`[^]*`sub help allow add`/],
  ['allow add https://github.com/x', /`https:\/\/github\.com\/x`[^]*the host alone/],
  ['allow add *.github.com', /`\*\.github\.com`[^]*name each host/],
  ['allow add github.com:99999', /`99999` is not a port/],
  ['allow add 10.1.2.3', /`10\.1\.2\.3` is refused[^]*`--private`/],
  ['allow remove github.com', /`github\.com`[^]*`sub allow list`/],
  ['approvals approve 5', /`5`[^]*`sub approvals list`/],
  ['approvals approve nosuch --for ever', /`ever` is not one of `once`[^]*`--for`/],
  ['hints promote 3333', /`3333`[^]*`sub hints list`/],
  ['secrets get NAME', /no secret[^]*`sub secrets list`/],
  ['account add mail', /missing[^]*`sub help account add`/],
  ['hooks install cursor', /`cursor`[^]*`claude`/],
  ['tools approve nosuch', /`nosuch`[^]*`sub tools list`/],
  ['audit verify /nosuch', /`?\/nosuch`?/],
  ['audit prove 9999 --out FOLDER/proof', /`9999`[^]*newest that is signed/],
  ['audit anchor', /`--file`[^]*`sub help audit anchor`/],
  ['export run NOPE --out FOLDER/out', /`NOPE`[^]*`sub runs`/],
  ['completion tcsh', /`tcsh`[^]*`bash`/],
  ['call', /`action`[^]*`sub help call`/],
  ['call email.send', /`email\.send`[^]*`to` is missing/],
];

let at: TestHome;
let folder: string;
beforeAll(async () => {
  at = createHome();
  folder = join(at.root, 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'taken.yaml'), 'version: 1\n', { mode: 0o600 });
  writeFileSync(join(folder, 'broken.yaml'), 'version: 1\nrules:\n  - rule_id: x\n    kind: denny\n', {
    mode: 0o600,
  });
  await at.startWatched();
});
afterAll(() => at.remove());

it('each of sixty mistakes ends with one error, the word that was wrong, and the way on', async () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(60);
  const wrong: string[] = [];
  for (const [line, answer] of MISTAKES) {
    const args = line.split(' ').map((word) => word.replace('FOLDER', folder));
    const { code, stdout, stderr } = await runSub(args, {
      env: { ...process.env, SUB_HOME: at.home, NO_COLOR: '1' },
      cwd: folder,
    });
    const said = `${stdout}${stderr}`.replaceAll(folder, 'FOLDER');
    const isClear = code !== 0 && answer.test(said) && !/^\s+at .*:\d+:\d+/m.test(said);
    if (!isClear) wrong.push(`sub ${line} -> ${code}\n${said}`);
  }
  expect(wrong).toEqual([]);
}, 120_000);
