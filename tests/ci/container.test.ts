import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compilePolicy } from '@subluminal/policy';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The instructions of a Dockerfile: continued lines are one, comments none. */
function instructions(text: string): (readonly [string, string])[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n');
  return lines.flatMap((line) => {
    const [, word, rest] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    return word === undefined || rest === undefined ? [] : [[word, rest.replaceAll(/\s+/g, ' ')] as const];
  });
}

interface Service {
  readonly build: { readonly context: string; readonly dockerfile: string };
  readonly image: string;
  readonly user: string;
  readonly read_only: boolean;
  readonly privileged?: boolean;
  readonly init: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly environment?: unknown;
  readonly tmpfs: readonly string[];
  readonly volumes: readonly string[];
  readonly command: readonly string[];
}

const SECRETS = /password|secret|token|api_?key|credential|BEGIN [A-Z ]*PRIVATE/i;

describe('the image', () => {
  const all = instructions(read('docker/Dockerfile'));
  const of = (word: string): string[] => all.filter(([name]) => name === word).map(([, rest]) => rest);
  const last = all.findLastIndex(([word]) => word === 'FROM');
  const final = all.slice(last);

  it('is built from images of a named version, in two stages', () => {
    const [, image = ''] = /^NODE_IMAGE=(\S+)$/.exec(of('ARG')[0] ?? '') ?? [];
    expect(image).toMatch(/^node:\d+-[a-z]+$/);
    expect(of('FROM')).toEqual(['${NODE_IMAGE} AS build', '${NODE_IMAGE}-slim']);
    expect(read('docker/Dockerfile')).not.toContain('latest');
    const copied = final.filter(([word]) => word === 'COPY').map(([, rest]) => rest);
    expect(copied).toEqual(['--from=build /opt/sub /opt/sub']);
  });

  it('runs as a user without rights, whose folders it may write and nothing else', () => {
    const users = final.filter(([word]) => word === 'USER').map(([, rest]) => rest);
    expect(users).toEqual(['1000:1000']);
    const at = (word: string): number => final.findIndex(([name]) => name === word);
    expect(at('USER')).toBeGreaterThan(final.findLastIndex(([word]) => word === 'RUN'));
    const made = final.find(([word]) => word === 'RUN')?.[1] ?? '';
    const volumes: string[] = JSON.parse(of('VOLUME')[0] ?? '[]');
    for (const folder of volumes) expect(made).toContain(folder);
    expect(made).toContain('--mode=0700 --owner=node');
    expect(of('ENTRYPOINT')).toEqual(['["sub"]']);
  });

  it('knows every package, so that the lock file installs', () => {
    const packages = readdirSync(join(ROOT, 'packages')).filter((name) =>
      existsSync(join(ROOT, 'packages', name, 'package.json')),
    );
    for (const name of packages)
      expect(of('COPY')).toContain(`packages/${name}/package.json packages/${name}/`);
  });

  it('holds no secret, and gets nothing of a home that lies about', () => {
    expect(read('docker/Dockerfile').replaceAll(/^#.*$/gm, '')).not.toMatch(SECRETS);
    expect(of('ADD')).toEqual([]);
    const ignored = read('.dockerignore').split('\n');
    for (const name of ['**/.git', '**/node_modules', '**/.env*', '**/keys', '**/gateway.db*']) {
      expect(ignored).toContain(name);
    }
  });
});

describe('the compose file', () => {
  const file = parse(read('docker/compose.yaml')) as {
    services: Record<string, Service>;
    volumes: Record<string, unknown>;
  };
  const services = Object.entries(file.services);

  it.each(services)('gives %s a read-only root and no right that it does not need', (_, service) => {
    expect(service.read_only).toBe(true);
    expect(service.privileged ?? false).toBe(false);
    expect(service.user).toBe('1000:1000');
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toContain('no-new-privileges:true');
    expect(service.init).toBe(true);
    expect(service.image).toMatch(/:\d+\.\d+\.\d+$/);
    expect(service.environment).toBeUndefined();
    expect(service.tmpfs.every((mount) => mount.startsWith('/tmp:') && mount.includes('noexec'))).toBe(true);
    expect(JSON.stringify(service)).not.toMatch(SECRETS);
    expect(JSON.stringify(service)).not.toContain('docker.sock');
  });

  it('keeps the home and its memory in two volumes, and gives the job its policy read-only', () => {
    const [[, job] = []] = services;
    expect(Object.keys(file.volumes)).toEqual(['home', 'memory']);
    expect(job?.volumes).toEqual([
      'home:/var/lib/subluminal',
      'memory:/home/node/.local/state',
      './policy.yaml:/etc/subluminal/policy.yaml:ro',
    ]);
    expect(job?.command.slice(0, 7)).toEqual([
      'run',
      '--strict',
      '--events',
      '-',
      '--policy',
      '/etc/subluminal/policy.yaml',
      '--',
    ]);
    expect(compilePolicy(read('docker/policy.yaml'))).toMatchObject({ ok: true, warnings: [] });
  });
});
