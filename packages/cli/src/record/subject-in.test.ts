import { describe, expect, it } from 'vitest';
import { subjectWithin } from '../inbox/subject.js';
import type { Waiting } from '../inbox/waiting.js';
import { objectCell, subjectCell } from './subject-in.js';

const question = (object: string): Waiting => ({
  kind: 'question',
  id: 'q',
  number: 1,
  isOpen: true,
  facts: { server_name: 'claude:builtin', tool_name: 'Bash', object },
});

describe('a call on a narrow terminal', () => {
  const command = 'git push --force origin main:release && echo done';

  it('has its command cut at the end, behind which its folder stands, and never within', () => {
    const shown = subjectWithin(question(`${command} in /home/ada2/work with {"timeout":1}`), 40);
    expect(shown).toBe('Bash git push --force origin main:relea…');
    expect(subjectCell('claude:builtin.Bash', command).within?.(40)).toBe(shown);
    expect(objectCell(command).within?.(20)).toBe('git push --force or…');
  });

  it('has the path of its file cut in the middle, and says that there is more', () => {
    const path = '/home/ada2/work/packages/shop/src/index.test.ts';
    const shown = subjectWithin(question(`${path} in /home/ada2/work`), 32);
    expect(shown).toBe('Bash /home/ada2/w…ndex.test.ts …');
    expect(subjectWithin(question(`${path} with {"content":"x"}`), 32)).toBe(shown);
  });

  it('is whole where it has room, by the name that people know', () => {
    expect(subjectWithin(question(command), 80)).toBe(`Bash ${command}`);
    expect(subjectCell('codex:builtin.Bash', 'ls').text).toBe('Bash ls');
    expect(subjectCell('files.read', null).within?.(80)).toBe('files.read');
  });
});
