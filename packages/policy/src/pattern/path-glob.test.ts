import { describe, expect, it } from 'vitest';
import {
  compilePathGlob,
  fitsPath,
  isAboveIt,
  splitPaths,
  splitRoots,
  type PathPattern,
} from './path-glob.js';

const ROOTS = splitRoots({ home: '/home/dev', tmp: '/tmp', project: '/home/dev/shop' });
const ANY = { isUnder: false, isSure: false };

function compiled(source: string): PathPattern {
  const result = compilePathGlob(source);
  if (!result.ok) throw new Error(`${source}: ${result.why}`);
  return result.pattern;
}

function fits(path: string, source: string, fit = ANY): boolean | undefined {
  return fitsPath(splitPaths(path)[0] ?? { names: [], isMarked: false }, compiled(source), ROOTS, fit);
}

describe('a pattern of paths', () => {
  it.each([
    ['/home/dev/.ssh', '$HOME/.ssh'],
    ['/home/dev/.ssh', '~/.ssh'],
    ['/home/dev/shop/a', '${PROJECT}/a'],
    ['/tmp/x', '$TMP/?'],
    ['/a/b/c', '/a/**/c'],
    ['/a/c', '/a/**/c'],
    ['/a/b/c/.env', '**/.env'],
    ['/.env', '.env'],
    ['/a/x.pem', '*.pem'],
    ['/a/b', '/a/./b/'],
  ])('%s fits %s', (path, source) => {
    expect(fits(path, source)).toBe(true);
  });

  it.each([
    ['/home/dev/.sshx', '$HOME/.ssh'],
    ['/home/dev2/.ssh', '$HOME/.ssh'],
    ['/a/b/c', '/a/*'],
    ['/a', '/a/*'],
    ['/home/dev', '$HOME/.ssh'],
  ])('%s does not fit %s', (path, source) => {
    expect(fits(path, source)).toBe(false);
  });

  it('a folder takes all below it where it is asked to', () => {
    const under = { isUnder: true, isSure: false };
    expect(fits('/home/dev/.ssh/a/b', '$HOME/.ssh', under)).toBe(true);
    expect(fits('/home/dev/.sshx/a', '$HOME/.ssh', under)).toBe(false);
  });

  it('names with marks fit where they may be meant, and nothing where it has to be sure', () => {
    const sure = { isUnder: true, isSure: true };
    for (const path of ['/home/dev/.s\uE001/id', '/home/dev/.ss\uE002/id', '/home/dev/.ssh/\uE000']) {
      expect(fits(path, '$HOME/.ssh', { isUnder: true, isSure: false })).toBe(true);
    }
    expect(fits('/home/dev/.s\uE001/id', '$HOME/.ssh', sure)).toBe(false);
    // A name of which nothing is known is none in particular; a shell's `*` takes no dot at its start.
    expect(fits('/home/dev/\uE000', '$HOME/.ssh')).toBe(false);
    expect(fits('/home/dev/\uE001', '$HOME/.ssh')).toBe(false);
  });

  it('one that begins with a folder which the call does not have is told apart', () => {
    const roots = { ...ROOTS, project: undefined };
    expect(fitsPath({ names: ['a'], isMarked: false }, compiled('$PROJECT/a'), roots, ANY)).toBeUndefined();
  });

  it.each(['', '$X/a', '/a/../b', `/${'a/'.repeat(65)}`, '/a/{b'])('%s is refused', (source) => {
    expect(compilePathGlob(source).ok).toBe(false);
  });

  it('a folder that is taken whole holds what a rooted pattern names below it', () => {
    expect(isAboveIt({ names: ['home'], isMarked: false }, compiled('$HOME/.ssh'), ROOTS)).toBe(true);
    expect(isAboveIt({ names: ['home', 'dev'], isMarked: false }, compiled('$HOME/.ssh'), ROOTS)).toBe(true);
    expect(
      isAboveIt({ names: ['home', 'dev', '.ssh'], isMarked: false }, compiled('$HOME/.ssh'), ROOTS),
    ).toBe(false);
    expect(isAboveIt({ names: ['home', 'dev'], isMarked: false }, compiled('**/.env'), ROOTS)).toBe(false);
  });
});
