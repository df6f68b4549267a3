import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { whyOf } from './system-error.js';

const caught = (work: () => void): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('why the system refused', () => {
  it('is said in words for what people meet', () => {
    expect(whyOf(caught(() => readFileSync('/nonexistent/file')))).toBe('no such file or folder');
    expect(whyOf(caught(() => writeFileSync(tmpdir(), '')))).toBe('it is a folder');
  });

  it('is the code where there are no words for it', () => {
    const error = Object.assign(new Error('EXDEV: cross-device link'), { code: 'EXDEV', syscall: 'link' });
    expect(whyOf(error)).toBe('the system says EXDEV');
  });

  it('is the message of any other error', () => {
    expect(whyOf(new Error('it is no file'))).toBe('it is no file');
    expect(whyOf('odd')).toBe('odd');
  });
});
