import type { JsonObject } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import { type CallRecord, waysOf } from '@subluminal/records';
import { describe, expect, it } from 'vitest';
import { ruleExcerpt } from './rule-excerpt.js';
import type { Refusal } from './refusal.js';

const row = (more: Partial<LedgerRow> & { readonly data: JsonObject }): LedgerRow => ({
  seq: 7,
  leaf: 'a'.repeat(64),
  ts: 0,
  type: 'tool_call_start',
  code: null,
  runId: 'R',
  tool: ['claude:builtin', 'Bash'],
  ref: null,
  runIndex: 1,
  requestId: null,
  blobs: {},
  ...more,
});
const refusal = (record: CallRecord, more: Partial<Refusal> = {}): Refusal => ({
  record,
  callId: 'call-1',
  ruleId: 'r',
  rule: undefined,
  of: 'home',
  projectFile: '',
  isChanged: false,
  isForRun: true,
  tooWide: undefined,
  end: undefined,
  ...more,
});
const call = (argv: string): CallRecord => ({
  first: row({ data: {} }),
  decision: row({ data: { facts: { readings: { commands: [{ program: 'git', argv }] } } } }),
  last: null,
  object: argv,
});

describe('the ways on from a refusal', () => {
  it('by a policy beside that of the home are its own text, and no hint that could be promoted', () => {
    const project = refusal(call('git push'), { of: 'project', projectFile: '/shop/.subluminal.yaml' });
    const ways = waysOf(project, true).join('\n');
    expect(ways).toContain(
      'edit it, then `sub policy trust /shop/.subluminal.yaml`\n`sub policy untrust /shop',
    );
    expect(ways).not.toContain('hints promote');
    const run = waysOf(refusal(call('git push'), { of: 'run' }), true).join('\n');
    expect(run).toContain('the policy that `sub run --policy` gave the run refuses it');
    expect(run).not.toContain('hints promote');
    expect(waysOf(project, false).join('\n')).not.toContain('trust');
  });

  it('of a question that got its yes are a rule alone', () => {
    const asked = call('git push');
    const decision = row({ data: { decision: { hint: { approval: { id: 'q' } } } } });
    const end = { answer: 'yes', how: 'once', said: '', ts: 0 } as const;
    const ways = waysOf(refusal({ ...asked, decision }, { end }), true).join('\n');
    expect(ways).toContain('`sub hints promote 7 --persist`');
    expect(ways).not.toContain('policy lint');
  });

  const refused = (code: string, host: string, facts: JsonObject = {}): string => {
    const data = {
      error: { code, message: 'm' },
      destination: `${host}:443`,
      facts: { host, port: 443, via: 'connect', ...facts },
    };
    const record = {
      first: row({ type: 'action_rejected', tool: 'net.connect', data }),
      decision: null,
      last: null,
      object: null,
    };
    return waysOf(refusal(record, { ruleId: '' }), true).join('\n');
  };

  it('to a host that is not listed are the entry that lets it through', () => {
    expect(refused('not_allowed', 'api.example.com')).toContain('`sub allow add api.example.com:443` lets');
    expect(refused('address_refused', 'inside.example')).toContain(
      '`sub allow add inside.example:443 --private`',
    );
    const multicast = refused('not_allowed', '224.0.0.1', { verdict: 'multicast', private: false });
    expect(multicast).toContain('no entry of the allowlist leads there');
    expect(multicast).not.toContain('allow add');
  });

  it('to a host that the settings of a world leave out are those, and no entry of the allowlist', () => {
    const ways = refused('world_refused', 'api.example.com', { via: 'world', server_name: 'files' });
    expect(ways).toContain('`sub policy explain --world --server files` shows');
    expect(ways).not.toContain('allow add');
    expect(refused('world_refused', 'api.example.com', { via: 'world' })).toContain('explain --world` shows');
  });

  it('to the metadata of a cloud are none, though an entry could open it', () => {
    const facts = { verdict: 'cloud_metadata', private: true };
    for (const code of ['not_allowed', 'address_refused']) {
      const ways = refused(code, '169.254.169.254', facts);
      expect(ways).toContain('it leads to the metadata of a cloud');
      expect(ways).not.toContain('allow add');
    }
    expect(refused('address_refused', 'inside.example')).toContain('metadata services too');
  });

  it('to the service of an action are the same, and inside a run none', () => {
    const data = {
      error: { code: 'not_allowed', message: 'm' },
      destination: 'https://api.example.com:8443',
    };
    const record = {
      first: row({ type: 'action_rejected', tool: 'service.api_call', data }),
      decision: null,
      last: null,
      object: null,
    };
    const asked = refusal(record, { ruleId: '' });
    expect(waysOf(asked, true)[0]).toContain('`sub allow add api.example.com:8443` lets');
    expect(waysOf(asked, false).join('\n')).not.toContain('allow add');
  });
});

describe('the rule of a refusal', () => {
  const head = ['- rule_id: r', '    kind: ask', '    enabled: true', '    severity: warn', '    match:'];
  const patterns = Array.from({ length: 30 }, (_, at) => `        - 'tool${at} *'`);
  const long = [
    ...head,
    '      command:',
    '        argv:',
    ...patterns,
    "        - 'git push*--force*'",
    '    effect: {}',
  ];

  it('is shown by its beginning and the patterns that fit, where it is long', () => {
    const shown = ruleExcerpt(long.join('\n'), call('git push --force origin'));
    expect(shown.map((line) => line?.text)).toEqual([
      ...head,
      undefined,
      "        - 'git push*--force*'",
      undefined,
    ]);
  });

  it('is shown by its beginning where no pattern fits, and whole where it is short', () => {
    expect(ruleExcerpt(long.join('\n'), call('ls')).map((line) => line?.text)).toEqual([...head, undefined]);
    expect(ruleExcerpt(head.join('\n'), call('ls'))).toHaveLength(head.length);
  });

  it('is shown though one of its lines is made to be slow to read', () => {
    const slow = `        - x${' '.repeat(1_000_000)}y # z`;
    const rule = [...head, ...patterns, slow].join('\n');
    expect(ruleExcerpt(rule, call('ls')).map((line) => line?.text)).toEqual([...head, undefined]);
  });
});
