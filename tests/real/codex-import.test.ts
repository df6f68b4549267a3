import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { describeWith } from './client.js';
import { configOf, runCodex, writeConfig } from './codex.js';
import { PINS } from './fetch.mjs';
import { runsOf } from './record.js';
import { openStage, type Stage } from './stage.js';
import { HARMLESS_TURN } from './turn.js';

const Listed = z.array(z.looseObject({ name: z.string(), transport: z.record(z.string(), z.unknown()) }));

const REMOTE = `
# far away
[mcp_servers.far]
url = 'https://far.example/mcp'
bearer_token_env_var = "FAR_TOKEN"
[mcp_servers.far.http_headers] # theirs
"X-Team" = "a"
[mcp_servers.login]
url = "https://login.example/mcp"
auth = "oauth"
enabled = false
`;

describeWith(PINS.codex, 'with its configuration imported', ({ program }) => {
  let stage: Stage;
  let before: string;
  let servers: z.infer<typeof Listed>;
  const config = (): string => readFileSync(configOf(stage), 'utf8');

  /** The servers as the client itself understands its files. */
  async function listed(): Promise<z.infer<typeof Listed>> {
    const { code, stdout, stderr } = await stage.run([program, 'mcp', 'list', '--json']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return Listed.parse(JSON.parse(stdout));
  }

  beforeAll(async () => {
    stage = await openStage();
    writeFileSync(join(stage.project, 'note.txt'), 'what stands in the note\n');
    before = writeConfig(stage) + REMOTE;
    writeFileSync(configOf(stage), before);
    servers = await listed();
    expect(await stage.runSub('up')).toMatchObject({ code: 0 });
    expect(await stage.runSub('import', 'codex')).toMatchObject({ code: 0 });
  }, 180_000);
  afterAll(() => stage.close(), 60_000);

  it('reads the same servers, each behind the gateway and else as it was', async () => {
    // The hooks' own server is no server that was there before.
    const routed = (await listed()).filter(({ name }) => name !== 'subluminal');
    expect(routed.map(({ name }) => name)).toEqual(servers.map(({ name }) => name));
    const [everything, far, files, login] = routed;
    const [wasEverything, wasFar, wasFiles, wasLogin] = servers;
    for (const [now, was] of [
      [everything, wasEverything],
      [files, wasFiles],
    ] as const) {
      const { command, args, env_vars: names, ...rest } = now?.transport ?? {};
      const { command: own, args: ownArgs, env_vars: _, ...ownRest } = was?.transport ?? {};
      expect(command).toBe(join(stage.sub.home, 'sub'));
      const list = z.array(z.string()).parse(args);
      expect(list.slice(list.indexOf('--') + 1)).toEqual([own, ...z.array(z.string()).parse(ownArgs)]);
      expect(list.slice(list.indexOf('shim'), list.indexOf('shim') + 4)).toEqual([
        'shim',
        'stdio',
        '--server',
        now?.name,
      ]);
      expect(names).toEqual(['SUB_RUN_ID', 'SUB_AGENT_ID', 'SUB_ENV', 'SUB_CLIENT', 'SUB_PRINCIPAL']);
      expect(rest).toEqual(ownRest);
      expect({ ...now, transport: null }).toEqual({ ...was, transport: null });
    }
    expect(wasFar?.transport).toMatchObject({ url: 'https://far.example/mcp' });
    expect(far?.transport).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/mcp\/far$/),
      bearer_token_env_var: 'FAR_TOKEN',
      http_headers: { 'X-Team': 'a', 'Subluminal-Upstream': 'https://far.example/mcp' },
      env_http_headers: { 'Subluminal-Run-Token': 'SUB_HTTP_TOKEN' },
    });
    expect(login).toEqual(wasLogin);
    const doctor = JSON.parse((await stage.runSub('doctor', '--json')).stdout) as { coverage: unknown[] };
    expect(doctor.coverage).toMatchObject([
      { server: 'files', through: true },
      { server: 'everything', through: true },
      { server: 'far', through: true },
      { server: 'login', through: false, reason: expect.stringContaining('`auth`') },
    ]);
  });

  it('hands the labels of a run to its shims, though it scrubs what else they get', async () => {
    const all = config();
    // Far servers are not there: the client would wait for them.
    writeFileSync(configOf(stage), all.slice(0, all.indexOf('# far away')));
    stage.model.play([{ search: 'files everything' }, ...HARMLESS_TURN]);
    const labels = ['env', 'SUB_AGENT_ID=nightly', 'SUB_ENV=ci', 'SUB_PRINCIPAL=ada@example.com'];
    expect(await runCodex(stage, program, labels)).toMatchObject({ code: 0 });
    writeFileSync(configOf(stage), all);
    await stage.isQuiet();
    const [run] = await runsOf(stage);
    expect(run).toMatchObject({
      agent_id: 'nightly',
      env: 'ci',
      principal: 'ada@example.com',
      client: 'codex',
    });
  });

  it('is given back what it was, byte for byte', async () => {
    expect(await stage.runSub('restore', 'codex')).toMatchObject({ code: 0 });
    expect(config()).toBe(before);
  });

  it('has its servers back, in their own spelling, also where it wrote all of them anew', async () => {
    expect(await stage.runSub('import', 'codex')).toMatchObject({ code: 0 });
    expect(await stage.run([program, 'mcp', 'add', 'added', '--', 'npx', 'more'])).toMatchObject({ code: 0 });
    expect(config()).not.toContain('# the folder comes last');
    expect(await stage.runSub('restore', 'codex')).toMatchObject({ code: 0 });
    const added = await listed();
    expect(added.filter(({ name }) => name !== 'added')).toEqual(servers);
    expect(added).toHaveLength(servers.length + 1);
    expect(config()).toContain("command = 'node'\nargs = [ # the folder comes last\n");
    expect(config()).toContain('model_provider = "scripted"   # not the default one');
    expect(config()).not.toContain('Subluminal');
    expect(config()).not.toContain('SUB_');
  });
});
