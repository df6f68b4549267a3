import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { SUB } from '../harness/sub.js';

let at: TestHome;
let user: string;
let project: string;

beforeAll(() => {
  at = createHome();
  user = join(at.root, 'user');
  project = join(at.root, 'project');
  for (const folder of [user, join(project, '.claude')]) mkdirSync(folder, { recursive: true });
});
afterAll(() => at.remove());

const sub = (...args: string[]) =>
  runSub(args, { env: { PATH: process.env['PATH'], HOME: user, SUB_HOME: at.home }, cwd: project });
const settings = () => join(user, '.claude/settings.json');
const modeOf = (path: string) => statSync(path).mode & 0o777;
const read = (path: string) => readFileSync(path, 'utf8');

it('nothing is written for clients that are not there', async () => {
  expect(await sub('hooks', 'install')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no client'),
  });
  const status = await sub('hooks', 'status');
  expect(status).toMatchObject({ code: 0 });
  expect(status.stdout).toBe('Claude Code: not found on this machine\nCodex: not found on this machine\n');
});

it('a look changes nothing, starts nothing, and shows no token', async () => {
  mkdirSync(join(user, '.claude'));
  const looked = await sub('hooks', 'install', 'claude', '--dry-run');
  expect(looked).toMatchObject({ code: 0 });
  expect(looked.stdout).toMatch(
    /^Claude Code: would write \S+settings\.json\n    adds: SessionStart, PreToolUse, PostToolUse, .*\n    the file is made for them\n$/,
  );
  expect(looked.stderr).toContain('`--diff` shows every line');
  const whole = await sub('hooks', 'install', 'claude', '--dry-run', '--diff');
  expect(whole.stdout).toContain('/hook/claude');
  const [plan] = JSON.parse((await sub('hooks', 'install', 'claude', '--dry-run', '--json')).stdout).files;
  expect(plan).toMatchObject({ path: settings(), adds: { PreToolUse: 1 }, stays: {}, blocked_when_away: [] });
  expect(plan.diff).toContain('/hook/claude');
  for (const text of [looked.stdout, whole.stdout, plan.diff]) expect(text).not.toContain('Bearer sube_');
  expect(await sub('hooks', 'install', 'claude', '--diff')).toMatchObject({ code: 2 });
  expect(existsSync(settings())).toBe(false);
  expect(existsSync(join(at.home, 'gateway.db'))).toBe(false);
});

it('a file that was made for the hooks goes with them', async () => {
  expect(await sub('hooks', 'install')).toMatchObject({ code: 0 });
  expect(read(settings())).toContain('Bearer sube_');
  expect((await sub('hooks', 'install')).stdout).toContain('its hooks are installed already');
  const status = await sub('hooks', 'status', 'claude');
  expect(status.stdout).toBe(
    [
      'Claude Code: hooks are installed',
      '  no event has come since the gateway started: start the client anew',
      '  of boundaries of its work: every signal',
      '',
    ].join('\n'),
  );
  expect(JSON.parse((await sub('hooks', 'status', 'claude', '--json')).stdout)).toMatchObject({
    signals_off: [],
    takes_context: true,
  });
  expect(await sub('hooks', 'uninstall')).toMatchObject({ code: 0 });
  expect(existsSync(settings())).toBe(false);
});

it('tools that are blocked stay so when the hooks are installed again', async () => {
  expect(await sub('hooks', 'install', 'claude', '--block-when-away', 'Bash')).toMatchObject({ code: 0 });
  expect(await sub('hooks', 'install', 'claude', '--block-when-away', 'Write')).toMatchObject({ code: 0 });
  expect(read(settings())).toContain('"Bash|Write"');
  expect((await sub('hooks', 'install', 'claude')).stdout).toContain('its hooks are installed already');
  expect((await sub('hooks', 'install', 'claude', '--dry-run')).stdout).toContain('installed already');
  expect((await sub('hooks', 'status', 'claude')).stdout).toContain(
    '\n  not called while no gateway answers: Bash, Write\n',
  );
  const more = await sub('hooks', 'install', 'claude', '--dry-run', '--block-when-away', 'Edit');
  expect(more.stdout).toMatch(/^    in the place of \d+ of ours: .*PreToolUse \(2\)/m);
  expect(more.stdout).toContain('    not called while no gateway answers: Bash, Write, Edit\n');
  expect((await sub('hooks', 'uninstall')).stdout).toContain('was made for the hooks, and is removed');
});

it('a tool that is blocked passes again where that is said, and the way back is printed', async () => {
  const blocked = await sub(
    'hooks',
    'install',
    'claude',
    '--block-when-away',
    'Bash',
    '--block-when-away',
    'Write',
  );
  expect(blocked.stderr).toContain('`sub hooks install claude --pass-when-away Bash` takes that back');
  expect(await sub('hooks', 'install', 'claude', '--pass-when-away', 'Bash')).toMatchObject({ code: 0 });
  expect((await sub('hooks', 'status', 'claude')).stdout).toContain('no gateway answers: Write\n');
  await sub('hooks', 'install', 'claude', '--pass-when-away', 'Write');
  expect((await sub('hooks', 'status', 'claude')).stdout).not.toContain('no gateway answers');
  const both = await sub(
    'hooks',
    'install',
    'claude',
    '--pass-when-away',
    'Bash',
    '--block-when-away',
    'Bash',
  );
  expect(both).toMatchObject({ code: 2 });
  await sub('hooks', 'uninstall');
});

it('a tool that the client does not have is not taken for one that it has', async () => {
  const near = await sub('hooks', 'install', 'claude', '--block-when-away', 'Bsh');
  expect(near.code).toBe(2);
  expect(near.stderr).toContain('`Bsh` is no tool of Claude Code\nhelp: did you mean `Bash`?');
  const other = await sub('hooks', 'install', 'claude', '--dry-run', '--block-when-away', 'Levitate');
  expect(other.stderr).toContain('`Levitate` is not known as a tool of Claude Code');
  expect(other.code).toBe(0);
});

it('a look at Codex shows the server, and that its handlers are agreed to', async () => {
  mkdirSync(join(user, '.codex'));
  const { stdout } = await sub('hooks', 'install', 'codex', '--dry-run');
  expect(stdout).toMatch(/config\.toml\n    adds: server subluminal, agreement to a handler \(9\)\n/);
  expect(existsSync(join(user, '.codex/hooks.json'))).toBe(false);
  rmSync(join(user, '.codex'), { recursive: true });
});

it.each([
  ['config.toml', 'hooks.json'],
  ['hooks.json', 'config.toml'],
])(
  'of Codex, whose %s alone is as before, the status says so, and an install mends it',
  async (name, other) => {
    const files = ['hooks.json', 'config.toml'].map((one) => join(user, '.codex', one));
    const path = join(user, '.codex', name);
    const own = name === 'config.toml' ? 'model = "gpt"\n' : '{"hooks": {}}\n';
    mkdirSync(join(user, '.codex'));
    writeFileSync(path, own);
    expect(await sub('hooks', 'install', 'codex')).toMatchObject({ code: 0 });
    const whole = files.map(read);
    // The command was killed after it wrote the other.
    writeFileSync(path, own);
    const status = await sub('hooks', 'status', 'codex');
    expect(status).toMatchObject({ code: 1 });
    expect(status.stdout).toContain('Codex: hooks are not all there\n');
    expect(status.stdout).toContain('run `sub hooks install codex` again');
    expect(await sub('hooks', 'install', 'codex')).toMatchObject({ code: 0 });
    expect(files.map(read)).toEqual(whole);
    const mended = await sub('hooks', 'status', 'codex');
    expect(mended.stdout).toContain('Codex: hooks are installed\n');
    expect(mended.stdout).toContain('\n  of boundaries of its work: no failures\n');
    expect(await sub('hooks', 'uninstall', 'codex')).toMatchObject({ code: 0 });
    expect([read(path), existsSync(join(user, '.codex', other))]).toEqual([own, false]);
    rmSync(join(user, '.codex'), { recursive: true });
  },
);

it('an import installs them, and a restore takes them out with the servers', async () => {
  const own = '{"permissions": {"allow": []}}';
  writeFileSync(settings(), own, { mode: 0o644 });
  chmodSync(settings(), 0o644);
  const config = join(user, '.claude.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { files: { command: 'npx', args: ['files'] } } }));
  const before = read(config);
  const imported = await sub('import', 'claude');
  expect(imported).toMatchObject({ code: 0 });
  expect(imported.stdout).toContain(`its own tools are asked for by hooks in ${settings()}`);
  expect(read(settings())).toContain('/hook/claude');
  // It holds a token now, which nobody else reads.
  expect(modeOf(settings())).toBe(0o600);
  expect((await sub('doctor')).stdout).not.toContain('holds a token of the gateway');
  chmodSync(settings(), 0o640);
  expect((await sub('doctor')).stdout.replaceAll(/\s+/g, ' ')).toContain(
    `\`${settings()}\` holds a token of the gateway, and others can look into it (640)`,
  );
  chmodSync(settings(), 0o600);
  const restored = await sub('restore', 'claude');
  expect(restored).toMatchObject({ code: 0 });
  expect(restored.stdout).toContain('2 files restored');
  expect([read(settings()), read(config), modeOf(settings())]).toEqual([own, before, 0o644]);
  expect(await sub('import', 'claude', '--without-hooks')).toMatchObject({ code: 0 });
  expect(read(settings())).toBe(own);
  expect(await sub('restore', 'claude')).toMatchObject({ code: 0 });
});

it('a restore tells of hooks alone, and of nothing where nothing is there', async () => {
  expect(await sub('hooks', 'install', 'claude')).toMatchObject({ code: 0 });
  expect((await sub('restore', 'claude')).stdout).toBe(
    `Claude Code: ${settings()} is what it was, byte for byte\n1 file restored; restart what is running\n`,
  );
  expect((await sub('restore', 'claude')).stdout).toBe(
    'nothing of `sub import` or `sub hooks install` is in any file\n',
  );
});

it('an import of single servers leaves the hooks alone', async () => {
  expect(await sub('import', 'claude', '--server', 'files')).toMatchObject({ code: 0 });
  expect(read(settings())).not.toContain('/hook/claude');
  expect(await sub('restore', 'claude')).toMatchObject({ code: 0 });
});

it('what another program writes into the file meanwhile stays', async () => {
  expect(await sub('hooks', 'install', 'claude')).toMatchObject({ code: 0 });
  const now = JSON.parse(read(settings()));
  now.model = 'opus';
  now.hooks.Stop.unshift({ hooks: [{ type: 'command', command: 'mine' }] });
  writeFileSync(settings(), JSON.stringify(now));
  const removed = await sub('hooks', 'uninstall', 'claude');
  expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining('no hooks of ours any more') });
  const looked = await sub('hooks', 'install', 'claude', '--dry-run');
  expect(looked.stdout).toContain('    stays: hooks of others (Stop), and every other byte\n');
  expect(JSON.parse(read(settings()))).toEqual({
    permissions: { allow: [] },
    model: 'opus',
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] },
  });
});

it('a file that cannot be read is named with its place, and not changed', async () => {
  writeFileSync(settings(), '{"hooks": {},}');
  const refused = await sub('hooks', 'install', 'claude');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('line 1, column 14') });
  expect(read(settings())).toBe('{"hooks": {},}');
  rmSync(settings());
});

it('settings of more than four MiB are left alone', async () => {
  const large = JSON.stringify({ permissions: { allow: ['x'.repeat(4_194_304)] } });
  writeFileSync(settings(), large);
  const refused = await sub('hooks', 'install', 'claude');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('has more than 4 MiB') });
  expect(read(settings())).toBe(large);
  rmSync(settings());
});

it('settings that keep the client from asking, and hooks of the repository, are told', async () => {
  expect(await sub('hooks', 'install', 'claude')).toMatchObject({ code: 0 });
  const local = join(project, '.claude/settings.json');
  writeFileSync(
    local,
    JSON.stringify({
      disableAllHooks: true,
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'x' }] }] },
    }),
  );
  const status = await sub('hooks', 'status', 'claude');
  expect(status.code).toBe(1);
  expect(status.stdout).toContain(`\`disableAllHooks\` switches every hook off in ${local}`);
  expect(status.stdout).toContain(`hooks of the project: ${local} (PreToolUse)`);
  expect((await sub('doctor')).stdout).toContain('claude hooks');
  rmSync(local);
});

it('a tool that cannot be named is refused, and a client that is not known', async () => {
  expect(await sub('hooks', 'install', 'claude', '--block-when-away', 'Bash(rm)')).toMatchObject({ code: 2 });
  expect(await sub('hooks', 'install', 'cursor')).toMatchObject({ code: 2 });
});

it('a process of a run installs and takes out nothing', async () => {
  for (const verb of ['install', 'uninstall']) {
    const inside = await runSub(['run', '--', process.execPath, SUB, 'hooks', verb, 'claude'], {
      env: { PATH: process.env['PATH'], HOME: user, SUB_HOME: at.home },
      cwd: project,
    });
    expect([inside.code, inside.stderr]).toEqual([3, expect.stringContaining('inside_run')]);
  }
  expect(read(settings())).toContain('/hook/claude');
});
