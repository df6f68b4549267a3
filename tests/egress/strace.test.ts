import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADAPTER_ACTIONS } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { shimCommand, SUB } from '../harness/sub.js';
import { TOKEN } from '../records/kit/fhir.js';
import { PASSWORD as CALENDAR_PASSWORD, USER } from '../records/kit/radicale.js';
import { findingsOf, permissionsOf, placeOf } from './kit/findings.js';
import { NAME_SERVER, nameServer } from './kit/name-server.js';
import { MAIL_PASSWORD, servers } from './kit/servers.js';
import { Stage, whyNotHere, type Answer, type Step } from './kit/stage.js';

const NAMES = ['mail.test', 'cal.test', 'bank.test', 'fhir.test', 'api.test', 'other.test'];
const QUIET = '[anomaly]\nburst = "flag"\nnew_domain = "flag"\nlarge_payload = "flag"\n';
const missing = whyNotHere();

function textOf(answer: Answer | undefined): string {
  return answer === undefined ? 'never ran' : `${answer.code} ${answer.stdout}${answer.stderr}`;
}

describe.skipIf(missing !== undefined)(
  `a session of every adapter, a run and a remote server under strace${missing === undefined ? '' : ` (not here: ${missing})`}`,
  () => {
    it('makes sockets of the internet in the gateway alone, dials nothing without an entry, and finds a program that goes around', async () => {
      const { asked } = await nameServer(NAMES);
      const { certificates, caFile, setupToken, ports, taken } = await servers();
      const stage = new Stage(`${QUIET}[egress]\nmode = "enforce"\nextra_ca_file = "/nowhere"\n`);
      const cas = join(stage.home.root, 'cas.pem');
      writeFileSync(cas, certificates);
      const config = join(stage.home.home, 'config.toml');
      writeFileSync(config, readFileSync(config, 'utf8').replace('/nowhere', cas));

      const far = { far: { type: 'http', url: `https://other.test:${ports.far}/mcp` } };
      writeFileSync(join(stage.home.root, '.claude.json'), JSON.stringify({ mcpServers: far }));
      const page = `https://api.test:${ports.api}/`;
      const account = (kind: string, secret: string, ...flags: string[]): Step =>
        stage.sub(`add ${kind}`, ['account', 'add', kind, kind, ...flags], secret);
      const allow = (host: string, port: number): Step =>
        stage.sub(`allow ${port}`, ['allow', 'add', `${host}:${port}`, '--private']);
      const call = (action: string, payload: unknown): Step =>
        stage.sub(action, ['call', action, '--json', '--payload', JSON.stringify(payload)]);
      const event = { title: 'x', startTime: '2026-05-02T10:00:00Z', endTime: '2026-05-02T11:00:00Z' };
      const letter = { to: ['bob@else.test'], subject: 'hello', body: 'it works' };
      const agent = (name: string): Step => {
        const shim = shimCommand(
          stage.home.home,
          'get',
          [process.execPath, stage.program('server.mjs')],
          ['EXTRA_CA'],
        );
        const action = [
          process.execPath,
          SUB,
          'call',
          'service.api_call',
          '--home',
          stage.home.home,
          '--url',
          page,
        ];
        const argv = [page, 'https://evil.test/', JSON.stringify(shim), JSON.stringify(action)];
        return stage.sub(name, ['run', '--', process.execPath, stage.program('agent.mjs'), ...argv]);
      };
      const groups = [
        [stage.sub('up', ['up'])],
        [stage.sub('import', ['import', 'claude', '--yes'])],
        [
          allow('mail.test', ports.imap),
          allow('mail.test', ports.smtp),
          allow('cal.test', ports.calendar),
          allow('bank.test', ports.bank),
          allow('fhir.test', ports.health),
          allow('api.test', ports.api),
          stage.sub('allow far', [
            'allow',
            'add',
            `other.test:${ports.far}`,
            '--protocol',
            'https',
            '--private',
          ]),
        ],
        [
          account(
            'email',
            MAIL_PASSWORD,
            '--address',
            'ada@mail.test',
            '--user',
            'ada',
            '--imap',
            `mail.test:${ports.imap}`,
            '--smtp',
            `mail.test:${ports.smtp}`,
            '--smtp-security',
            'starttls',
          ),
          account(
            'calendar',
            CALENDAR_PASSWORD,
            '--url',
            `https://cal.test:${ports.calendar}/`,
            '--user',
            USER,
          ),
          account('finance', setupToken),
          account('health', TOKEN, '--url', `https://fhir.test:${ports.health}/r4`, '--patient', 'example'),
          account('api', 'a-bearer-token-1', '--origin', `https://api.test:${ports.api}`),
        ],
        [
          stage.sub('test', ['account', 'test', 'email']),
          call('email.send', letter),
          call('email.draft', letter),
          call('email.fetch', { folder: 'INBOX' }),
          call('calendar.create', event),
          call('finance.fetch_transactions', {}),
          call('health.fetch', { dataType: 'heart_rate' }),
          call('service.api_call', { service: 'api', endpoint: page, method: 'GET' }),
          agent('run'),
        ],
        [
          call('calendar.update', { ...event, eventId: '{calendar.create:eventId}' }),
          call('calendar.fetch', { startDate: '2026-05-01T00:00:00Z', endDate: '2026-06-01T00:00:00Z' }),
          stage.sub('refused', ['call', 'service.api_call', '--url', 'https://evil.test/']),
          stage.sub('rogue', ['run', '--', process.execPath, stage.program('rogue.mjs'), String(ports.api)]),
        ],
        [stage.sub('down', ['down'])],
      ];
      const { answers, trace } = await stage.watch(groups, { EXTRA_CA: caFile, HOME: stage.home.root });

      const { refused, ...others } = answers;
      expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('not on the allowlist') });
      for (const [name, answer] of Object.entries(others))
        expect([name, answer.code, answer.stderr.includes('error[')], textOf(answer)).toEqual([
          name,
          0,
          false,
        ]);
      const ran = JSON.parse(answers['run']?.stdout ?? '{}') as Record<string, string>;
      expect(ran).toMatchObject({ page: 'hello', tool: 'hello', action: 0 });
      expect(ran['refusal']).toBe('HTTP/1.1 403 not_allowed');
      expect(ran['far']).toContain('"name":"far"');
      expect(taken).toHaveLength(1);

      const permissions = permissionsOf(stage.rows());
      expect(new Set(permissions.map(({ action }) => action))).toEqual(
        new Set([...ADAPTER_ACTIONS, 'net.connect', 'http.reach']),
      );
      const resolver = `${NAME_SERVER}:53`;
      const expected = { permissions, resolver, doors: [ran['proxy'] ?? '', ran['door'] ?? ''] };
      const rogue = `rogue.mjs dialled 127.0.0.1:${ports.api}`;
      expect(findingsOf(trace, expected)).toEqual([rogue]);
      // That a missing entry would be noticed: without those of one action, its dials are found, and nothing
      // else.
      const without = permissions.filter(({ action }) => action !== 'service.api_call');
      const unrecorded = `the gateway dialled 127.0.0.1:${ports.api}, and no entry says so`;
      expect(findingsOf(trace, { ...expected, permissions: without }).toSorted()).toEqual(
        [rogue, unrecorded, unrecorded].toSorted(),
      );

      const gateway = Number(/pid (\d+)/.exec(answers['up']?.stdout ?? '')?.[1]);
      const ours = trace.sockets.filter(({ program }) => ['gateway', 'cli', 'shim'].includes(program));
      expect(new Set(ours.map(({ pid }) => pid))).toEqual(new Set([gateway]));
      const dials = trace.dials.filter(({ pid }) => pid === gateway);
      const questions = dials.filter((dial) => placeOf(dial) === resolver).length;
      // What was refused has not been asked for either.
      expect(asked).toEqual(new Set(NAMES));
      expect(questions).toBeGreaterThanOrEqual(NAMES.length);
      const counts = ['gateway', 'cli', 'shim'].map(
        (name) => `${[...trace.programs.values()].filter((one) => one === name).length} ${name}`,
      );
      console.log(
        `strace: ${counts.join(', ')}; ${ours.length} sockets of the internet, all of the gateway; ${dials.length - questions} addresses dialled for ${permissions.length} entries, ${questions} questions to the name server`,
      );
    }, 180_000);
  },
);
