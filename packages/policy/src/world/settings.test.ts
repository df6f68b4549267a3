import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { type PolicySnapshot, projectPolicy } from '../snapshot/snapshot.js';
import { type WorldSettings, worldSettings } from './settings.js';

const HEAD =
  'policy_id: t\nversion: "1"\nmode: control\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\nrules: []\n';

function policy(world: string): PolicySnapshot {
  const result = compilePolicy(`${HEAD}${world}`);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.snapshot;
}

const asked = { server: undefined, folder: '/home/u/work/shop', home: '/home/u', tmp: '/tmp' };
const ofServer = (snapshot: PolicySnapshot, server: string | undefined): WorldSettings =>
  worldSettings(snapshot, [], { ...asked, server });

describe('the settings of a world', () => {
  it('are empty where the policy has none', () => {
    expect(ofServer(policy(''), 'files')).toEqual({
      profile: undefined,
      limits: {
        memoryBytes: undefined,
        cpus: undefined,
        processes: undefined,
        wallMs: undefined,
        diskBytes: undefined,
      },
      reuse: true,
      fs: { ask: [], hide: [], read: [], write: [] },
      isolated: [],
      hosts: [],
      budget: { bytesPerSecond: undefined, totalBytes: undefined },
    });
  });

  const TWO = `
world:
  limits: { memory: 2Gi, cpu: "1.5", processes: 200 }
  fs: { ask: [infra, "*.tf"], hide: [.env], write: [~/.cache] }
  commands: { isolated: ["pip install *"] }
  egress_budget: { total_bytes: 1000 }
  profiles:
    - name: npm
      server: ["npm-*"]
      limits: { memory: 512Mi, wall_ms: 60000, disk: 1Gi }
      reuse: false
      net: { allowed: [Registry.Example., 192.0.2.7] }
      fs: { ask: [$PROJECT/deploy], hide: [$PROJECT/keys], write: [$HOME/.npm] }
      commands: { isolated: ["npm install *"] }
    - name: shop
      folder: ["~/work/**"]
      net: { allowed: [] }
`;

  it('are those of all worlds where no profile fits', () => {
    const settings = worldSettings(policy(TWO), [], { ...asked, folder: '/srv/other' });
    expect(settings).toMatchObject({
      profile: undefined,
      limits: { memoryBytes: 2_147_483_648, cpus: 1.5, processes: 200, wallMs: undefined },
      fs: { hide: ['.env'], read: [], write: ['$HOME/.cache'] },
      hosts: [],
    });
  });

  it('are those of the first profile that fits, put over those of all worlds', () => {
    const settings = ofServer(policy(TWO), 'npm-1');
    expect(settings).toMatchObject({
      profile: 'npm',
      limits: {
        memoryBytes: 536_870_912,
        cpus: 1.5,
        processes: 200,
        wallMs: 60_000,
        diskBytes: 1_073_741_824,
      },
      reuse: false,
      fs: {
        ask: ['**/*.tf', '**/infra', '$PROJECT/deploy'],
        hide: ['.env', 'keys'],
        write: ['$HOME/.cache', '$HOME/.npm'],
      },
      isolated: ['pip install *', 'npm install *'],
      budget: { totalBytes: 1000 },
    });
    expect(settings.hosts).toEqual([
      { kind: 'home', profile: 'npm', allowed: new Set(['registry.example', '192.0.2.7']) },
    ]);
  });

  it('go by the folder for a program of the run, which no server fits', () => {
    expect(ofServer(policy(TWO), undefined).profile).toBe('shop');
    expect(worldSettings(policy(TWO), [], { ...asked, folder: '/home/u/worker' }).profile).toBeUndefined();
  });

  it('of a profile need the server and the folder where it names both', () => {
    const both = policy('world: { profiles: [{ name: b, server: [a], folder: [/srv/x], reuse: false }] }');
    expect(worldSettings(both, [], { ...asked, server: 'a', folder: '/srv/x' }).profile).toBe('b');
    expect(worldSettings(both, [], { ...asked, server: 'a' }).profile).toBeUndefined();
    expect(worldSettings(both, [], { ...asked, folder: '/srv/x' }).profile).toBeUndefined();
  });

  it('are narrowed by a project, and never widened', () => {
    const project = projectPolicy(
      policy(`
world:
  limits: { memory: 4Gi, processes: 50 }
  reuse: false
  net: { allowed: [registry.example, other.example] }
  fs: { ask: [ci], hide: [secret], read: [/etc/keys], write: [~/.ssh] }
  commands: { isolated: [make] }
  egress_budget: { total_bytes: 5000, bytes_per_sec: 10 }
`),
      '/home/u/work/shop/.subluminal.yaml',
    );
    const settings = worldSettings(policy(TWO), [{ kind: 'project', snapshot: project }], {
      ...asked,
      server: 'npm-1',
    });
    expect(settings).toMatchObject({
      limits: { memoryBytes: 536_870_912, cpus: 1.5, processes: 50 },
      reuse: false,
      fs: {
        ask: ['**/*.tf', '**/infra', '$PROJECT/deploy', '**/ci'],
        hide: ['.env', 'keys', 'secret'],
        read: [],
        write: ['$HOME/.cache', '$HOME/.npm'],
      },
      isolated: ['pip install *', 'npm install *', 'make'],
      budget: { totalBytes: 1000, bytesPerSecond: 10 },
    });
    const reaches = (host: string): boolean => settings.hosts.every(({ allowed }) => allowed.has(host));
    expect(['registry.example', 'other.example', '192.0.2.7'].map(reaches)).toEqual([true, false, false]);
  });

  it('leave the hash of a policy that has none as it was', () => {
    expect(policy('').plain).not.toHaveProperty('world');
  });
});
