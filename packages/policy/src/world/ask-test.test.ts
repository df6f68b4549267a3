import { describe, expect, it } from 'vitest';
import { askTest } from './ask-test.js';

const folded = (name: string): string => name.normalize('NFKC').toLowerCase();
const asked = (patterns: readonly string[], path: string, isLink = false): string | undefined => {
  const exact = `/srv/Shop/${path}`;
  return askTest(
    patterns,
    { home: '/home/u', tmp: '/tmp', project: '/srv/Shop' },
    folded,
  )({ exact, folded: exact.split('/').map(folded).join('/'), isLink });
};

describe('a path that a world has changed is asked about', () => {
  it.each<readonly [string, string]>([
    ['infra/**', 'infra/main.tf'],
    ['infra', 'infra/a/b'],
    ['*.tf', 'deep/down/x.tf'],
    ['$PROJECT/deploy/*.yaml', 'deploy/prod.yaml'],
    ['/srv/Shop/deploy', 'deploy/x'],
    ['README.md', 'readme.MD'],
    ['$PROJECT/secrets', 'ＳＥＣＲＥＴＳ/x'],
    ['.env', '.ENV'],
    ['secrets/*.key', 'secrets/a\uE001.key'],
    ['secrets/*.key', 'secrets/a\n.key'],
  ])('by `%s`: %j', (pattern, path) => {
    expect(asked([pattern], path)).toBe(pattern);
  });

  it.each<readonly [string, string]>([
    ['infra/**', 'infrastructure/x'],
    ['$PROJECT/deploy', 'sub/deploy/x'],
    ['*.tf', 'x.tfvars'],
    ['/srv/other', 'x'],
    ['~/x', 'x'],
  ])('and not by `%s`: `%s`', (pattern, path) => {
    expect(asked([pattern], path)).toBeUndefined();
  });

  it('if it is a link below which a pattern goes on', () => {
    expect(asked(['$PROJECT/infra/*.tf'], 'infra', true)).toBe('$PROJECT/infra/*.tf');
    expect(asked(['infra/prod/*.tf'], 'x/infra', true)).toBe('infra/prod/*.tf');
    expect(asked(['$PROJECT/a/**/*.key'], 'a/b/c', true)).toBe('$PROJECT/a/**/*.key');
    expect(asked(['$PROJECT/*/keys'], 'any', true)).toBe('$PROJECT/*/keys');
  });

  it('and not if nothing but its own name stands for what is below a link', () => {
    expect(asked(['*.tf'], 'infra', true)).toBeUndefined();
    expect(asked(['$PROJECT/infra/*.tf'], 'other', true)).toBeUndefined();
    expect(asked(['$PROJECT/infra/*.tf'], 'infra', false)).toBeUndefined();
  });

  it('by a pattern that is none in lower case, as it is written', () => {
    expect(asked(['[Z-a]x'], 'ax')).toBe('[Z-a]x');
  });
});
