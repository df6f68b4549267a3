import { GatewayConfig } from '@subluminal/core-types';
import { configOf } from '../../../packages/daemon/dist/compose/config.js';
import { loadConfig } from '../../../packages/gateway/dist/config/load.js';
import { compilePolicy } from '@subluminal/policy';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promise, type Target } from '../engine/target.js';
import { comparesWithItself } from './governance.js';

const POLICY = `policy_id: p
version: "1"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - { rule_id: a, kind: deny, enabled: true, severity: warn, match: { tool_name: { glob: ["a*", "b?"] } },
      effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: "m" } }
`;

/** The compiler of policies: no text makes it throw, and what it cannot read is a problem with a place. */
export const policies: Target = {
  name: 'policies',
  seeds: [
    POLICY,
    '{"policy_id":"p","version":"1","mode":"observe","defaults":{},"selectors":{},"rules":[]}',
    'a: &x [1]\nb: *x',
  ].map((text) => Buffer.from(text)),
  words: [
    '- ',
    ': ',
    '\n',
    '  ',
    '&a ',
    '*a',
    '<<: *a',
    '!!js/function ',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '|',
    '>',
    '#',
    '---\n',
    '? ',

    'kind: allow',
    'kind: deny',
    'kind: budget',
    'enabled: yes',
    'glob: ["(a+)+$"]',
    'regex: ["^(a|a)*$"]',
    'null',
    '~',
    '.inf',

    '__proto__: 1',
    'rules:',
    'effect:',
    'action: ALLOW',
    '9007199254740993',
    '0x1f',
    '\t',
    '\ufeff',
  ],
  maxBytes: 2048,
  run(input) {
    const result = compilePolicy(input.toString('utf8'));
    if (result.ok) {
      comparesWithItself(input.toString('utf8'));
      return true;
    }
    promise(
      result.problems.length > 0 && result.problems.length <= 200,
      'a policy that does not load has problems',
    );
    return false;
  },
};

/** The configuration: only a file that is there and fits is one, whatever it holds. */
export function configuration(): Target {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-config-'));
  const path = join(folder, 'config.toml');
  const defaults = JSON.stringify(GatewayConfig.parse({}));
  return {
    name: 'configuration',
    seeds: [
      'autostart = false\ndurability = "process"\n[ipc]\nmax_connections = 10\n',
      '[rate_limits]\nglobal = 5\n[rate_limits.actions]\n"email.send" = 1\n',
      'heads_log = "/a"\n[log]\nlevel = "debug"\n',
    ].map((text) => Buffer.from(text)),
    words: [
      '[',
      ']',
      '[[',
      ']]',
      '=',
      '"',
      "'",
      '"""',
      '\n',
      '#',
      '.',
      'true',
      'false',
      '1e9',
      '0x10',
      'inf',
      'nan',
      '1979-05-27',

      '__proto__',
      'constructor',
      'ipc.',
      'max_frame_bytes = ',
      'durability = "none"',
      '-1',
      '99999999999999999999',
    ],
    maxBytes: 1024,
    run(input) {
      writeFileSync(path, input, { mode: 0o600 });
      const loaded = loadConfig(configOf({ config: path }));
      if (loaded.kind === 'empty')
        promise(JSON.stringify(loaded.config) === defaults, 'an empty file is the defaults');
      else promise(loaded.kind !== 'missing', 'a file that is there is not missing');
      return loaded.kind === 'ok';
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}
